/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writing records into the queue. Every other program goes through here; records that do not fit are counted. */
#ifndef BPF_EMIT_H
#define BPF_EMIT_H

#include "bpf/queue_out.bpf.h"

/*
 * Reserve a record about waits, pauses or usage. Returns NULL, and counts the loss, if the queue is full. `size`
 * must be a constant.
 */
static __always_inline void *reserve_record(const __u32 size)
{
	void *record = queue_reserve(size);

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
	struct frt_batch *batch = queue_reserve(sizeof(*batch) + size);

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
		queue_discard(batch);
		count_drop(FRT_DROP_UNREADABLE);
		return -1;
	}
	queue_submit(batch, WAKE_BY_LEVEL);
	return 0;
}

#endif
