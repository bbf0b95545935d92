/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimates of the cost of tracing, in CPU nanoseconds per call. */
#ifndef USER_CAPTURE_COST_H
#define USER_CAPTURE_COST_H

#include "user/capture/clock.h"
#include "user/segment/segment.h"

/*
 * Cost of a call's two hooks, recorded or not: the two stamps, as measured when the agent was loaded, plus the calls
 * into the hooks.
 */
double cost_of_hooks(const struct segment *s, const struct clock *c);

/*
 * Additional cost of recording the call: stack, span and drain, plus frtrace's own work. The slot's thread measures
 * the first three for one span in each half of its ring (0 before the first).
 */
double cost_of_recording(const struct frt_slot *slot, const struct clock *c);

/*
 * Cost in us that the kernel side adds to a context switch and its wake-up, for a thread in a traced call. Measured
 * by scripts/bench-switch on a machine that needs 3.5 us for both. Threads outside calls pay 0.5, other processes
 * 0.2.
 */
#define COST_SWITCH_US 0.7

/*
 * Cost in us that --kernel=full adds to a system call or a page fault. Measured by scripts/bench-usage where the two
 * take 0.4 and 3.5 us. For a system call, threads outside calls pay 0.4 and other processes 0.2; for a page fault 0.7
 * and 0.5.
 */
#define COST_SYSTEM_CALL_US 0.5

/* What HotSpot's own probes cost a call of any method, at the least; measured by scripts/bench-probes. */
#define COST_PROBE "0.6 us or more"

/* Cost of a JVMTI stack compared with a walked one; measured by scripts/bench-stacks. */
#define COST_JVMTI "14 to 27 times the price of a walk"

#endif
