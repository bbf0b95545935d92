/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of the stacks that the agent has interned (bpf/stacks.h), in the order of their ids. The agent reuses rows
 * and frames only after they have been read; header.stack_done reports how far that is. The target may have forged
 * its tables: counts and positions are bounded, and a row that changes while it is copied is rejected.
 */
#ifndef USER_STACKS_AGENT_STACKS_H
#define USER_STACKS_AGENT_STACKS_H

#include "user/text/budget.h"
#include "user/segment/segment.h"

#define STACK_MOST (FRT_MAX_DEPTH + 1) /* frames: one more, for the traced method itself */

/* A copy of a row and its frames, innermost first. */
struct stack {
	uint32_t id;
	uint32_t count;
	enum frt_walk_end end; /* FRT_WALK_ENDS: unknown reason */
	uint32_t flags;	       /* FRT_STACK_* */
	struct frt_frame frame[STACK_MOST];
};

struct stacks {
	const struct segment *segment;
	const struct budget *budget; /* of stacks_read(); NULL: unlimited */
	uint32_t id, frame;	     /* everything before these has been read */
	uint64_t given_up;	     /* rows that were reserved but never written, or are malformed */
	struct stack copy;
};

/* Begin behind the segment's present stacks, which belong to an earlier recording. Before the agent is started. */
void stacks_begin(struct stacks *s, const struct segment *segment);

/*
 * Visit all complete rows up to the first that is being written, and tell the agent that their space is free. `all`:
 * the agent has stopped writing, so skip incomplete rows. False: the budget is used up, and there may be more rows.
 */
bool stacks_read(struct stacks *s, bool all, void (*visit)(void *context, const struct stack *stack), void *context);

/*
 * Find a stack by id, whether it has been read or not. Valid until the next call. NULL: it is not (or no longer) in
 * the table.
 */
const struct stack *stacks_find(struct stacks *s, uint32_t id);

#endif
