/* SPDX-License-Identifier: BSD-2-Clause */
/* What tracing costs, CPU nanoseconds a call: estimates. */
#ifndef USER_COST_H
#define USER_COST_H

#include "user/clock.h"
#include "user/segment.h"

/* The two hooks of a call, whatever becomes of it: two stamps, measured when the agent was loaded, and the way to them. */
double cost_of_hooks(const struct segment *s, const struct clock *c);

/*
 * What is added when the call is recorded: stack, span and drain, which the slot's thread measures of one span in each
 * half of its ring (0 before the first), and frtrace's own work with it.
 */
double cost_of_recording(const struct frt_slot *slot, const struct clock *c);

#endif
