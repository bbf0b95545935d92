/* SPDX-License-Identifier: BSD-2-Clause */
/* What the agent has counted of timed methods (bpf/frtrace.h: rules, cells, histograms), summed up. */
#ifndef USER_CAPTURE_TIMING_H
#define USER_CAPTURE_TIMING_H

#include "user/capture/segment.h"

struct timing {
	uint64_t count, thrown;
	uint64_t total, minimum, maximum; /* TSC ticks; 0 when count is 0 */
	uint32_t recent;		  /* the first of a chain, see below; 0: none */
};

/* Calls that are in no histogram yet: one cell's. */
struct timing_recent {
	uint32_t next;
	uint16_t buckets;
	uint16_t bucket[FRT_RECENT - 1];
};

enum { TIMING_P50, TIMING_P90, TIMING_P99, TIMING_PERCENTILES };

struct timings {
	struct timing of[FRT_MAX_METHODS]; /* by method id */
	uint32_t methods;		   /* highest id + 1 */
	struct timing_recent *recent;	   /* number 0 is none */
	uint32_t recents;
	size_t capacity;   /* of `recent` */
	size_t cells_left; /* of the pass that is going on */
	bool forged;	   /* the slots have more cells than there can be: what came after these is not in the sums */
};

/* Is this method timed in the present recording, not for the live view alone? Also when it has no hooks any more, or was never called. */
bool timing_is_wanted(const struct segment *s, uint32_t method);

/* Is it timed for the live view alone? */
bool timing_is_silent(const struct segment *s, uint32_t method);

/* Sum up the present recording's cells. While the target runs, of a call that just ends a part may be there. `t` is all 0 at first. */
void timings_read(struct timings *t, const struct segment *s);

/* What timings_read() has taken, not `t` itself; NULL is all right. */
void timings_release(struct timings *t);

/*
 * Percentiles of a method in TSC ticks, at most 1.6 % off, none outside of minimum and
 * maximum. False: no call is in the histogram or on the way there.
 */
bool timing_percentiles(const struct segment *s, const struct timings *t, uint32_t method,
			uint64_t out[TIMING_PERCENTILES]);

/*
 * Those of the calls that have come since the last time that this method was
 * asked for with the same `seen`: FRT_MAX_GROUPS, all 0 at first. *longest: the
 * longest of these calls, at most 3.1 % too much.
 */
bool timing_percentiles_since(const struct segment *s, const struct timings *t, uint32_t method, struct frt_group *seen,
			      uint64_t out[TIMING_PERCENTILES], uint64_t *longest);

#endif
