// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any text as a mapping file. A rejected one must give a message with its line. With an accepted one, each method must have an
 * original, also at lines that it does not have, and filters must stay filters.
 */
#include "filters/mapping_internal.h"
#include "tests/fuzz/fuzz.h"

static void check_methods(const struct mapping *m)
{
	struct bytes descriptor, original;

	bytes_init(&descriptor);
	bytes_init(&original);
	for (size_t i = 0; i < m->classes; i++) {
		const struct mapped_class *c = &m->class[i];

		require(mapping_find(m, c->renamed, true) == c, "a class is not found");
		require(slice_equal(mapping_class(m, c->renamed), c->name), "a class has another name");
		for (size_t k = 0; k < c->count; k++) {
			const struct mapped_member *member = &m->member[c->first + k];
			struct mapped_method found;

			bytes_clear(&descriptor);
			bytes_clear(&original);
			mapped_put_descriptor(m, &descriptor, member, true);
			mapping_put_descriptor(m, &original, slice_of(bytes_text(&descriptor)));
			found = mapping_method(m, c->renamed, member->renamed, slice_of(bytes_text(&descriptor)),
					       member->from);
			require(found.name.length && found.class_name.length, "a method has no name");
			require(found.line >= -1, "a line is none");
		}
	}
	bytes_release(&descriptor);
	bytes_release(&original);
}

static void check_filters(const struct mapping *m)
{
	static const char *const filters[] = {"*",   "a.b::a", "::a", "+com.acme.Cart::add(int):5ms", "com.acme.*::a*",
					      "!a.b"};
	struct filter_list *l = filter_list_new();
	struct diag d = {0};
	void *program = NULL;
	size_t size;

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		require(filter_list_add(l, filters[i], FILTER_TRACE, &d) == 0, "a filter is refused");
	if (mapping_rename_filters(m, l, &d) == 0)
		require(filter_list_size(l) && filter_list_compile(l, &program, &size, &d) == 0, "no filters are left");
	else
		require(d.usage, "a filter without a method has no message");
	free(program);
	filter_list_free(l);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct diag d = {0};
	struct mapping *m;

	if (mapping_parse(&m, "map.txt", (const char *)data, size, &d)) {
		require(d.usage && strncmp(d.text, "wrong mapping", 13) == 0, "a rejected text has no message");
		return 0;
	}
	check_methods(m);
	check_filters(m);
	mapping_free(m);
	return 0;
}
