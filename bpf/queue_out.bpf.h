/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The way into the queue. */
#ifndef BPF_QUEUE_OUT_H
#define BPF_QUEUE_OUT_H

#include "bpf/maps.bpf.h"

/* Room for a record of `size` bytes, a constant, which is submitted or discarded. NULL: the queue is full. */
static __always_inline void *queue_reserve(const __u32 size)
{
	return bpf_ringbuf_reserve(&queue, size, 0);
}

#define WAKE_WINDOW (128u << 10) /* bytes: some records, in case that several CPUs pass the level at the same time */

/* When a record wakes the collector. */
enum wake { WAKE_NEVER, WAKE_BY_LEVEL, WAKE_NOW };

/*
 * The collector is woken when the contents pass a multiple of the wake-up level. A wake-up is an interrupt: at each
 * record above the level it would make a call dearer the fuller the queue is. A busy collector polls anyway.
 */
static __always_inline bool passes_level(void)
{
	__u64 used = bpf_ringbuf_query(&queue, BPF_RB_AVAIL_DATA);

	return used >= wake_level && (used & (wake_level - 1)) < WAKE_WINDOW;
}

static __always_inline void queue_submit(void *record, enum wake wake)
{
	bool wakes = wake == WAKE_NOW || (wake == WAKE_BY_LEVEL && passes_level());

	bpf_ringbuf_submit(record, wakes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

static __always_inline void queue_discard(void *record)
{
	bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
}

/* Is less than a quarter of the queue in use? */
static __always_inline bool queue_has_room(void)
{
	return bpf_ringbuf_query(&queue, BPF_RB_AVAIL_DATA) < bpf_ringbuf_query(&queue, BPF_RB_RING_SIZE) / 4;
}

#endif
