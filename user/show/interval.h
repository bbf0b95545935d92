/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes what happened in each interval of the live view: differences of the agent's sums of timed methods, so that
 * the intervals of a recording add up to its totals, and the calls that are open now.
 */
#ifndef USER_SHOW_INTERVAL_H
#define USER_SHOW_INTERVAL_H

#include "format/diag.h"
#include "user/capture/clock.h"
#include "user/record/breakdown_sums.h"
#include "user/capture/timing.h"

#define INTERVAL_UNKNOWN UINT64_MAX

/* Times in ns; those of calls are 0 if there were none. */
struct interval_row {
	uint32_t method;
	uint64_t calls, thrown; /* ended in the interval */
	uint64_t total, average, p50, p99;
	uint64_t self, outermost;   /* without timed calls inside; without recursion; INTERVAL_UNKNOWN */
	uint64_t allocated;	    /* bytes; INTERVAL_UNKNOWN */
	uint64_t maximum;	    /* exact, or up to 3.1 % too high if an earlier call took longer */
	bool bucketed;		    /* false: no p50 and p99, and `maximum` is that since the start */
	uint64_t open, oldest_age;  /* open calls on platform threads, and the age of the oldest */
	struct timing since_start;  /* in ns */
	struct breakdown_sum split; /* of recorded calls with a known breakdown; may have no calls */
};

/* What a table shows of a row, and by which it can be sorted. */
enum interval_column {
	INTERVAL_CALLS,
	INTERVAL_ERRORS,
	INTERVAL_AVERAGE,
	INTERVAL_P50,
	INTERVAL_P99,
	INTERVAL_MAXIMUM,
	INTERVAL_TOTAL,
	INTERVAL_OUTERMOST,
	INTERVAL_SELF,
	INTERVAL_ALLOCATED,
	INTERVAL_CPU, /* this and the next two: share of the duration */
	INTERVAL_RUN_QUEUE,
	INTERVAL_BLOCKED,
	INTERVAL_WORST,
	INTERVAL_OPEN,
	INTERVAL_COLUMNS
};

struct interval {
	int64_t end, length; /* CLOCK_MONOTONIC, ns */
	uint64_t calls, thrown;
	uint64_t open, oldest_age; /* of all methods; `open` includes calls on virtual threads, whose age is unknown */
	uint32_t oldest_method;	   /* 0: unknown */
	const struct interval_row *row; /* methods with calls or open calls: by `order`, total, calls; largest first */
	uint32_t rows;
	enum interval_column order;
	bool split;	/* rows have a breakdown */
	bool allocated; /* rows have what their calls have allocated */
	bool nested;	/* a row has a self time that is not its total */
	bool recursive; /* the same of a time without recursion */
	bool whole;	/* covers everything since the start */
};

struct intervals;

/*
 * Call before the recording starts. All arguments are borrowed; `splits` may be NULL. `allocated`: what calls allocate is
 * counted. 0 or -errno; then *out is NULL.
 */
int intervals_new(struct intervals **out, const struct segment *s, struct clock *c, struct breakdown_sums *splits,
		  bool allocated, struct diag *d);
void intervals_free(struct intervals *v);

void intervals_begin(struct intervals *v);

/* The interval since the last call, or since intervals_begin(). Valid until the next call. */
const struct interval *intervals_next(struct intervals *v);

/* All intervals together, up to the end of the last one. */
const struct interval *intervals_whole(struct intervals *v);

/* What the last call has returned; without one, an interval of no length. */
const struct interval *intervals_last(const struct intervals *v);

/* Sort that one, and all that follow. The default is INTERVAL_TOTAL. */
void intervals_sort(struct intervals *v, enum interval_column order);

/* True if the interval has numbers for the column. */
bool interval_has_column(const struct interval *i, enum interval_column c);

#endif
