/* SPDX-License-Identifier: BSD-2-Clause */
/* How often and how long: counters of each timed method in the control segment. */
#ifndef AGENT_TIMING_H
#define AGENT_TIMING_H

#include "uprobes/agent/control.h"

/* Before a recording, when no hook counts: everything is 0 again, and no method has a rule. The slots' cells are cleared one by one, see below. */
void timing_begin(const struct frt_config *config);

/* A slot is used for the first time in a recording. */
void timing_slot_begin(struct frt_slot *s);

/* A call of a timed method by the slot's thread has ended. */
void timing_add(struct frt_slot *s, uint32_t method, uint64_t duration, bool thrown);

/* Where the method's cell is looked for first, in the table that the word of a slot names. */
static inline struct frt_cell *timing_place(uint64_t word, uint32_t method)
{
	return (struct frt_cell *)control_at(word >> 8) + (method * FRT_CELL_HASH >> (-word & 63));
}

/* The same for nearly every call that was not thrown. False: it has to be timing_add(). */
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
