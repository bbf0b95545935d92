/* SPDX-License-Identifier: BSD-2-Clause */
/* A task of a recording that a call handed to another thread: an event frtrace.Task. */
#ifndef USER_TRACE_TASK_H
#define USER_TRACE_TASK_H

#include "user/trace/event_members.h"

struct task {
	struct jfr_chunk *chunk;
	int64_t start;	  /* when it was handed over, nanoseconds since the epoch */
	int64_t duration; /* in the queue, or until its outcome was known; ns */
	int64_t run;	  /* how long it ran, ns; INT64_MIN: it did not */
	/* Not resolved. `thread` ran it, `submitter` handed it over, in a call of `method` if that is not null; a text or null. */
	struct jfr_value thread, stack, submitter, method, task_class, outcome;
};

/* Read a task from its event. */
void task_read(struct event_reader *r, struct jfr_chunk *chunk, const struct jfr_event *e, struct task *t);

/* The class of the task, the same in each run of the program (normal_name()); "N/A" if it is unknown. */
void put_task_class(struct bytes *out, const struct task *t);

#endif
