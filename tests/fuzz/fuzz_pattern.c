// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a compiled filter program: matching terminates and does not read outside it. */
#include "filters/program.h"
#include "filters/matcher.h"
#include "tests/fuzz/fuzz.h"

static const char *const names[] = {"a/b/C", "m", "", "A", "<init>", "com/acme/Cart", "checkout", "lambda$m$0", "LA;"};
static const char *const descriptors[] = {"()V", "", "(", "(I[La/b/C;)V", "(LC", ")", "([[[)J"};

static void match_method(const struct matcher *p, const char *class_name, const char *name)
{
	struct matcher_tags tags = {.count = 4, .tag = {1, 7, UINT32_MAX}};
	struct matcher_method m = {.class_name = slice_of(class_name),
				   .name = slice_of(name),
				   .synthetic = true,
				   .of_class = &tags,
				   .of_method = &tags};

	matcher_tag_supertype(p, m.class_name, &tags);
	matcher_tag_annotation(p, m.class_name, &tags);
	(void)matcher_takes_lambda(p, m.name);
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++) {
		m.descriptor = slice_of(descriptors[i]);
		(void)matcher_decide(p, &m);
	}
}

static void match_all(const struct matcher *p)
{
	const size_t count = sizeof(names) / sizeof(names[0]);

	(void)matcher_valid(p);
	(void)matcher_any_class(p);
	for (size_t i = 0; i < count; i++) {
		(void)matcher_class(p, names[i], strlen(names[i]));
		for (size_t k = 0; k < count; k++)
			match_method(p, names[i], names[k]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct program_header h;
	char *program = malloc(size + 1);

	memcpy(program, data, size);
	match_all(&(struct matcher){program, size});
	/* gets past the checks of the header */
	if (size >= sizeof(h)) {
		memcpy(&h, program, sizeof(h));
		h.magic = PROGRAM_MAGIC;
		h.version = PROGRAM_VERSION;
		h.size = (uint32_t)size;
		h.buckets = 1u << (h.buckets % 6);
		h.entries %= (uint32_t)(size / sizeof(struct program_entry)) + 2;
		h.wild %= h.entries + 1;
		memcpy(program, &h, sizeof(h));
		match_all(&(struct matcher){program, size});
	}
	free(program);
	return 0;
}
