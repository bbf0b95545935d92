/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runs of tasks by thread and time: for which task a thread was busy at a moment, and where that task came from. Runs of
 * one thread may lie in each other. Out of memory ends the process.
 */
#ifndef USER_TRACE_TASK_RUNS_H
#define USER_TRACE_TASK_RUNS_H

#include "user/trace/nest.h"
#include "user/trace/texts.h"

struct task; /* user/trace/task.h */

struct task_run {
	struct nested nested; /* the first member: begun, how long it ran; nested.around: another struct task_run */
	int64_t submitted;    /* nanoseconds since the epoch */
	uint64_t thread, submitter; /* thread_number(); 0: unknown */
	uint32_t task, name;	    /* numbers in `texts`: its class; the name of its thread */
};

/* Zeroed at first. */
struct task_runs {
	struct task_run *run; /* by thread, there by begin */
	size_t count, capacity;
	struct texts texts;
};

/* Add what has run, then settle: before that nothing can be asked. */
void task_runs_add(struct task_runs *r, const struct task *task);
void task_runs_settle(struct task_runs *r);
void task_runs_release(struct task_runs *r);

/* ns, with the time in the queue. */
int64_t task_run_length(const struct task_run *run);

/* The innermost run of that thread at that moment. NULL: none. */
const struct task_run *task_runs_at(const struct task_runs *r, uint64_t thread, int64_t moment);

#endif
