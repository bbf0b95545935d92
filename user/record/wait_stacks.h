/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks of long waits. What the kernel copied is the top of a thread's stack; it is walked here as soon as it comes, since
 * what is on it may be gone later. A stack that goes on above the copy is cut there, and marked so.
 */
#ifndef USER_RECORD_WAIT_STACKS_H
#define USER_RECORD_WAIT_STACKS_H

#include "bpf/queue.h"
#include "user/record/frames.h"
#include "user/hotspot/mem.h"
#include "user/capture/kernel_sink.h"

struct wait_stacks;

struct wait_stacks_setup {
	struct frames_setup frames;	 /* its resolver NULL: kernel stacks alone */
	const struct frt_layout *layout; /* of the JVM, and its memory; not used without a resolver */
	const struct mem *memory;
};

/* All are borrowed. 0 or -errno; then *out is NULL. */
int wait_stacks_new(struct wait_stacks **out, const struct wait_stacks_setup *setup, struct diag *d);
void wait_stacks_free(struct wait_stacks *s);

/* Ids of the two stacks, 0 none, as when the budget is used up. Equal stacks have equal ids, while they are remembered. */
void wait_stacks_take(struct wait_stacks *s, const struct frt_long_wait *w, uint32_t *stack, uint32_t *kernel_stack);

/* Waits so far whose stacks wait_stacks_take() dropped because the budget was used up. */
uint64_t wait_stacks_behind(const struct wait_stacks *s);

/* Have `sink` take its stacks here; s may be NULL: it takes none. */
void wait_stacks_attach(struct wait_stacks *s, struct kernel_sink *sink);

/* The key in the open chunk; and a chunk has been begun. */
uint64_t wait_stacks_key(struct wait_stacks *s, uint32_t id);
void wait_stacks_next_chunk(struct wait_stacks *s);

/* See frames_forget_resolved(). */
void wait_stacks_forget_resolved(struct wait_stacks *s);

#endif
