/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of -e: what they mean in the target. Filters for their methods are added to the settings. */
#ifndef USER_RUN_RECORD_EVENTS_H
#define USER_RUN_RECORD_EVENTS_H

#include "user/jvm/event_plan.h"
#include "user/record/recording.h"
#include "user/run/program.h"

/*
 * Nothing is done to the JVM unless all events make sense. One that is just starting, as with --follow, has no classes
 * yet. 0, also without -e, or -errno; then the session takes the plan.
 */
int record_events_prepare(struct event_plan *out, const struct recording *r, struct diag *d);

/*
 * The same for a launched JVM. What -e names is found in loaded classes, unless their class files will tell it. The
 * program loads them as it runs, so it runs already (r->awaited). -ENOENT with the message if it ends before that.
 */
int record_events_await(struct event_plan *out, struct recording *r, struct program *program, struct diag *d);

#endif
