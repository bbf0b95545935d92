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

#endif
