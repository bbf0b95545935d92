/* SPDX-License-Identifier: BSD-2-Clause */
/* The number and duration of calls: counters of each timed method, in the control segment. */
#ifndef AGENT_TIMING_H
#define AGENT_TIMING_H

#include "uprobes/agent/control.h"

/*
 * Before an epoch, when no hook counts: clear all counters, and the rules of the recording that begins it. The cells of
 * a slot are cleared by timing_slot_begin().
 */
void timing_begin(uint32_t recording, const struct frt_config *config);

/* The same for one recording while others run. Its cells in a slot are cleared by timing_slot_forget(). */
void timing_join(uint32_t recording, const struct frt_config *config);

/* An epoch uses a slot for the first time. */
void timing_slot_begin(struct frt_slot *s);

/* The slot's thread meets a recording whose row another one had before. */
void timing_slot_forget(struct frt_slot *s, uint32_t recording);

/* A call of a timed method (FRT_TIMED_METHOD) by the slot's thread has ended. */
void timing_add(struct frt_slot *s, uint32_t method, uint64_t duration, bool thrown);

/* The slot's cell of this method, a new one if need be. NULL: no memory. A later call may move it. */
struct frt_cell *timing_cell(struct frt_slot *s, uint32_t method);

/* How the calls of a cell are nested, and the shared sum of a method. */
struct frt_nested *timing_nested(const struct frt_slot *s, const struct frt_cell *c);
struct frt_sum *timing_shared(uint32_t method);

/*
 * A part of the cells' memory that has twice the room of `old`, which is given back, or that of the smallest table if `old`
 * is 0; with the first `size` bytes of the old one. Returns its offset << 8 | n, where the room is FRT_CELL_ROOM << n bytes,
 * or 0, and nothing is done.
 */
uint64_t timing_room(uint64_t old, uint64_t size);

/* The first place of the search for the method's cell, in the table that a slot's word names. */
static inline struct frt_cell *timing_place(uint64_t word, uint32_t method)
{
	return (struct frt_cell *)control_at(word >> 8) + (method * FRT_CELL_HASH >> (-word & 63));
}

/*
 * The fast path of timing_add(), for nearly every call that did not throw. Returns false if timing_add() has to be
 * called.
 */
static inline bool timing_wait(const struct frt_slot *s, uint32_t method, uint64_t duration)
{
	uint64_t word = s->cells, count;
	struct frt_cell *c;

	if (unlikely(!word))
		return false;
	c = timing_place(word, method);
	count = c->count;
	if (unlikely(c->method != method || duration - c->known_from >= c->known ||
		     count % FRT_RECENT == FRT_RECENT - 1))
		return false;
	c->recent[count % FRT_RECENT] = duration;
	store_release(&c->count, count + 1);
	return true;
}

/* timing_add(), and its fast path. */
static inline void timing_count(struct frt_slot *s, uint32_t method, uint64_t duration, bool thrown)
{
	if (thrown || unlikely(!timing_wait(s, method, duration)))
		timing_add(s, method, duration, thrown);
}

#endif
