/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events come nearly in the order of their ends, but not quite: each thread
 * writes its own buffer. A window of a million puts them in order without
 * keeping all of them.
 */
#ifndef USER_VIEW_SORTER_H
#define USER_VIEW_SORTER_H

#include "format/jfr/jfr_chunk.h"

#define SORTER_WINDOW 1000000

struct sorter_entry {
	int64_t time;
	uint64_t tie;		       /* among those of one time the smaller one is first */
	uint64_t at : 63, context : 1; /* of the event in its chunk; what the entry is for is its user's business */
	struct jfr_chunk *chunk;
};

struct sorter {
	struct sorter_entry *heap;
	size_t count, capacity;
};

void sorter_release(struct sorter *o); /* drops the chunks too */

/* The entry keeps its chunk. False: no memory. */
bool sorter_add(struct sorter *o, const struct sorter_entry *e);

/* The first of all; its chunk is the caller's to drop. False: none is left. */
bool sorter_take(struct sorter *o, struct sorter_entry *e);

#endif
