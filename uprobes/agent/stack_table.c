// SPDX-License-Identifier: BSD-2-Clause
/*
 * One atomic exchange reserves an id together with its frames. The collector reads stacks in the order of their
 * ids; what it has read may be overwritten.
 *
 * The index consists of sets of eight words {lower half of the hash, id}, one cache line per set. A word is only a
 * hint: the stack's row has the whole hash. An id that is more than FRT_STACK_LIVE behind the newest counts as
 * unknown, so nothing needs to be removed.
 */
#include "uprobes/agent/stack_table.h"

#define SETS_LOG2 13
#define WAYS	  8u

static uint64_t known[1u << SETS_LOG2][WAYS] __attribute__((aligned(64)));

static struct frt_stack *table_row_of(uint32_t id)
{
	return (struct frt_stack *)control_at(FRT_STACKS_AT) + id % FRT_STACKS;
}

static bool is_live(uint32_t id)
{
	return id && (uint32_t)(load_relaxed(&control->stack_next) >> 32) - id <= FRT_STACK_LIVE;
}

uint32_t stack_table_frames = FRT_STACK_FRAMES;

static uint32_t readers; /* recordings, as a set of bits */

void stack_table_begin(uint32_t frames)
{
	bool usable = frames && frames <= FRT_STACK_FRAMES && !(frames & (frames - 1));

	stack_table_frames = usable ? frames : FRT_STACK_FRAMES;
	store_release(&control->stack_frames, stack_table_frames);
	store_relaxed(&readers, 0);
}

void stack_table_join(uint32_t recording)
{
	memset(known, 0, sizeof(known)); /* only hints, which a delayed thread may still be reading */
	set_bits(&readers, 1u << recording);
}

void stack_table_leave(uint32_t recording)
{
	clear_bits(&readers, 1u << recording);
}

uint32_t stack_table_find(uint64_t hash)
{
	const uint64_t *set = known[hash >> (64 - SETS_LOG2)];

	for (uint32_t i = 0; i < WAYS; i++) {
		uint64_t word = load_relaxed(&set[i]);
		uint32_t id = word;

		if (word >> 32 != (uint32_t)hash || !is_live(id))
			continue;
		if (load_acquire(&table_row_of(id)->id) == id && table_row_of(id)->hash == hash)
			return id;
	}
	return 0;
}

/* Replace a dead entry, else the oldest one. */
static void table_index_add(uint64_t hash, uint32_t id)
{
	uint64_t *set = known[hash >> (64 - SETS_LOG2)], *to = set;

	for (uint32_t i = 0; i < WAYS; i++) {
		uint32_t other = load_relaxed(&set[i]);

		if (!is_live(other)) {
			to = &set[i];
			break;
		}
		if (id - other > id - (uint32_t)load_relaxed(to))
			to = &set[i];
	}
	store_relaxed(to, hash << 32 | id);
}

static bool has_room_for(uint32_t reader, uint64_t next, uint32_t count)
{
	uint64_t done = load_acquire(&control->recording[reader].stack_done);

	return (uint32_t)(next >> 32) - (uint32_t)(done >> 32) < FRT_STACKS - 2 &&
	       (uint32_t)next - (uint32_t)done + count <= stack_table_frames;
}

/* The reader that is farthest decides; see frt_header.stack_next. */
static bool has_room(uint64_t next, uint32_t count)
{
	uint32_t set = load_relaxed(&readers);

	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (set >> r & 1 && has_room_for(r, next, count))
			return true;
	return false;
}

uint32_t stack_table_reserve(uint32_t count, uint32_t *first)
{
	uint64_t next = load_acquire(&control->stack_next), after;
	uint32_t id;
	bool room;

	/* A collector that has read past an old `next` seems far behind it: only the present one says that it is. */
	do {
		room = has_room(next, count);
		id = next >> 32;
		after = room ? (uint64_t)FRT_STACK_AFTER(id) << 32 | (uint32_t)(next + count) : next;
	} while (!__atomic_compare_exchange_n(&control->stack_next, &next, after, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	if (!room) {
		add_relaxed(&control->stacks_lost, 1);
		return FRT_STACK_LOST;
	}
	store_release(&table_row_of(id)->id, 0); /* invalid while the row and its frames are being replaced */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*first = next;
	return id;
}

void stack_table_publish(uint32_t id, const struct frt_stack *stack)
{
	struct frt_stack *row = table_row_of(id);

	row->hash = stack->hash;
	row->first = stack->first;
	row->count = stack->count;
	row->end = stack->end;
	row->flags = stack->flags;
	store_release(&row->id, id);
	if (stack->hash)
		table_index_add(stack->hash, id);
}
