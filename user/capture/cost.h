/* SPDX-License-Identifier: BSD-2-Clause */
/* What tracing costs, CPU nanoseconds a call: estimates. */
#ifndef USER_CAPTURE_COST_H
#define USER_CAPTURE_COST_H

#include "user/capture/clock.h"
#include "user/capture/segment.h"

/* The two hooks of a call, whatever becomes of it: two stamps, measured when the agent was loaded, and the way to them. */
double cost_of_hooks(const struct segment *s, const struct clock *c);

/*
 * What is added when the call is recorded: stack, span and drain, which the slot's thread measures of one span in each
 * half of its ring (0 before the first), and frtrace's own work with it.
 */
double cost_of_recording(const struct frt_slot *slot, const struct clock *c);

/*
 * What the kernel's half adds to a context switch and its wake-up, of a thread in a traced call; measured by
 * scripts/bench-switch on a machine that needs 3.5 us for both. Threads outside of calls pay 0.5, other processes 0.2.
 */
#define COST_SWITCH_US 0.7

/*
 * And --kernel=full to a system call or a page fault; measured by scripts/bench-usage where they take 0.4 and 3.5 us. Of a system
 * call threads outside of calls pay 0.4, other processes 0.2; of a page fault 0.7 and 0.5.
 */
#define COST_SYSTEM_CALL_US 0.5

/* A stack by JVMTI, against one that is walked; measured by scripts/bench-stacks. */
#define COST_JVMTI "15 to 25 times the price of a walk"

#endif
