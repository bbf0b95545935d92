/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains why nothing has been recorded. */
#ifndef USER_LIVE_NO_EVENTS_H
#define USER_LIVE_NO_EVENTS_H

#include "user/capture/clock.h"
#include "user/record/recorder.h"
#include "user/segment/segment.h"
#include "user/options/settings.h"

struct no_events {
	const struct settings *settings;
	const struct segment *segment;
	const struct clock *clock;
	const struct recorder_counts *counts;
	int64_t begin_ns; /* CLOCK_MONOTONIC when tracing began */
};

/*
 * The reason as text: "1,204 calls, all below 100.0 ms (max 31.0 ms)", "0 calls: matched, never called in 10.0 s".
 * False: calls have been recorded, or all methods are timed only and have calls.
 */
bool no_events_explain(const struct no_events *s, const struct segment_totals *t, char *out, size_t size);

#endif
