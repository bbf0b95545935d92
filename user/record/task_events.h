/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks that traced calls hand to other threads become frtrace.Task events (--tasks). */
#ifndef USER_RECORD_TASK_EVENTS_H
#define USER_RECORD_TASK_EVENTS_H

#include "format/jfr/jfr_write.h"
#include "user/record/paths.h"
#include "user/record/thread_keys.h"
#include "user/stacks/frames.h"
#include "user/stacks/method_keys.h"

struct task_events {
	struct jfr_writer *writer;
	struct clock *clock;
	struct thread_keys *threads;
	struct method_keys *methods;
	struct frames *frames;
	struct paths *paths;  /* get the tasks, too; NULL: there are none */
	int64_t ticks_offset; /* the target's CLOCK_MONOTONIC minus ours, ns */
	uint64_t torn;	      /* tasks that came without what is known of them */
};

/*
 * Write the event of a span with FRT_SPAN_TASK, of virtual thread `v` or of a platform thread (NULL), with the values that
 * follow it. The clock covers its stamps, and a chunk is open.
 */
void task_events_put(struct task_events *e, const struct frt_span *s, const struct frt_field *values, size_t n,
		     const struct stream_vthread *v);

#endif
