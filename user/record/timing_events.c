// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/timing_events.h"

static void timing_events_put_times(struct jfr_method_timing *e, const struct timing *t, const struct clock *c)
{
	uint64_t ticks;

	e->minimum = clock_ns_of_ticks(c, t->minimum);
	e->maximum = clock_ns_of_ticks(c, t->maximum);
	e->average = clock_ns_of_ticks(c, (t->total + t->count / 2) / t->count);
	if (timing_self(t, &ticks))
		e->self = clock_ns_of_ticks(c, ticks);
	if (timing_without_recursion(t, &ticks))
		e->outermost = clock_ns_of_ticks(c, ticks);
	if (!(t->unknown & FRT_UNKNOWN_ALLOCATED))
		e->allocated = t->allocated;
}

static void put_percentiles(struct jfr_method_timing *e, const struct segment *s, const struct timings *sums,
			    uint32_t id, const struct clock *c)
{
	uint64_t ticks[TIMING_PERCENTILES];

	if (!timing_percentiles(s, sums, id, ticks))
		return;
	e->p50 = clock_ns_of_ticks(c, ticks[TIMING_P50]);
	e->p90 = clock_ns_of_ticks(c, ticks[TIMING_P90]);
	e->p99 = clock_ns_of_ticks(c, ticks[TIMING_P99]);
}

void timing_events_put(struct jfr_writer *w, struct method_keys *keys, const struct timings *sums,
		       const struct segment *segment, const struct clock *clock, int64_t at)
{
	for (uint32_t id = 1; segment_method(segment, id); id++) {
		const struct timing *t = &sums->of[id];
		struct jfr_method_timing e = {.start = at,
					      .minimum = JFR_MISSING,
					      .average = JFR_MISSING,
					      .maximum = JFR_MISSING,
					      .p50 = JFR_MISSING,
					      .p90 = JFR_MISSING,
					      .p99 = JFR_MISSING,
					      .self = JFR_MISSING,
					      .outermost = JFR_MISSING,
					      .allocated = JFR_MISSING};

		if (!timing_is_wanted(segment, id) && (!t->count || timing_is_silent(segment, id)))
			continue;
		e.method = method_keys_traced(keys, id);
		e.invocations = t->count;
		e.thrown = t->thrown;
		if (t->count) {
			timing_events_put_times(&e, t, clock);
			put_percentiles(&e, segment, sums, id, clock);
		}
		jfr_method_timing(w, &e);
	}
}
