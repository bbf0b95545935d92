/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which recordings a call belongs to, and what each of them counts.
 *
 * The recording that begins an epoch runs alone, in row 0, and its calls take the short way through hook.c: one rule,
 * counters in the slot. When a second one joins, control_since becomes UINT64_MAX, so that all calls leave the short
 * way, and each recording counts in shares (struct frt_share). That lasts until the epoch ends: a frame of a method
 * that only one of them wanted may live as long as the thread.
 */
#ifndef AGENT_RECORDINGS_H
#define AGENT_RECORDINGS_H

#include "uprobes/agent/control.h"

/* TSC, for each recording: calls that began earlier do not belong to it. UINT64_MAX: it does not run. */
extern uint64_t recordings_since[FRT_RECORDINGS];

extern uint64_t recordings_epoch; /* TSC: calls that began earlier belong to no recording of this epoch */
extern bool recordings_shared;	  /* the epoch has had a second recording, and one runs; set before control_since */

/* The recordings that the call belongs to, as a set of bits. */
static inline uint32_t recordings_of(uint64_t start, uint32_t method)
{
	uint32_t set = 0;

	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (start >= load_relaxed(&recordings_since[r]) &&
		    load_relaxed(control_rule(r, method)) != FRT_RULE_UNTRACED)
			set |= 1u << r;
	return set;
}

/* The recordings that run, as a set of bits. */
uint32_t recordings_running(void);

/* What a recording counts in this slot. */
static inline struct frt_share *recordings_share(const struct frt_slot *s, uint32_t recording)
{
	return (struct frt_share *)control_at(FRT_SHARES_AT) + (s - control_slot(0)) * FRT_RECORDINGS + recording;
}

/* Prepare the slot's shares for recordings that have joined since its thread was last in a hook. */
void recordings_update_shares(struct frt_slot *s);

/* A call that belongs to these recordings begins as open call number `depth`, or the innermost one beyond those kept ends. */
void recordings_push(struct frt_slot *s, uint32_t depth, uint32_t set);
void recordings_pop_deep(struct frt_slot *s, uint32_t set);

/*
 * The slot's open calls from number `first` on have lost their exit. Those of a carrier have not: their virtual threads
 * may end them elsewhere.
 */
void recordings_lose(struct frt_slot *s, uint32_t first);

/* A call of a thread without a slot has ended. */
void recordings_miss(uint32_t set);

#endif
