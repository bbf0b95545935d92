/* SPDX-License-Identifier: BSD-2-Clause */
/* The receiver of the kernel's records (bpf/queue.h), with the ids of their stacks. */
#ifndef USER_CAPTURE_KERNEL_SINK_H
#define USER_CAPTURE_KERNEL_SINK_H

#include "bpf/queue.h"
#include "user/stacks/copied_stacks.h"

/*
 * Records are valid only during the call; their lengths have been checked. The records of one thread arrive in the
 * order in which they ended, and before the thread's spans that a later drain delivers. Any of the functions may be
 * NULL.
 */
struct kernel_sink {
	void (*wait)(void *context, const struct frt_wait *w, const struct wait_stack_ids *stacks);
	/* A thread in a traced call was on a CPU at s->at; `stack`: the id of its stack, 0: unknown. */
	void (*sample)(void *context, const struct frt_waker *s, uint32_t stack);
	/* A virtual thread was on no carrier. `r->on` orders it among the waits of that thread. */
	void (*resumed)(void *context, const struct frt_resumed *r);
	/* What the waits that follow may have waited for, with its text, if it has one, behind *r. */
	void (*resource)(void *context, const struct frt_resource *r);
	void (*pause)(void *context, const struct frt_pause *p);
	void (*usage)(void *context, const struct frt_thread_usage *u);
	/* A thread has got a slot. */
	void (*owner)(void *context, const struct frt_slot_owner *o);
	/* Some kinds of records of this thread are never available: o->flags. NULL: of an unknown thread. */
	void (*unobserved)(void *context, const struct frt_slot_owner *o);
	/* Records before this moment were lost. Called before any later record is delivered. */
	void (*lost)(void *context);
	void *context;
	struct copied_stacks *stacks; /* takes the stacks of waits; NULL: they have none */
};

#endif
