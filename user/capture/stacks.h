/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks that the agent has interned (bpf/frtrace.h), read in the order of
 * their ids. Rows and frames are used again, the agent waits with that until
 * they have been read: header.stack_done says how far. What the target wrote may
 * be forged: counts and places are bounded, a row that changes while it is copied is none.
 */
#ifndef USER_CAPTURE_STACKS_H
#define USER_CAPTURE_STACKS_H

#include "user/capture/budget.h"
#include "user/capture/segment.h"

#define STACK_MOST (FRT_MAX_DEPTH + 1) /* frames: the traced method's may be one more */

/* A copy of a row and of its frames, innermost first. */
struct stack {
	uint32_t id;
	uint32_t count;
	enum frt_walk_end end; /* FRT_WALK_ENDS: one that is not known */
	uint32_t flags;	       /* FRT_STACK_* */
	struct frt_frame frame[STACK_MOST];
};

struct stacks {
	const struct segment *segment;
	const struct budget *budget; /* of stacks_read(); NULL: without end */
	uint32_t id, frame;	     /* all before these have been read */
	uint64_t given_up;	     /* rows that were reserved and never written, or make no sense */
	struct stack copy;
};

/* What lies in the segment belongs to an earlier recording: begin behind it. Before the agent is told to start. */
void stacks_begin(struct stacks *s, const struct segment *segment);

/*
 * Hand out all complete rows up to the first that is being written, and tell
 * the agent that their room is free. `all`: nobody writes any more, pass over
 * those that are incomplete. False: the budget is used up, there may be more.
 */
bool stacks_read(struct stacks *s, bool all, void (*visit)(void *context, const struct stack *stack), void *context);

/* The stack of that id as it lies there, read already or not; valid until the next call. NULL: it is not there (any more). */
const struct stack *stacks_find(struct stacks *s, uint32_t id);

#endif
