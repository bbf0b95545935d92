/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks of long waits. The kernel copies the top of a thread's stack, which is walked here as soon as it
 * arrives, because what it refers to may be gone later. A stack that extends beyond the copy is cut there, and marked
 * as truncated.
 */
#ifndef USER_RECORD_WAIT_STACKS_H
#define USER_RECORD_WAIT_STACKS_H

#include "bpf/queue.h"
#include "user/stacks/frames.h"
#include "user/hotspot/mem.h"
#include "user/capture/kernel_sink.h"

struct wait_stacks;

struct wait_stacks_setup {
	struct frames_setup frames;	 /* .resolver NULL: kernel stacks only */
	const struct frt_layout *layout; /* of the JVM, and its memory; unused without a resolver */
	const struct mem *memory;
	bool no_kernel; /* the kernel hides the names of its functions: its stacks are left out */
};

/* The pointers in *setup are borrowed. Returns 0, or -errno with *out set to NULL. */
int wait_stacks_new(struct wait_stacks **out, const struct wait_stacks_setup *setup, struct diag *d);
void wait_stacks_free(struct wait_stacks *s);

/*
 * Get ids of the stacks; 0: none, also when the budget is used up. Equal stacks have equal ids while they are cached.
 * `native` may be NULL.
 */
void wait_stacks_take(struct wait_stacks *s, const struct frt_long_wait *w, const struct frt_native *native,
		      struct wait_stack_ids *ids);

/*
 * Take the stacks of the thread that ends a wait, with the copy behind *w. wait_stacks_take() finds them when that wait
 * arrives, if not some thousand others have come between.
 */
void wait_stacks_take_waker(struct wait_stacks *s, const struct frt_waker *w);

/*
 * The same for the stack of a native call, frames from its method outwards, which are changed. It is complete up to the
 * reason `end`.
 */
uint32_t wait_stacks_take_call(struct wait_stacks *s, struct frt_frame *frames, uint32_t count, enum frt_walk_end end);

/*
 * Read and walk the present stack of a thread in native code, by its JavaThread. 0: none, also when the budget is used up, or
 * the thread has called Java or returned to it meanwhile. *call: the id of the same stack as wait_stacks_take_call() has it.
 */
uint32_t wait_stacks_take_open(struct wait_stacks *s, uint64_t java_thread, uint32_t *call);

/* Number of waits whose stacks were dropped because the budget was used up. */
uint64_t wait_stacks_behind(const struct wait_stacks *s);

/*
 * Add the calls whose stack was forgotten to *sum. Stacks of waits are copied while the thread may still run: that some are
 * cut says nothing about a recording.
 */
void wait_stacks_count(const struct wait_stacks *s, struct frames_counts *sum);

/* Have `sink` take its stacks here. s may be NULL: it then takes none. */
void wait_stacks_attach(struct wait_stacks *s, struct kernel_sink *sink);

/* The key of a call's stack, without the call's own method; its caller, see frames_caller(). */
uint64_t wait_stacks_call_key(struct wait_stacks *s, uint32_t id, uint32_t method);
bool wait_stacks_caller(const struct wait_stacks *s, uint32_t id, uint32_t method, struct frames_caller *out);

/* The key of a stack in the open chunk. Call wait_stacks_next_chunk() after a chunk has begun. */
uint64_t wait_stacks_key(struct wait_stacks *s, uint32_t id);
void wait_stacks_next_chunk(struct wait_stacks *s);

/* See frames_forget_resolved(). */
void wait_stacks_forget_resolved(struct wait_stacks *s);

#endif
