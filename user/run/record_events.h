/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of `frtrace record -e`, before the recording begins. */
#ifndef USER_RUN_RECORD_EVENTS_H
#define USER_RUN_RECORD_EVENTS_H

#include "user/jvm/event_plan.h"
#include "user/options/settings.h"
#include "user/process/target.h"

/*
 * Find what the events mean in the target, and add filters for their methods to the settings. `waits`: the
 * caller comes again after -ENOENT. 0, or -errno.
 */
int record_events_plan(struct event_plan *out, struct settings *s, const struct target *t, bool waits, struct diag *d);

#endif
