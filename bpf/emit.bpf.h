/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The only caller of the queue; what does not go is counted. */
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

/* No wake-up below the level: a collector that is busy polls anyway. */
static __always_inline __u64 wake_flags(void)
{
	return bpf_ringbuf_query(&queue, BPF_RB_AVAIL_DATA) < wake_level ? BPF_RB_NO_WAKEUP : BPF_RB_FORCE_WAKEUP;
}

/* Room for a record of the kernel's half; NULL is counted. `size` is a constant. */
static __always_inline void *reserve_record(const __u32 size)
{
	void *record = bpf_ringbuf_reserve(&queue, size, 0);

	if (!record)
		__sync_fetch_and_add(&waits_lost, 1);
	return record;
}

/* `size` is a constant: the bytes that are copied, of which `length` are valid. 0, or -1. */
static __always_inline int emit_part(__u64 slot, __u64 offset, __u64 length, const void *from, const __u32 size)
{
	struct frt_batch *part = bpf_ringbuf_reserve(&queue, sizeof(*part) + size, 0);

	if (!part) {
		count_drop(FRT_DROP_QUEUE_FULL);
		return -1;
	}
	part->kind = FRT_BATCH;
	part->slot = slot;
	part->offset = offset;
	part->length = length;
	part->reserved = 0;
	if (bpf_probe_read_user(part + 1, size, from)) {
		bpf_ringbuf_discard(part, BPF_RB_NO_WAKEUP);
		count_drop(FRT_DROP_UNREADABLE);
		return -1;
	}
	bpf_ringbuf_submit(part, wake_flags());
	return 0;
}

#endif
