/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of long waits, of native calls, and of calls that HotSpot's probes have seen. The kernel copies the top of a
 * thread's stack, which is walked here as soon as it arrives, because what it refers to may be gone later. A stack that
 * extends beyond the copy is cut there, and marked as truncated. Their ids are those of FRAMES_OURS (frames.h). Equal stacks
 * have equal ids while they are cached.
 */
#ifndef USER_STACKS_COPIED_STACKS_H
#define USER_STACKS_COPIED_STACKS_H

#include "bpf/queue.h"
#include "user/hotspot/mem.h"
#include "user/stacks/frames.h"

struct copied_stacks;

struct copied_stacks_setup {
	struct frames *frames;		      /* takes the stacks */
	const struct frt_layout *layout;      /* of the JVM */
	const struct hotspot_layout *hotspot; /* the whole; NULL: no samples are taken */
	const struct mem *memory;	      /* of the JVM; NULL: kernel stacks only */
	struct native_stacks *natives;	      /* NULL: the native parts of stacks are left out */
	struct budget *budget;		      /* as of the frames */
	bool no_kernel;			      /* the kernel hides the names of its functions: its stacks are left out */
};

/* The pointers in *setup are borrowed. Returns 0, or -errno with *out set to NULL. */
int copied_stacks_new(struct copied_stacks **out, const struct copied_stacks_setup *setup, struct diag *d);
void copied_stacks_free(struct copied_stacks *s);

/* What is known of where a thread waited, and of the one that ended it. An id of 0: none. */
struct wait_stack_ids {
	uint32_t java, native, kernel;
	uint32_t waker_java, waker_kernel; /* of the thread that ended the wait */
	uint64_t waker_virtual;		   /* its javaThreadId if it is a virtual one; else 0 */
	uint64_t woken;			   /* when that thread ended the wait, in ns as the wait's times; 0: unknown */
	bool waker_exact;		   /* it is known whether a carrier woke for a virtual thread */
	bool in_code; /* the innermost Java frame is no native method's: the program has not asked for a time limit */
	bool agents;  /* `java` is one of FRAMES_AGENTS */
	uint8_t jvm;  /* enum frt_wait_reason: of a wait for a futex, if that is a lock of the JVM's; 0: unknown */
};

/* Get ids of the stacks; 0: none, also when the budget is used up. `native` may be NULL. */
void copied_stacks_take_wait(struct copied_stacks *s, const struct frt_long_wait *w, const struct frt_native *native,
			     struct wait_stack_ids *ids);

/*
 * Take the stacks of the thread that ends a wait, with the copy behind *w, against which its sizes have been checked.
 * copied_stacks_take_wait() finds them when that wait arrives, if not some thousand others have come between.
 */
void copied_stacks_take_waker(struct copied_stacks *s, const struct frt_waker *w);

/*
 * The id of the stack of a thread that was interrupted anywhere, with the copy behind *s, whose sizes have been checked. 0:
 * unknown, also when the budget is used up.
 */
uint32_t copied_stacks_take_sample(struct copied_stacks *s, const struct frt_waker *sample);

/*
 * The same for the stack of a native call, frames from its method outwards, which are changed. It is complete up to the
 * reason `end`. 0: none, also when the budget is used up.
 */
uint32_t copied_stacks_take_call(struct copied_stacks *s, struct frt_frame *frames, uint32_t count,
				 enum frt_walk_end end);

/* Is the innermost frame of such a stack one of the agent's method? True also if that is unknown. */
bool copied_stacks_is_call_of(const struct copied_stacks *s, uint32_t id, uint32_t method);

/*
 * Read and walk the present stack of a thread in native code, by its JavaThread. 0: none, also when the budget is used up, or
 * the thread has called Java or returned to it meanwhile. *call: the id of the same stack as copied_stacks_take_call() has
 * it.
 */
uint32_t copied_stacks_take_open(struct copied_stacks *s, uint64_t java_thread, uint32_t *call);

/* Number of waits whose stacks were dropped because the budget was used up. */
uint64_t copied_stacks_behind(const struct copied_stacks *s);

#endif
