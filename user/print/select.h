/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects event types by name and by category, as --events and --categories of `jfr print` do. */
#ifndef USER_PRINT_SELECT_H
#define USER_PRINT_SELECT_H

#include "format/jfr/jfr_chunk.h"

/* Comma-separated lists, with '*' and '?'; NULL selects all. An event must match both lists. */
struct select {
	const char *events;	       /* "jdk.MethodTrace", "MethodTrace" */
	const char *categories;	       /* "Java Virtual Machine", or its initials "JVM" */
	struct jfr_metadata *metadata; /* the types that `wanted` was computed for */
	bool *wanted;		       /* indexed by meta_type.index */
	bool found;		       /* some type has matched so far */
};

void select_release(struct select *s);

/* Compute the selection for the chunk's types. Call before select_has(). */
void select_types(struct select *s, struct jfr_chunk *chunk);

static inline bool select_has(const struct select *s, const struct jfr_event *e)
{
	return e->type && s->wanted[e->type->index];
}

#endif
