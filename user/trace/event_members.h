/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads events into a struct by a table of its fields. Each chunk describes its types itself, so which field of a type
 * belongs to which row is found once for each type of a chunk.
 */
#ifndef USER_TRACE_EVENT_MEMBERS_H
#define USER_TRACE_EVENT_MEMBERS_H

#include "format/jfr/jfr_read.h"

#define EVENT_MEMBERS_MOST 32 /* of a type; fields behind them are looked up each time */

struct event_member {
	const char *name;
	enum { EVENT_VALUE, EVENT_NUMBER, EVENT_BOOL } kind; /* a struct jfr_value, not resolved; an int64_t; a bool */
	size_t offset;					     /* in the struct */
	enum meta_role role;				     /* of the field's type; META_OTHER: any */
	enum meta_unit timespan;			     /* of a number */
};

struct event_table {
	const struct event_member *field;
	size_t count;
	size_t thread, stack; /* offsets of two values: the thread and the stack of any event */
};

/* Which row each field of a type is. Zeroed at first. */
struct event_reader {
	const struct meta_type *type; /* lives as long as its chunk */
	uint32_t chunk;
	int8_t row[EVENT_MEMBERS_MOST];
};

/*
 * Set the members that the event has; the others keep their values. *seen gets a bit for each row that was there. A fault
 * is added to the chunk's.
 */
void event_members_read(struct event_reader *r, const struct event_table *table, struct jfr_chunk *chunk,
			const struct jfr_event *e, void *to, uint64_t *seen);

#endif
