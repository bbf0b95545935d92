/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writing records into the queue. Every other program goes through here; records that do not fit are counted. */
#ifndef BPF_EMIT_H
#define BPF_EMIT_H

#include "bpf/maps.bpf.h"

static __always_inline void count_drop(enum frt_drop reason)
{
	__u32 key = reason;
	__u64 *count = bpf_map_lookup_elem(&drops, &key);

	if (count)
		*count += 1;
}

#define WAKE_WINDOW (128u << 10) /* bytes: some records, in case that several CPUs pass the level at the same time */

/*
 * The collector is woken when the contents pass a multiple of the wake-up level. A wake-up is an interrupt: at each
 * record above the level it would make a call dearer the fuller the queue is. A busy collector polls anyway.
 */
static __always_inline __u64 wake_flags(void)
{
	__u64 used = bpf_ringbuf_query(&queue, BPF_RB_AVAIL_DATA);

	return used >= wake_level && (used & (wake_level - 1)) < WAKE_WINDOW ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/*
 * Reserve a record about waits, pauses or usage. Returns NULL, and counts the loss, if the queue is full. `size`
 * must be a constant.
 */
static __always_inline void *reserve_record(const __u32 size)
{
	void *record = bpf_ringbuf_reserve(&queue, size, 0);

	if (!record)
		__sync_fetch_and_add(&waits_lost, 1);
	return record;
}

/*
 * Copy `size` bytes into the queue as a batch; the first `length` of them are valid. `size` must be a constant.
 * Returns 0 or -1.
 */
static __always_inline int emit_batch(__u64 slot, __u64 offset, __u64 length, const void *from, const __u32 size)
{
	struct frt_batch *batch = bpf_ringbuf_reserve(&queue, sizeof(*batch) + size, 0);

	if (!batch) {
		count_drop(FRT_DROP_QUEUE_FULL);
		return -1;
	}
	batch->kind = FRT_BATCH;
	batch->slot = slot;
	batch->offset = offset;
	batch->length = length;
	batch->reserved = 0;
	if (bpf_probe_read_user(batch + 1, size, from)) {
		bpf_ringbuf_discard(batch, BPF_RB_NO_WAKEUP);
		count_drop(FRT_DROP_UNREADABLE);
		return -1;
	}
	bpf_ringbuf_submit(batch, wake_flags());
	return 0;
}

#endif
