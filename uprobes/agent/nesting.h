/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the timed calls of a platform thread are nested: struct frt_nested, for a recording that runs alone. Elsewhere it
 * is unknown, and the cells say so.
 */
#ifndef AGENT_NESTING_H
#define AGENT_NESTING_H

#include "uprobes/agent/timing.h"

/* An open call that the slot keeps. */
struct nesting_level {
	uint64_t start;
	uint64_t done;	  /* nesting.done when it began */
	uint64_t methods; /* a bit for its method, and for those of the calls around it: nesting_bit() */
};

/*
 * Of each slot. `done` is the own time of all timed calls that have ended, so while a call runs, it grows by the time of
 * the calls that this one makes. kept[i] is about open[i] of the slot, if it has the same start. What it says is found when
 * a call within that one ends, so that nothing is to be done when a call begins, unless all places are taken.
 */
struct nesting {
	uint64_t done;
	uint64_t missed; /* TSC: a call ended then that is not in `done`; 0: none */
	uint64_t deep;	 /* place of the levels behind the kept ones, as frt_slot.cells; 0: none */
	uint32_t deep_count, reserved;
	struct nesting_level kept[FRT_OPEN_CALLS];
	uint64_t padding[5];
	uint64_t stamp; /* the last one of the slot's thread, for slot_stamp() */
};
_Static_assert(sizeof(struct nesting) == sizeof(struct frt_slot), "the same distance as in the segment");

#define NESTING_STAMP_SKEW (1u << 16) /* ticks */

extern struct nesting nestings[FRT_MAX_SLOTS];

static inline struct nesting *nesting_of(const struct frt_slot *s)
{
	return &nestings[s - control_slot(0)];
}

/*
 * A stamp of the running thread, above all its others, also without the lowest bit of either. The counter alone promises
 * less: on a virtual machine, two reads were 1 tick apart. One far below the last stamp was set back, and is taken as it
 * is. The slot may be NULL if the thread has none.
 */
static inline uint64_t slot_stamp(const struct frt_slot *s)
{
	uint64_t now = sys_tsc(), *last;

	if (!s)
		return now;
	last = &nesting_of(s)->stamp;
	if ((*last | 1) - now < NESTING_STAMP_SKEW)
		now = (*last | 1) + 1;
	return *last = now;
}

static inline uint64_t nesting_bit(uint32_t method)
{
	return 1ULL << (method & 63);
}

/* A call that is not kept among the slot's open calls begins: `depth` calls are around it. Returns `start`. */
uint64_t nesting_enter_deep(struct frt_slot *s, uint32_t depth, uint32_t method, uint64_t start);

/* A timed call has ended, and is no longer among the open calls. */
void nesting_leave(struct frt_slot *s, uint64_t start, uint32_t method, uint64_t duration);

/* Nothing is known of a call of the method (FRT_TIMED_METHOD), now or before. */
void nesting_miss(struct frt_slot *s, uint32_t method);

/* The parts of nesting_leave() that few calls need: see there. */
void nesting_settle(const struct frt_slot *s, struct nesting *n, uint32_t depth, uint64_t done);
void nesting_add(struct frt_slot *s, struct nesting *n, uint64_t start, uint32_t method, uint64_t duration,
		 uint64_t children);

/*
 * nesting_leave() of the call that was the innermost of those that the slot keeps. Most calls have no timed call in them,
 * and are in none of their own method.
 */
static inline void nesting_leave_innermost(struct frt_slot *s, uint64_t start, uint32_t method, uint64_t duration)
{
	struct nesting *n = nesting_of(s);
	uint32_t depth = s->depth;
	struct nesting_level *l = &n->kept[depth];
	bool known = l->start == start, repeated = false;
	uint64_t now_done = n->done, done = known ? l->done : now_done;

	if (depth) {
		if (unlikely(l[-1].start != s->open[depth - 1].start))
			nesting_settle(s, n, depth, done);
		repeated = l[-1].methods & nesting_bit(method);
	}
	n->done = done + duration;
	if (known || unlikely(repeated))
		nesting_add(s, n, start, method, duration, now_done - done);
}

/* A timed call has ended: count it. `innermost`: it is known to have been the innermost of the calls that the slot keeps. */
static inline __attribute__((always_inline)) void nesting_count(struct frt_slot *s, uint64_t start, uint32_t method,
								uint64_t duration, bool thrown, bool innermost)
{
	if (innermost)
		nesting_leave_innermost(s, start, method, duration);
	else
		nesting_leave(s, start, method, duration);
	timing_count(s, method, duration, thrown);
}

/* nesting_miss(), and its short way. */
static inline void nesting_count_missed(struct frt_slot *s, uint32_t method)
{
	const struct frt_cell *c = s->cells ? timing_place(s->cells, method) : NULL;

	if (unlikely(!c || c->method != method || c->unknown != FRT_UNKNOWN_NESTED))
		nesting_miss(s, method);
}

#endif
