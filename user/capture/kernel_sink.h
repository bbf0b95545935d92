/* SPDX-License-Identifier: BSD-2-Clause */
/* Receiver of the kernel's half of a recording: records of bpf/queue.h and the ids of their stacks. */
#ifndef USER_CAPTURE_KERNEL_SINK_H
#define USER_CAPTURE_KERNEL_SINK_H

#include "bpf/queue.h"

/*
 * Records are valid during the call alone; lengths in them have been checked. What one thread did comes in the order in
 * which it ended, and before the spans of that thread that a drain brings later. `stack` and `kernel_stack` are ids of
 * user/record/wait_stacks, 0: none. Any of the functions may be NULL.
 */
struct kernel_sink {
	void (*wait)(void *context, const struct frt_wait *w, uint32_t stack, uint32_t kernel_stack);
	void (*pause)(void *context, const struct frt_pause *p);
	void (*usage)(void *context, const struct frt_thread_usage *u);
	/* Of that thread some of this never comes: o->flags. NULL: of some thread, nobody knows of which. */
	void (*unobserved)(void *context, const struct frt_slot_owner *o);
	/* Records were lost before this moment: to be called before those that come later. */
	void (*lost)(void *context);
	void *context;
	/* Ids of the stacks of a long wait. NULL: they stay 0. */
	void (*take_stacks)(void *stacks, const struct frt_long_wait *w, uint32_t *stack, uint32_t *kernel_stack);
	void *stacks;
};

#endif
