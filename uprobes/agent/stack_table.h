/* SPDX-License-Identifier: BSD-2-Clause */
/* The interned stacks in the control segment, with an index by hash. No locks. */
#ifndef AGENT_STACK_TABLE_H
#define AGENT_STACK_TABLE_H

#include "uprobes/agent/control.h"

extern uint32_t stack_table_frames; /* capacity in frames: a private copy of header.stack_frames */

/* Before an epoch. `frames` is the capacity; a value that is no power of two means FRT_STACK_FRAMES. */
void stack_table_begin(uint32_t frames);

/*
 * A collector begins or ceases to read: recording `recording`. What it has not read by then it does not know, so all
 * stacks get new ids.
 */
void stack_table_join(uint32_t recording);
void stack_table_leave(uint32_t recording);

/* The id of the stack with this hash. 0: unknown, or too old. */
uint32_t stack_table_find(uint64_t hash);

/*
 * Reserve a stack of `count` frames. Returns its id, or FRT_STACK_LOST if the collector has fallen behind. *first
 * is for stack_table_frame().
 */
uint32_t stack_table_reserve(uint32_t count, uint32_t *first);

static inline struct frt_frame *stack_table_frame(uint32_t first, uint32_t i)
{
	return (struct frt_frame *)control_at(FRT_FRAMES_AT) + ((first + i) & (stack_table_frames - 1));
}

/*
 * Publish a stack whose frames are written. Every reserved id must be published. A stack with hash 0 is never
 * found again.
 */
void stack_table_publish(uint32_t id, const struct frt_stack *stack);

#endif
