/* SPDX-License-Identifier: BSD-2-Clause */
/* The interned stacks in the control segment, and the index by which they are found again. No locks. */
#ifndef AGENT_STACK_TABLE_H
#define AGENT_STACK_TABLE_H

#include "uprobes/agent/control.h"

extern uint32_t stack_table_frames; /* that find room: our own copy of header.stack_frames */

/*
 * Before a recording: whoever reads stacks from here on has read none of those
 * before. `frames` find room; what is no power of two counts as FRT_STACK_FRAMES.
 */
void stack_table_begin(uint32_t frames);

/* The id of the stack with this hash, or 0: not known, or too long ago. */
uint32_t stack_table_find(uint64_t hash);

/*
 * Room for a stack of `count` frames; its id, or FRT_STACK_LOST: the collector is
 * behind. *first is what stack_table_frame() begins at.
 */
uint32_t stack_table_reserve(uint32_t count, uint32_t *first);

static inline struct frt_frame *stack_table_frame(uint32_t first, uint32_t i)
{
	return (struct frt_frame *)control_at(FRT_FRAMES_AT) + ((first + i) & (stack_table_frames - 1));
}

/* The frames are written: publish the stack. Every id that was reserved is published. One with a hash of 0 is not found again. */
void stack_table_publish(uint32_t id, const struct frt_stack *stack);

#endif
