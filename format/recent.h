/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of the numbers that have been put into it lately, for a caller that keeps what belongs to each at its place. A
 * number has one of four places, so that a few which are all in use and have the same ones do not evict each other.
 */
#ifndef FORMAT_RECENT_H
#define FORMAT_RECENT_H

#include <stddef.h>
#include <stdint.h>

#define RECENT_WAYS   4u
#define RECENT_PLACES 16384u

struct recent {
	uint64_t number[RECENT_PLACES]; /* 0: none. A hash: its lower bits choose the set */
	uint32_t next_way;
};

static inline size_t recent_first(uint64_t number)
{
	return number % (RECENT_PLACES / RECENT_WAYS) * RECENT_WAYS;
}

/* The place of a number other than 0. RECENT_PLACES: it is not there. */
static inline size_t recent_find(const struct recent *r, uint64_t number)
{
	size_t first = recent_first(number);

	for (size_t at = first; at < first + RECENT_WAYS; at++)
		if (r->number[at] == number)
			return at;
	return RECENT_PLACES;
}

/* The same, but a number that is not there gets a free place, or that of another one. */
static inline size_t recent_put(struct recent *r, uint64_t number)
{
	size_t first = recent_first(number), at = recent_find(r, number);

	for (size_t way = first; at == RECENT_PLACES && way < first + RECENT_WAYS; way++)
		if (!r->number[way])
			at = way;
	if (at == RECENT_PLACES)
		at = first + r->next_way++ % RECENT_WAYS;
	r->number[at] = number;
	return at;
}

#endif
