/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of calls by key: a method, or a method and something else. */
#ifndef USER_TRACE_AGGREGATE_H
#define USER_TRACE_AGGREGATE_H

#include "format/map.h"

struct group {
	uint64_t first, second; /* the keys */
	uint64_t count, thrown;
	int64_t total, least, most; /* nanoseconds */
	uint64_t mark;		    /* for the caller */
	/* name and other: set by the caller, freed with free() by aggregate_release() */
	const char *name;
	const char *other;
};

struct aggregate {
	struct group *group; /* in order of first appearance, until aggregate_sort() */
	size_t count, capacity;
	struct map lookup; /* (first, second) -> index + 1 */
};

void aggregate_release(struct aggregate *g);

/*
 * The group of two keys. A new one has count 0; the caller must add to it at once. Valid until the next call.
 */
struct group *aggregate_of(struct aggregate *g, uint64_t first, uint64_t second);

void aggregate_add(struct group *group, int64_t duration, bool thrown);

/* Sort the groups and drop those that were not counted. No more lookups are possible afterwards. */
void aggregate_sort(struct aggregate *g, int (*compare)(const void *, const void *));

#endif
