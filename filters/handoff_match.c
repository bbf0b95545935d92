// SPDX-License-Identifier: BSD-2-Clause
/* The agent's part of handoff.h: it uses no library. */
#include "filters/handoff.h"

/* Take the first type off a list of them, which ends with ')'. An empty type: there is no whole one. */
static struct slice type_take(struct slice *types)
{
	struct slice type = {types->at, 0};
	size_t n = 0;

	while (n < types->length && types->at[n] == '[')
		n++;
	if (n < types->length && types->at[n] == 'L')
		while (n < types->length && types->at[n] != ';')
			n++;
	if (n == types->length || types->at[n] == ')')
		return type;
	type.length = n + 1;
	types->at += type.length;
	types->length -= type.length;
	return type;
}

/* Is it this type, or one in any package if that has none? */
static bool type_is(struct slice type, struct slice wanted)
{
	size_t arrays = 0;

	if (slice_equal(type, wanted))
		return true;
	while (arrays < wanted.length && wanted.at[arrays] == '[')
		arrays++;
	if (slice_contains(wanted, "/") || type.length <= wanted.length || wanted.length < arrays + 3 ||
	    !slice_equal((struct slice){type.at, arrays + 1}, (struct slice){wanted.at, arrays + 1}))
		return false;
	wanted = (struct slice){wanted.at + arrays + 1, wanted.length - arrays - 1};
	type = (struct slice){type.at + type.length - wanted.length - 1, wanted.length + 1};
	return type.at[0] == '/' && slice_equal((struct slice){type.at + 1, wanted.length}, wanted);
}

bool handoff_is_of_jdk(const char *class_name)
{
	static const char *const packages[] = {"java/", "jdk/", "sun/"};

	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
		if (slice_begins(slice_of(class_name), packages[i]))
			return true;
	return false;
}

bool handoff_is_method(const struct frt_place *p, struct slice name, struct slice descriptor, bool is_static,
		       unsigned int *object)
{
	struct slice types = descriptor, wanted = slice_of(p->types);
	unsigned int local = !is_static, argument = 0;
	bool found = !p->argument && !is_static;

	*object = 0;
	if (!slice_is(name, p->method) || !slice_begins(types, "("))
		return false;
	for (types.at++, types.length--, wanted.at++; types.length && types.at[0] != ')';) {
		struct slice type = type_take(&types);

		if (!type.length)
			return false;
		if (p->types[0]) {
			struct slice rest = slice_of(wanted.at), one = type_take(&rest);

			if (!one.length || !type_is(type, one))
				return false;
			wanted.at = rest.at;
		}
		if (++argument == p->argument && (type.at[0] == 'L' || type.at[0] == '[')) {
			*object = local;
			found = true;
		}
		local += type.at[0] == 'J' || type.at[0] == 'D' ? 2 : 1;
	}
	return found && (!p->types[0] || wanted.at[0] == ')');
}
