// SPDX-License-Identifier: BSD-2-Clause
/*
 * An id and the position of the first frame are allocated together, so both rise in the same order, modulo 2^32.
 * Frames are overwritten by those allocated one table length later: header.stack_next shows whether that has
 * happened, also after a copy.
 */
#include "user/stacks/agent_stacks.h"

#include <string.h>

static uint64_t stacks_next_of(const struct stacks *s)
{
	return __atomic_load_n(&segment_header(s->segment)->stack_next, __ATOMIC_ACQUIRE);
}

static void store_done(const struct stacks *s)
{
	__atomic_store_n(&segment_recording(s->segment)->stack_done, (uint64_t)s->id << 32 | s->frame,
			 __ATOMIC_RELEASE);
}

void stacks_begin(struct stacks *s, const struct segment *segment)
{
	uint64_t next;

	s->segment = segment;
	s->given_up = 0;
	next = stacks_next_of(s);
	s->id = next >> 32;
	s->frame = next;
	store_done(s);
}

static const struct frt_stack *stacks_row_of(const struct stacks *s, uint32_t id)
{
	return (const struct frt_stack *)(s->segment->base + FRT_STACKS_AT) + id % FRT_STACKS;
}

/* These ids have a special meaning in a span and are never a row's. */
static bool is_no_id(uint32_t id)
{
	return !id || id >= FRT_STACK_UNTAKEN;
}

static bool is_complete(const struct stacks *s, uint32_t id)
{
	return !is_no_id(id) && __atomic_load_n(&stacks_row_of(s, id)->id, __ATOMIC_ACQUIRE) == id;
}

/* Size of the target's table of frames, if the value is plausible; else the maximum. */
static uint32_t frames_of(const struct stacks *s)
{
	uint32_t frames = __atomic_load_n(&segment_header(s->segment)->stack_frames, __ATOMIC_ACQUIRE);

	return frames && frames <= FRT_STACK_FRAMES && !(frames & (frames - 1)) ? frames : FRT_STACK_FRAMES;
}

static void copy_frames(struct stacks *s, uint32_t first)
{
	const struct frt_frame *table = (const struct frt_frame *)(s->segment->base + FRT_FRAMES_AT);
	uint32_t frames = frames_of(s), at = first % frames, before_end = frames - at;

	if (before_end > s->copy.count)
		before_end = s->copy.count;
	memcpy(s->copy.frame, table + at, before_end * sizeof(*table));
	memcpy(s->copy.frame + before_end, table, (s->copy.count - before_end) * sizeof(*table));
}

/* Copy a row of at most `limit` frames. *end is the position behind its last frame. */
static bool copy_row(struct stacks *s, uint32_t id, uint32_t limit, uint32_t *end)
{
	struct frt_stack row;

	if (!is_complete(s, id))
		return false;
	memcpy(&row, stacks_row_of(s, id), sizeof(row));
	if (row.count > limit || row.count > STACK_MOST || row.count > frames_of(s))
		return false;
	s->copy.id = id;
	s->copy.count = row.count;
	s->copy.end = row.end < FRT_WALK_ENDS ? row.end : FRT_WALK_ENDS;
	s->copy.flags = row.flags;
	copy_frames(s, row.first);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	*end = row.first + row.count;
	return is_complete(s, id) && (uint32_t)stacks_next_of(s) - row.first <= frames_of(s);
}

const struct stack *stacks_find(struct stacks *s, uint32_t id)
{
	uint32_t end;

	return copy_row(s, id, STACK_MOST, &end) ? &s->copy : NULL;
}

/* A head further away than the number of rows is forged, or the collector was suspended for long. */
static void bound_gap(struct stacks *s, uint32_t next)
{
	uint32_t gap = next - s->id;

	if (gap <= FRT_STACKS)
		return;
	s->given_up += gap - FRT_STACKS;
	s->id = next - FRT_STACKS;
}

bool stacks_read(struct stacks *s, bool all, void (*visit)(void *context, const struct stack *stack), void *context)
{
	uint64_t next = stacks_next_of(s);
	uint32_t end, capacity = frames_of(s); /* unread frames cannot exceed the table */
	bool good;

	bound_gap(s, next >> 32);
	while (s->id != (uint32_t)(next >> 32)) {
		if (budget_over(s->budget))
			return false;
		if (!is_complete(s, s->id) && !is_no_id(s->id) && !all)
			return true;
		good = copy_row(s, s->id, capacity, &end);
		s->given_up += !good && !is_no_id(s->id);
		s->id++;
		if (good)
			s->frame = end;
		if (s->id == (uint32_t)(next >> 32))
			s->frame = next; /* also when the last row was malformed */
		store_done(s);
		if (!good)
			continue;
		capacity -= s->copy.count;
		visit(context, &s->copy);
	}
	return true;
}
