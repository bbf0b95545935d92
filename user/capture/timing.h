/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of the agent's counters of timed methods (bpf/timing.h: rules, cells, histograms). */
#ifndef USER_CAPTURE_TIMING_H
#define USER_CAPTURE_TIMING_H

#include "user/segment/segment.h"

struct timing {
	uint64_t count, thrown;
	uint64_t total, minimum, maximum; /* TSC ticks; 0 when count is 0 */
	uint64_t children, repeated;	  /* TSC ticks; see struct frt_nested */
	uint64_t allocated;		  /* bytes */
	uint32_t unknown;		  /* FRT_UNKNOWN_*: of these three */
	uint32_t recent;		  /* first entry of the method's chain in `recent`; 0: none */
};

/* Calls of one cell that are in no histogram yet. */
struct timing_recent {
	uint32_t next;
	uint16_t buckets;
	uint16_t bucket[FRT_RECENT - 1];
};

enum { TIMING_P50, TIMING_P90, TIMING_P99, TIMING_PERCENTILES };

struct timings {
	struct timing of[FRT_MAX_METHODS]; /* indexed by method id */
	uint32_t methods;		   /* highest id + 1 */
	struct timing_recent *recent;	   /* entry 0 is unused */
	uint32_t recents;
	size_t capacity;	/* of `recent` */
	size_t cells_left;	/* in the current pass */
	struct cell_copy *copy; /* of a slot's cells */
	size_t copies;		/* for which it has room */
	bool forged;		/* the slots have more cells than possible; the rest is not in the sums */
};

/*
 * Is this method timed in the current recording, other than silently? Also true when its hooks are gone
 * or it was never called.
 */
bool timing_is_wanted(const struct segment *s, uint32_t method);

/* Is it timed for the live view and --metrics only? */
bool timing_is_silent(const struct segment *s, uint32_t method);

/* Will a call of this method that has lasted `ticks` so far be recorded, however it ends? */
bool timing_will_record(const struct segment *s, uint32_t method, uint64_t ticks);

/*
 * Sum up the current recording's cells. While the target runs, a call that is just ending may be included in part.
 * `t` must be zeroed before the first call.
 */
void timings_read(struct timings *t, const struct segment *s);

/*
 * The time that the method's calls have taken without the timed calls that they made, and without calls within others of
 * the same method by the same thread. In the unit of the total. Returns false if it is unknown. While the target runs, the
 * calls that are just ending may make it too small.
 */
bool timing_self(const struct timing *t, uint64_t *ticks);
bool timing_without_recursion(const struct timing *t, uint64_t *ticks);

/* Free what timings_read() allocated, but not `t` itself, which may be NULL. */
void timings_release(struct timings *t);

/*
 * Percentiles of a method in TSC ticks, accurate to 1.6 % and within minimum and maximum. False: neither the
 * histogram nor `recent` has a call of it.
 */
bool timing_percentiles(const struct segment *s, const struct timings *t, uint32_t method,
			uint64_t out[TIMING_PERCENTILES]);

/*
 * Percentiles of the calls since this method was last asked for with the same `seen` (FRT_MAX_GROUPS entries, zeroed
 * at first). *longest is the longest of these calls, at most 3.1 % too large.
 */
bool timing_percentiles_since(const struct segment *s, const struct timings *t, uint32_t method, struct frt_group *seen,
			      uint64_t out[TIMING_PERCENTILES], uint64_t *longest);

/*
 * Add the method's calls by duration: count[i] gets those of at most bound[i] TSC ticks and more than bound[i - 1], and
 * count[bounds] those beyond. A duration is accurate to 1.6 %. A call is first in `recent` and later in the histogram, so
 * the sum of the two functions has no call twice if the histogram is counted before timings_read(); it may then miss a
 * call that moves meanwhile.
 */
void timing_count_histogram(const struct segment *s, uint32_t method, const uint64_t *bound, size_t bounds,
			    uint64_t *count);
void timing_count_recent(const struct timings *t, uint32_t method, const uint64_t *bound, size_t bounds,
			 uint64_t *count);

#endif
