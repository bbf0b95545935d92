/* SPDX-License-Identifier: BSD-2-Clause */
/* Which types of events are wanted, by name and by category, as --events and --categories of `jfr print` say it. */
#ifndef USER_VIEW_SELECT_H
#define USER_VIEW_SELECT_H

#include "format/jfr/jfr_chunk.h"

/* Lists with commas, '*' and '?' allowed; NULL: all. An event must be in both. */
struct select {
	const char *events;	       /* "jdk.MethodTrace", "MethodTrace" */
	const char *categories;	       /* "Java Virtual Machine", and by their first letters "JVM" */
	struct jfr_metadata *metadata; /* what `wanted` is about */
	bool *wanted;		       /* by meta_type.index */
	bool found;		       /* some type was wanted so far */
};

void select_release(struct select *s);

/* For the chunk's types; to be called before select_has(). False: no memory. */
bool select_types(struct select *s, struct jfr_chunk *chunk);

static inline bool select_has(const struct select *s, const struct jfr_event *e)
{
	return e->type && s->wanted[e->type->index];
}

#endif
