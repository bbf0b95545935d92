/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of TSC stamps to CLOCK_MONOTONIC nanoseconds, the base of all times in the file. The clock keeps
 * calibration pairs. A stamp is converted by interpolation between the two pairs around it, never beyond the last
 * pair, where a step of the clock would show. Taking a pair costs a few hundred nanoseconds.
 */
#ifndef USER_CAPTURE_CLOCK_H
#define USER_CAPTURE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_pair {
	uint64_t tsc;
	int64_t monotonic; /* ns */
	int64_t error;	   /* ns: upper bound of the time between the two readings */
};

#define CLOCK_PAIRS 4096u

struct clock {
	struct clock_pair pair[CLOCK_PAIRS]; /* ascending; older pairs are thinned out when the array is full */
	size_t pairs;
	bool set_back; /* the counter was, by a suspend for example: later stamps have no place among the pairs */
	size_t hint;   /* index at which the last stamp was found */
	struct {       /* the interval between the two pairs around the last stamp, cached */
		uint64_t tsc, length;
		int64_t monotonic;
		uint64_t scale; /* ns per tick << CLOCK_SCALE */
	} stretch;
};

/* Start with two pairs, taken a few milliseconds apart. */
void clock_init(struct clock *c);

/* Take a pair now. Stamps up to this moment can then be converted. */
void clock_sample(struct clock *c);

/* Take a pair unless this stamp already lies before the last one. */
void clock_cover(struct clock *c, uint64_t tsc);

#define CLOCK_SCALE 56				/* fraction bits of a scale in ns per tick */
#define CLOCK_SLACK (1ULL << (CLOCK_SCALE - 8)) /* error of a truncated scale, at most, in fractions of a ns */

static inline int64_t clock_in_stretch(const struct clock *c, uint64_t tsc)
{
	return c->stretch.monotonic +
	       (int64_t)(((unsigned __int128)(tsc - c->stretch.tsc) * c->stretch.scale + CLOCK_SLACK) >> CLOCK_SCALE);
}

/* The slow path of clock_ns(): a stamp that is not in the cached interval. */
int64_t clock_ns_elsewhere(struct clock *c, uint64_t tsc);

#define CLOCK_FARTHEST (INT64_MAX / 4)

/*
 * CLOCK_MONOTONIC ns of a stamp, within CLOCK_FARTHEST of 0. A stamp older than the first pair is extrapolated from the whole
 * calibration.
 */
static inline int64_t clock_ns(struct clock *c, uint64_t tsc)
{
	if (__builtin_expect(tsc - c->stretch.tsc >= c->stretch.length, 0))
		return clock_ns_elsewhere(c, tsc);
	return clock_in_stretch(c, tsc);
}

/*
 * The stamp that clock_ns() converts to this time, of CLOCK_MONOTONIC in ns, but for fractions of a nanosecond. Takes a pair
 * unless the time lies before the last one.
 */
uint64_t clock_tsc(struct clock *c, int64_t ns);

/* Convert a duration from ns to TSC ticks (at most INT64_MAX), and back. */
uint64_t clock_ticks_of_ns(const struct clock *c, uint64_t ns);
uint64_t clock_ns_of_ticks(const struct clock *c, uint64_t ticks);

const struct clock_pair *clock_last(const struct clock *c);

/* CLOCK_REALTIME - CLOCK_MONOTONIC now, in ns. */
int64_t clock_realtime_offset(void);

#endif
