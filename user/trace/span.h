/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spans of time of one thread: their order, which lies in which, and which wait is in which. All readers go by these rules.
 *
 * Start and duration of a call are rounded, each by itself, so a call may seem to end after the one around it. Of equal
 * spans the later one in the file ended later: it is around the other. The ends of a wait may be off by the error of the
 * clock: it is in the spans that its middle lies in.
 */
#ifndef USER_TRACE_SPAN_H
#define USER_TRACE_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#define SPAN_ROUNDING 2 /* ns */

struct span {
	int64_t start, duration; /* ns; neither is negative, and their sum is in range */
	uint64_t number;	 /* the later in the file, the higher */
};

static inline int64_t span_end(const struct span *s)
{
	return s->start + s->duration;
}

/* For qsort(): the longest first. */
static inline int span_compare_durations(const struct span *a, const struct span *b)
{
	if (a->duration != b->duration)
		return a->duration > b->duration ? -1 : 1;
	return (a->number < b->number) - (a->number > b->number);
}

/* For qsort(): a span before those in it. */
static inline int span_compare(const struct span *a, const struct span *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return span_compare_durations(a, b);
}

/* True if a span lies in the outer one, or is the same one. Of two different ones only one can lie in the other. */
static inline bool span_contains(const struct span *outer, const struct span *s)
{
	return span_compare(outer, s) <= 0 && span_end(s) <= span_end(outer) + SPAN_ROUNDING &&
	       (s->start < span_end(outer) || s->start == outer->start);
}

static inline bool span_has_moment(const struct span *s, int64_t moment)
{
	return moment >= s->start && moment < span_end(s);
}

/* The moment of a wait: it is in the spans that have this one. */
static inline int64_t span_middle(int64_t start, int64_t duration)
{
	return start + duration / 2;
}

#endif
