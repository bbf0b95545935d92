/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorts events by time within a window. Events are almost ordered by end time, but each thread writes its own buffer. A
 * window of a million events restores the order without keeping all of them.
 */
#ifndef USER_TRACE_SORTER_H
#define USER_TRACE_SORTER_H

#include "format/jfr/jfr_chunk.h"

#define SORTER_WINDOW 1000000

struct sorter_entry {
	int64_t time;
	uint64_t tie;		       /* among equal times the smaller one comes first */
	uint64_t at : 63, context : 1; /* offset of the event in its chunk; `context` is for the caller */
	struct jfr_chunk *chunk;
};

struct sorter {
	struct sorter_entry *heap;
	size_t count, capacity;
};

void sorter_release(struct sorter *o); /* also drops its references to chunks */

/* Takes a reference to the chunk. */
void sorter_add(struct sorter *o, const struct sorter_entry *e);

/* Remove the first entry. The caller must drop its reference to the chunk. False: empty. */
bool sorter_take(struct sorter *o, struct sorter_entry *e);

#endif
