// SPDX-License-Identifier: BSD-2-Clause
/*
 * A method without a binding has the address of a function in libjvm. Nothing tells which one, but it is the only one
 * that several methods have of those that nearly nobody calls: Array.setShort() and its like, which every JVM has loaded.
 */
#include "user/jvm/bindings.h"
#include "format/map.h"
#include "user/hotspot/method.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define RARELY_BOUND "java.lang.reflect.Array::set*"

struct bindings {
	const struct matches_setup *setup;
	struct libraries *libraries;
	uint64_t unbound; /* 0: unknown */
};

static uint64_t code_of(const struct matches_setup *s, const struct match *m)
{
	uint64_t code;

	return method_native_code(s->layout, s->mem, m->address, &code) ? 0 : code;
}

/* The address that two methods have; 0: all have their own. */
static uint64_t find_shared(const struct matches_setup *s, const struct matches *found)
{
	struct map seen = {.count = 0};
	uint64_t shared = 0;

	for (uint32_t i = 0; !shared && i < found->count; i++) {
		uint64_t own = found->match[i].reason == FRT_SKIP_NATIVE ? code_of(s, &found->match[i]) : 0;
		uint32_t *times = own ? map_at(&seen, own, 0) : NULL;

		if (times && (*times)++)
			shared = own;
	}
	map_release(&seen);
	return shared;
}

static uint64_t find_unbound(const struct matches_setup *setup)
{
	struct filter_list *filter = filter_list_new();
	struct matches_setup own = *setup;
	struct matches found = {.count = 0};
	struct diag ignored;
	uint64_t code = 0;

	own.near = NULL;
	if (filter && !filter_list_add(filter, RARELY_BOUND, FILTER_TRACE, &ignored) &&
	    !matches_find_by(&found, own, filter, &ignored))
		code = find_shared(setup, &found);
	matches_release(&found);
	filter_list_free(filter);
	return code;
}

struct bindings *bindings_new(const struct target *t, const struct matches_setup *setup)
{
	struct bindings *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->setup = setup;
	b->libraries = libraries_new(t, false);
	if (b->libraries) {
		b->unbound = find_unbound(setup);
		return b;
	}
	free(b);
	return NULL;
}

void bindings_free(struct bindings *b)
{
	if (b)
		libraries_free(b->libraries);
	free(b);
}

void bindings_find(struct bindings *b, const struct match *m, struct binding *out)
{
	const struct library *l;

	*out = (struct binding){.address = code_of(b->setup, m)};
	if (!out->address || !b->unbound)
		return;
	out->kind = BINDING_NONE;
	if (out->address == b->unbound)
		return;
	l = libraries_at(b->libraries, out->address);
	out->kind = l ? BINDING_LIBRARY : BINDING_MEMORY;
	if (!l)
		return;
	snprintf(out->place, sizeof(out->place), "%s+0x%" PRIx64, path_base(l->map.path),
		 library_place(l, out->address));
	if (!library_symbol(l, out->address, out->function))
		out->function[0] = 0;
}
