/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has happened since the last look: differences of the sums that the agent
 * keeps of timed methods, so the intervals of a recording add up to it; and the
 * calls that are open now.
 */
#ifndef USER_LIVE_INTERVAL_H
#define USER_LIVE_INTERVAL_H

#include "format/diag.h"
#include "user/capture/clock.h"
#include "user/record/breakdown_sums.h"
#include "user/capture/timing.h"

/* Times in ns. Those of calls are 0 when there were none. */
struct interval_row {
	uint32_t method;
	uint64_t calls, thrown; /* that ended in the interval */
	uint64_t total, average, p50, p99;
	uint64_t maximum; /* at most 3.1 % too much when an earlier call was longer, else exact */
	bool bucketed;	  /* false: there is no p50 and no p99, and the maximum is that of all intervals */
	uint64_t open,
		oldest_age; /* calls on platform threads that have not ended, and how long the first of them runs */
	struct timing since_start;  /* in ns */
	struct breakdown_sum split; /* of the calls that were recorded and of which it is known; else no calls */
};

struct interval {
	int64_t end, length; /* CLOCK_MONOTONIC, ns */
	uint64_t calls, thrown;
	uint64_t open, oldest_age;	/* of all methods; also calls on virtual threads, whose age is not known */
	uint32_t oldest_method;		/* 0: no age is known */
	const struct interval_row *row; /* methods with calls or open ones: the most time first, then the most calls */
	uint32_t rows;
	bool split; /* is known of calls */
	bool whole; /* not an interval, but all since the beginning */
};

struct intervals;

/* Before the recording starts; all are borrowed, `splits` may be NULL. 0 or -errno; then *out is NULL. */
int intervals_new(struct intervals **out, const struct segment *s, struct clock *c, struct breakdown_sums *splits,
		  struct diag *d);
void intervals_free(struct intervals *v);

/* The first interval begins now. */
void intervals_begin(struct intervals *v);

/* What has come since the last call. Valid until the next one. */
const struct interval *intervals_next(struct intervals *v);

/* What has come in all the intervals together, the last one's end being the end. */
const struct interval *intervals_whole(struct intervals *v);

#endif
