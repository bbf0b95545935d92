/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From TSC to CLOCK_MONOTONIC nanoseconds, the base of all times in the file.
 * Calibration pairs are kept: a stamp is converted by interpolation between the
 * two pairs around it, never beyond the last one, where a step of the clock
 * would show. One pair costs some hundred nanoseconds.
 */
#ifndef USER_CAPTURE_CLOCK_H
#define USER_CAPTURE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_pair {
	uint64_t tsc;
	int64_t monotonic; /* ns */
	int64_t error;	   /* ns: how far the two may be apart */
};

#define CLOCK_PAIRS 4096u

struct clock {
	struct clock_pair pair[CLOCK_PAIRS]; /* ascending; the oldest are thinned out when it is full */
	size_t pairs;
	size_t hint; /* where the last stamp was found */
	struct {     /* the stretch between two pairs in which the last stamp lay, ready for use */
		uint64_t tsc, length;
		int64_t monotonic;
		uint64_t scale; /* ns per tick << 56 */
	} stretch;
};

/* Can the TSC be used: invariant, and the kernel's own clock source trusts it (/proc/cpuinfo: constant_tsc nonstop_tsc)? */
bool clock_tsc_usable(void);

/* Two pairs, some milliseconds apart. */
void clock_init(struct clock *c);

/* Take a pair now, the new end of what can be converted. */
void clock_sample(struct clock *c);

/* Make sure that this stamp lies before the last pair. */
void clock_cover(struct clock *c, uint64_t tsc);

/* CLOCK_MONOTONIC ns of a stamp; one older than the first pair is extrapolated from the whole calibration. */
int64_t clock_ns(struct clock *c, uint64_t tsc);

/* TSC ticks that so many ns last, INT64_MAX at most, and back. */
uint64_t clock_ticks_of_ns(const struct clock *c, uint64_t ns);
uint64_t clock_ns_of_ticks(const struct clock *c, uint64_t ticks);

const struct clock_pair *clock_last(const struct clock *c);

/* CLOCK_REALTIME - CLOCK_MONOTONIC now, ns. */
int64_t clock_realtime_offset(void);

#endif
