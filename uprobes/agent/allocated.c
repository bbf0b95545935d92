// SPDX-License-Identifier: BSD-2-Clause
/*
 * HotSpot counts what a thread allocates when its buffer (TLAB) is given back, and for objects outside of it at once. So
 * the count is Thread::_allocated_bytes and the used part of the present buffer, as in ThreadMXBean. Both change by the
 * thread itself, which is here, or by a collector that takes the buffers of all threads: it adds the used part to the
 * count, then clears the pointers. That may only meet a thread that was held up between its last poll and this place. So
 * the count is read twice, and again if it has changed meanwhile. Between its two steps a collector has counted the buffer
 * twice. So while one is at work, only a count without a buffer is taken; otherwise it is waited for, as the JVM would let
 * the thread wait next.
 */
#include "uprobes/agent/allocated.h"
#include "uprobes/agent/own_memory.h"
#include "uprobes/agent/timing.h"

#define FAR   4096
#define TRIES 20000

#define DEEP_PER_CELL (FRT_CELL_ROOM / sizeof(struct allocated_level))

bool allocated_wanted;
uint64_t allocated_collections;

struct frt_allocated allocated_places;
struct allocated_counting allocated_countings[FRT_MAX_SLOTS];
static struct allocated_row row_entries[FRT_VIRTUAL_CALLS];

static bool is_place(JNIEnv *env, int offset)
{
	uint64_t at = (uint64_t)env + offset;

	return offset > -FAR && offset < FAR && offset % 8 == 0 && own_memory_readable(at, at + 8);
}

void allocated_join(const struct frt_config *config, JNIEnv *env)
{
	const struct frt_allocated *a = &config->allocated;

	if (!(config->flags & FRT_CONFIG_ALLOCATED) || allocated_wanted)
		return;
	allocated_places = *a;
	if (is_place(env, allocated_places.count) && is_place(env, allocated_places.buffer) &&
	    is_place(env, allocated_places.used))
		store_release(&allocated_wanted, true);
}

void allocated_begin(const struct frt_config *config, JNIEnv *env)
{
	allocated_wanted = false;
	allocated_join(config, env);
}

void allocated_collection_begins(void)
{
	store_release(&allocated_collections, allocated_collections | 1);
	order_stores();
}

void allocated_collection_ends(void)
{
	store_release(&allocated_collections, (allocated_collections | 1) + 1);
}

uint64_t allocated_read_again(uint64_t env)
{
	uint64_t count;

	for (int i = 0; i < TRIES; i++)
		if (allocated_read(env, &count))
			return count;
	return ALLOCATED_UNKNOWN;
}

void allocated_slot_begin(const struct frt_slot *s)
{
	allocated_counting(s)->base = 0;
	allocated_counting(s)->left.start = 0;
}

/* The place of a level behind the kept ones; NULL: there is none yet. */
static struct allocated_level *deep_place(const struct allocated_counting *c, uint32_t depth)
{
	uint64_t room = c->deep ? DEEP_PER_CELL << (c->deep & 0xff) : 0;

	depth -= FRT_OPEN_CALLS;
	return depth < room ? (struct allocated_level *)control_at(c->deep >> 8) + depth : NULL;
}

void allocated_enter_deep(const struct frt_slot *s, uint32_t depth, struct allocated_level level)
{
	struct allocated_counting *c = allocated_counting(s);
	struct allocated_level *l = deep_place(c, depth);
	uint64_t room = l ? 0 : timing_room(c->deep, c->deep ? FRT_CELL_ROOM << (c->deep & 0xff) : 0);

	if (room) {
		c->deep = room;
		l = deep_place(c, depth);
	}
	if (l)
		*l = level;
}

void allocated_enter_row(const struct frt_slot *s, uint32_t row, uint64_t start)
{
	row_entries[row] = (struct allocated_row){start, allocated_now(s->env), allocated_counting(s)->base};
}

void allocated_leave_row(const struct frt_slot *s, uint32_t row, uint64_t start, uint32_t carrier)
{
	struct allocated_counting *c = allocated_counting(s);

	c->left = row_entries[row];
	c->carrier = carrier;
	if (c->left.start != start) /* the thread did not count yet when it began */
		c->left.start = 0;
}

void allocated_leave_none(const struct frt_slot *s)
{
	allocated_counting(s)->left.start = 0;
}

void allocated_mount(const struct frt_slot *s, uint64_t own)
{
	uint64_t now = allocated_now(s->env);
	bool known = now != ALLOCATED_UNKNOWN && own != ALLOCATED_UNKNOWN;

	allocated_counting(s)->base = known ? now - own : ALLOCATED_UNKNOWN;
}

uint64_t allocated_unmount(const struct frt_slot *s)
{
	struct allocated_counting *c = allocated_counting(s);
	uint64_t now = allocated_now(s->env), base = c->base;

	c->base = 0;
	return now == ALLOCATED_UNKNOWN || base == ALLOCATED_UNKNOWN ? ALLOCATED_UNKNOWN : now - base;
}

/* The call of a virtual thread has been followed, or that of the carrier itself is over where it began. */
static bool take_of_carrier(const struct frt_slot *s, uint64_t start, uint64_t flags, uint64_t now, uint64_t *bytes)
{
	const struct allocated_counting *c = allocated_counting(s);

	if (c->left.start != start || c->left.count == ALLOCATED_UNKNOWN)
		return false;
	if (!(flags & FRT_SPAN_VIRTUAL)) {
		*bytes = now - c->left.count;
		return c->carrier == s->thread;
	}
	*bytes = (now - c->base) - (c->left.count - c->left.base);
	return flags & FRT_SPAN_FOLLOWED && c->base != ALLOCATED_UNKNOWN && c->left.base != ALLOCATED_UNKNOWN;
}

bool allocated_take(const struct frt_slot *s, uint64_t start, uint64_t flags, uint64_t *bytes)
{
	uint64_t now = allocated_now(s->env);
	const struct allocated_counting *c = allocated_counting(s);
	const struct allocated_level *l;

	if (now == ALLOCATED_UNKNOWN)
		return false;
	if (s->flags & FRT_SLOT_CARRIER)
		return take_of_carrier(s, start, flags, now, bytes) && (int64_t)*bytes >= 0;
	l = s->depth < FRT_OPEN_CALLS ? &c->kept[s->depth] : deep_place(c, s->depth);
	if (!l || l->start != start || l->count == ALLOCATED_UNKNOWN)
		return false;
	*bytes = now - l->count;
	return (int64_t)*bytes >= 0;
}

void allocated_time(struct frt_slot *s, uint64_t start, uint32_t method)
{
	bool followed = s->flags & FRT_SLOT_CARRIER && s->carrier.followed;
	uint64_t flags = FRT_SPAN_VIRTUAL | (followed ? FRT_SPAN_FOLLOWED : 0), bytes = 0;
	bool known = allocated_take(s, start, flags, &bytes);
	struct frt_cell *c = s->cells ? timing_place(s->cells, method) : NULL;

	if (unlikely(!c || c->method != method))
		c = timing_cell(s, method);
	if (c)
		timing_nested(s, c)->allocated += bytes * known;
	else
		add_relaxed(&timing_shared(method)->nested.allocated, bytes * known);
	if (!known)
		set_bits(c ? &c->unknown : &timing_shared(method)->unknown, FRT_UNKNOWN_ALLOCATED);
}
