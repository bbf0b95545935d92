/* SPDX-License-Identifier: BSD-2-Clause */
/* Emission of jdk.MethodTiming: one event per timed method, all with the same time stamp. */
#ifndef USER_RECORD_TIMING_EVENTS_H
#define USER_RECORD_TIMING_EVENTS_H

#include "format/jfr/jfr_write.h"
#include "user/capture/clock.h"
#include "user/stacks/method_keys.h"
#include "user/capture/timing.h"

/* Write the sums of all timed methods so far, including methods that were never called (as JEP 520 does). */
void timing_events_put(struct jfr_writer *w, struct method_keys *keys, const struct timings *sums,
		       const struct segment *segment, const struct clock *clock, int64_t at);

#endif
