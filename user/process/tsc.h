/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is the time stamp counter one clock for all CPUs? It is where the processor promises an invariant counter and the
 * kernel uses it as its clock source. Most virtual machines
 * hide that promise, because they may move to another host, and use the hypervisor's clock, though their counters are as
 * good. There the counters are read on each CPU, and compared with the kernel's clock.
 */
#ifndef USER_PROCESS_TSC_H
#define USER_PROCESS_TSC_H

#include "user/process/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TSC_TEXT 160

/* The counter of a CPU and CLOCK_MONOTONIC, in ns, read within `width` ticks. */
struct tsc_reading {
	uint64_t tsc, width;
	int64_t monotonic;
};

/* Read both, as close together as some tries get. */
struct tsc_reading tsc_read(void);

/*
 * By how much the readings between the first and the last one are off the line through these two, in ns, beyond what the
 * widths explain. INT64_MAX: a counter stands still or runs backwards.
 */
int64_t tsc_apart(const struct tsc_reading *reading, size_t count);

/*
 * Compare the counters. Sets `how` to what was found. The calling thread runs on each of its CPUs for a moment, together
 * some milliseconds.
 */
bool tsc_measured(char how[static TSC_TEXT]);

/* The same, but only where the counter is not promised to be usable; otherwise `how` is "". */
bool tsc_usable(char how[static TSC_TEXT]);

#endif
