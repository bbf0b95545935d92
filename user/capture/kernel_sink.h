/* SPDX-License-Identifier: BSD-2-Clause */
/* The receiver of the kernel's records (bpf/queue.h), with the ids of their stacks. */
#ifndef USER_CAPTURE_KERNEL_SINK_H
#define USER_CAPTURE_KERNEL_SINK_H

#include "bpf/queue.h"

#include <stdbool.h>

/* Ids of user/record/wait_stacks, 0: none. */
struct wait_stack_ids {
	uint32_t java, native, kernel;
	uint32_t waker_java, waker_kernel; /* of the thread that ended the wait */
	uint64_t waker_virtual;		   /* its javaThreadId if it is a virtual one; else 0 */
	bool waker_exact;		   /* it is known whether a carrier woke for a virtual thread */
	bool in_code; /* the innermost Java frame is no native method's: the program has not asked for a time limit */
};

/*
 * Records are valid only during the call; their lengths have been checked. The records of one thread arrive in the
 * order in which they ended, and before the thread's spans that a later drain delivers. Any of the functions may be
 * NULL.
 */
struct kernel_sink {
	void (*wait)(void *context, const struct frt_wait *w, const struct wait_stack_ids *stacks);
	/* A virtual thread was on no carrier. `r->on` orders it among the waits of that thread. */
	void (*resumed)(void *context, const struct frt_resumed *r);
	void (*pause)(void *context, const struct frt_pause *p);
	void (*usage)(void *context, const struct frt_thread_usage *u);
	/* A thread has got a slot. */
	void (*owner)(void *context, const struct frt_slot_owner *o);
	/* Some kinds of records of this thread are never available: o->flags. NULL: of an unknown thread. */
	void (*unobserved)(void *context, const struct frt_slot_owner *o);
	/* Records before this moment were lost. Called before any later record is delivered. */
	void (*lost)(void *context);
	void *context;
	/* Sets the ids of a long wait's stacks. `native` may be NULL. NULL: they stay 0. */
	void (*take_stacks)(void *stacks, const struct frt_long_wait *w, const struct frt_native *native,
			    struct wait_stack_ids *ids);
	/*
	 * Takes the stacks of the thread that ends a wait, whose record follows. Its sizes have been checked against what
	 * stands behind *w. May be NULL.
	 */
	void (*take_waker)(void *stacks, const struct frt_waker *w);
	void *stacks;
	/*
	 * The stack of a native call, from its method outwards: returns its id, 0: it has none. The frames are changed. May be
	 * NULL.
	 */
	uint32_t (*take_call)(void *stacks, struct frt_frame *frames, uint32_t count, enum frt_walk_end end);
	/*
	 * The whole present stack of a thread in a native method, by its JavaThread; 0: none. *call: the same as take_call has
	 * it. NULL like take_call.
	 */
	uint32_t (*take_open)(void *stacks, uint64_t java_thread, uint32_t *call);
	/* Is that stack's innermost frame one of the agent's method? True also if that is unknown. */
	bool (*is_call_of)(void *stacks, uint32_t id, uint32_t method);
};

#endif
