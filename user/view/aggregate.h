/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls counted by what they have in common: a method, or a method and something else. */
#ifndef USER_VIEW_AGGREGATE_H
#define USER_VIEW_AGGREGATE_H

#include "format/bytes.h"

struct group {
	uint64_t first, second; /* the keys */
	uint64_t count, thrown;
	int64_t total, least, most; /* nanoseconds */
	uint64_t mark;		    /* its owner's */
	const char *name;	    /* of the first, the group's owner gives it; to be freed with free() */
	const char *other;
};

struct aggregate {
	struct group *
		group; /* a hash table of places; count 0: a free one. After aggregate_sort(): in order, without gaps */
	size_t count, capacity;
};

void aggregate_release(struct aggregate *g);

/* The group of two keys, count 0 when it is new (the caller counts at once); NULL: no memory. Valid until the next
 * call. */
struct group *aggregate_of(struct aggregate *g, uint64_t first, uint64_t second);

void aggregate_add(struct group *group, int64_t duration, bool thrown);

/* Put them in order; nothing can be looked up afterwards. */
void aggregate_sort(struct aggregate *g, int (*compare)(const void *, const void *));

#endif
