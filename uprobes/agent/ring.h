/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slot's ring: the stream of records that its thread writes, the drain site where the kernel copies half a ring,
 * and the memory of rings.
 */
#ifndef AGENT_RING_H
#define AGENT_RING_H

#include "uprobes/agent/control.h"

/* Number of tracers that listen on frtrace:drain; maintained by the kernel. */
extern volatile unsigned short frtrace_drain_semaphore;

extern uint64_t ring_grow_ticks; /* TSC ticks: a ring that fills faster is doubled */

static inline uint64_t ring_size(const struct frt_slot *s)
{
	return 1ULL << (s->ring & 0xff);
}

static inline char *ring_at(const struct frt_slot *s)
{
	return (char *)control + (s->ring >> 8);
}

/* Give the slot its first ring. Returns false if the cap is reached. */
bool ring_first(struct frt_slot *s, uint64_t now);

/* Double the ring, if memory permits, and copy its records. */
void ring_grow(struct frt_slot *s);

/*
 * A drain may wait up to `ticks` (TSC) for room in the queue of this recording; 0: it does not wait. Only threads of the
 * program's own do, and none while the collector has not moved since another one has waited for that long.
 */
void ring_wait(uint32_t recording, uint64_t ticks);

/* Half of the ring is new: pass the drain site, and grow the ring if it fills too fast. */
void ring_drain(struct frt_slot *s, uint64_t now);

/*
 * Append a record of FRT_RECORD_SIZE bytes to the slot's stream. The slot must have a ring. True: half of the ring is
 * new, and must be drained.
 */
static inline bool ring_put(struct frt_slot *s, const uint64_t record[4])
{
	uint64_t head = s->head, size = ring_size(s);
	uint64_t *to = (uint64_t *)(ring_at(s) + (head & (size - 1)));

	store_relaxed(&to[0], record[0]);
	store_relaxed(&to[1], record[1]);
	store_relaxed(&to[2], record[2]);
	store_relaxed(&to[3], record[3]);
	head += FRT_RECORD_SIZE;
	/* Pairs with sweep_slot(): whoever sees the head sees the record, and whoever sees a word of the next one this head. */
	store_release(&s->head, head);
	order_stores();
	return unlikely(!(head & (size / 2 - 1)));
}

/* The same, and drain. */
static inline void ring_append(struct frt_slot *s, const uint64_t record[4], uint64_t now)
{
	if (ring_put(s, record))
		ring_drain(s, now);
}

#endif
