/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits and pauses as events of the file. */
#ifndef USER_RECORD_WAIT_EVENTS_H
#define USER_RECORD_WAIT_EVENTS_H

#include "user/record/wait_join.h"
#include "user/record/thread_keys.h"

struct wait_events {
	struct jfr_writer *writer;
	struct thread_keys *threads;
	int64_t ticks_offset; /* of the target's CLOCK_MONOTONIC to ours, ns */
	uint64_t (*stack_key)(
		void *context,
		uint32_t stack); /* in the open chunk, of an id of user/record/wait_stacks; NULL: there are none */
	void *context;
};

/* "futex", "page fault"; "other" for what is none. */
const char *wait_reason(unsigned int reason);

/* A wait is what it was blocked, frtrace.ThreadWait, and what it waited for a CPU then, frtrace.RunQueue: none is written of 0 ns. */
void wait_events_put(const struct wait_events *e, uint32_t thread, const struct wait *w);
void wait_events_put_pause(const struct wait_events *e, const struct frt_pause *p);

#endif
