/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoder of waits and pauses as events. */
#ifndef USER_RECORD_WAIT_EVENTS_H
#define USER_RECORD_WAIT_EVENTS_H

#include "user/record/wait_join.h"
#include "user/record/resources.h"
#include "user/record/thread_keys.h"
#include "user/text/syscall_name.h"

struct wait_events {
	struct jfr_writer *writer;
	struct thread_keys *threads;
	int64_t ticks_offset;  /* the target's CLOCK_MONOTONIC minus ours, ns */
	struct frames *frames; /* of the waits' stacks; NULL: they have none */
	struct resources *resources;
};

/* "futex", "page fault"; "other" for an unknown reason. */
const char *wait_reason(unsigned int reason);

/* The same, or the name of the system call if the reason is "other", as readers of the file name a wait. */
const char *wait_name(unsigned int reason, unsigned int syscall, char text[SYSCALL_NAME_TEXT]);

/* The name of the thread that ended the wait as readers show it; "": unknown, or an interrupt. */
void wait_events_name_waker(const struct wait_events *e, const struct wait *w, char out[WAKER_NAME]);

/*
 * Write a wait: its blocked time as frtrace.ThreadWait, and its time in the run queue as frtrace.RunQueue. An event
 * of 0 ns is not written. `v`: the virtual thread that waited; NULL: the thread itself.
 */
void wait_events_put(const struct wait_events *e, uint32_t thread, const struct stream_vthread *v,
		     const struct wait *w);
/* Write a sample of a thread on a CPU, which is kept as a wait of no time. */
void wait_events_put_sample(const struct wait_events *e, uint32_t thread, const struct stream_vthread *v,
			    const struct wait *sample);
void wait_events_put_pause(const struct wait_events *e, const struct frt_pause *p);

#endif
