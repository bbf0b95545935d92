/* SPDX-License-Identifier: BSD-2-Clause */
/* One emission of jdk.MethodTiming: an event for each timed method, all at the same moment. */
#ifndef USER_RECORD_TIMING_EVENTS_H
#define USER_RECORD_TIMING_EVENTS_H

#include "format/jfr/jfr_write.h"
#include "user/capture/clock.h"
#include "user/record/method_keys.h"
#include "user/capture/timing.h"

/* What the calls of all timed methods add up to by now. Methods that were never called are there too, as JEP 520 has them. */
void timing_events_put(struct jfr_writer *w, struct method_keys *keys, const struct timings *sums,
		       const struct segment *segment, const struct clock *clock, int64_t at);

#endif
