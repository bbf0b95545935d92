/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording with all that runs beside it: what the loop serves. */
#ifndef USER_RUN_RUN_H
#define USER_RUN_RUN_H

#include "user/jvm/event_plan.h"
#include "user/jvm/intrinsics.h"
#include "user/record/recording.h"
#include "user/run/background.h"
#include "user/run/dump_trigger.h"
#include "user/run/program.h"
#include "user/run/with_jfr.h"
#include "user/show/live.h"
#include "user/show/metrics.h"

struct record_run {
	struct recording recording;
	struct clock clock;
	struct intrinsics intrinsics; /* of the methods that a launched JVM must call */
	struct event_plan plan;	      /* of -e */
	char *path;		      /* of the recording; NULL: not open yet */
	int signals;		      /* a signalfd */
	struct program *program;      /* gets the signals, and its end ends the recording; NULL: the JVM runs already */
	struct background *background; /* NULL: in the foreground */
	struct with_jfr *with_jfr;     /* NULL: not wanted */
	struct dump_trigger *trigger;  /* NULL: no --dump-when */
	struct live *live;	       /* NULL: no live view */
	struct metrics *metrics;       /* NULL: no --metrics */
	uint32_t skips;		       /* number of rows about methods not hooked when tracing began */
	bool incomplete;
};

#endif
