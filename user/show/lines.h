/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints a line for each recorded call, ordered by end time. Calls arrive thread by thread in batches, so they are held
 * until all earlier ones can have arrived. Lines that standard output does not accept in time are skipped, and a line
 * in their place says how many.
 */
#ifndef USER_SHOW_LINES_H
#define USER_SHOW_LINES_H

#include "user/record/recording.h"
#include "user/show/stdout_queue.h"

struct lines;

/* Recording and queue are borrowed. 0 or -errno; then *out is NULL. */
int lines_new(struct lines **out, const struct recording *r, struct stdout_queue *queue, struct diag *d);
void lines_free(struct lines *l);

/* Add a call that was just recorded. */
void lines_add(struct lines *l, const struct recorded_call *call);

/* A thread may be preempted for this long between the end of a call and its record. */
#define LINES_LATE_NS 50000000LL

/*
 * Print the calls that ended at least LINES_LATE_NS before `now` (CLOCK_MONOTONIC, ns); all of these should have
 * arrived. INT64_MAX prints all held calls.
 */
void lines_print(struct lines *l, int64_t now);

/* The recorder has freed the callers' methods: held calls are printed without a caller. */
void lines_forget_callers(struct lines *l);

/* Number of lines skipped since the start. */
uint64_t lines_skipped(const struct lines *l);

#endif
