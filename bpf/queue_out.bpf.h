/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The way into the queue, which is a BPF ring buffer or, with --buffer=perf, a perf buffer for each CPU. `perf_buffers` is
 * constant when the programs are loaded, so the verifier removes the other way.
 *
 * Output to a perf buffer takes the program's context and a finished record. So a record is written into a place of the
 * CPU's staging area, and each program calls queue_flush() at its end. Programs at uprobes may be preempted, and others
 * then run on the same CPU, so there are several places, which are claimed and released by atomic operations on a word of
 * bits. It does not matter which program outputs a record that is ready.
 */
#ifndef BPF_QUEUE_OUT_H
#define BPF_QUEUE_OUT_H

#include "bpf/maps.bpf.h"

static __always_inline void count_drop(enum frt_drop reason)
{
	__u32 key = reason;
	__u64 *count = bpf_map_lookup_elem(&drops, &key);

	if (count)
		*count += 1;
}

static __always_inline struct frt_staging *staging_here(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&staging, &cpu);
}

static __always_inline struct frt_staged *staged_at(struct frt_staging *s, __u32 number)
{
	return (struct frt_staged *)(s->places + number * FRT_STAGED_SMALL);
}

/* The last place is the large one. */
static __always_inline bool staging_claim(struct frt_staging *s, __u32 number)
{
	__u32 bit = 1u << number;

	return !(__sync_fetch_and_or(&s->claimed, bit) & bit);
}

/* The time is gone before the place is free: who sees it claimed sees its own time, or none. */
static __always_inline void staging_release(struct frt_staging *s, struct frt_staged *place, __u32 number)
{
	*(volatile __u64 *)&place->at = 0;
	__sync_fetch_and_and(&s->claimed, ~(1u << number));
}

#define STAGING_TRIES 4

/* The number of a place that is now claimed. FRT_STAGED_PLACES for a large one; more: there is none. */
static __always_inline __u32 staging_find(struct frt_staging *s, __u32 size)
{
	if (size > FRT_STAGED_SMALL - sizeof(struct frt_staged))
		return FRT_STAGED_PLACES + !staging_claim(s, FRT_STAGED_PLACES);
	for (int i = 0; i < STAGING_TRIES; i++) {
		__u32 number = __sync_fetch_and_add(&s->next, 1) & (FRT_STAGED_PLACES - 1);

		if (staging_claim(s, number))
			return number;
	}
	return FRT_STAGED_PLACES + 1;
}

/* Returns NULL if the record would not fit into the perf buffer, or too many are being written on this CPU. */
static __noinline void *staging_reserve(__u32 size)
{
	struct frt_staging *s = staging_here();
	__u64 bytes = FRT_STAGED_OUTPUT(size);
	struct frt_staged *place;
	__u32 number;

	if (!s)
		return NULL;
	if (__sync_fetch_and_add(&s->produced, bytes) + bytes - *(volatile __u64 *)&s->consumed >= s->size)
		goto no_room;
	number = staging_find(s, size);
	if (number > FRT_STAGED_PLACES)
		goto no_room;
	place = staged_at(s, number);
	*(volatile __u64 *)&place->at = now_ns();
	place->size = size;
	place->number = number;
	return place + 1;
no_room:
	__sync_fetch_and_add(&s->produced, -bytes);
	return NULL;
}

static __noinline void staging_submit(void *record)
{
	struct frt_staged *place = (struct frt_staged *)record - 1;
	struct frt_staging *s = staging_here();

	if (s)
		__sync_fetch_and_or(&s->ready, 1u << (place->number & 31));
}

static __noinline void staging_discard(void *record)
{
	struct frt_staged *place = (struct frt_staged *)record - 1;
	struct frt_staging *s = staging_here();

	if (!s)
		return;
	__sync_fetch_and_add(&s->produced, -(__u64)FRT_STAGED_OUTPUT(place->size));
	staging_release(s, place, place->number & 31);
}

#define NO_BUFFER   -2	/* ENOENT: the CPU was offline when the buffers were opened */
#define DEAD_BUFFER -95 /* EOPNOTSUPP: it has been offline since, which ends its buffer for good */

/*
 * There is room, so that this is rare: too many outputs interrupt each other. Without a buffer nothing is reserved on this
 * CPU from now on, so that the programs know what is lost.
 */
static __always_inline void staging_lost(struct frt_staging *s, const struct frt_staged *place, __u32 size, long error)
{
	__u32 kind = *(const volatile __u32 *)(place + 1);

	__sync_fetch_and_add(&s->produced, -(__u64)FRT_STAGED_OUTPUT(size));
	if (error == NO_BUFFER || error == DEAD_BUFFER)
		*(volatile __u64 *)&s->size = 0;
	if (kind == FRT_BATCH)
		count_drop(FRT_DROP_QUEUE_FULL);
	if (kind < FRT_RECORD_KINDS)
		__sync_fetch_and_add(&s->lost[kind], 1);
}

static __always_inline void staging_output(void *context, struct frt_staging *s, __u32 number, __u32 most)
{
	struct frt_staged *place = staged_at(s, number);
	__u32 size = place->size;
	long error;

	if (size > most - sizeof(*place)) /* never, but the verifier does not know */
		size = most - sizeof(*place);
	error = bpf_perf_event_output(context, &perf_queue, BPF_F_CURRENT_CPU, &place->at, size + sizeof(place->at));
	if (error)
		staging_lost(s, place, size, error);
	staging_release(s, place, number);
}

static __noinline void staging_flush(void *context)
{
	struct frt_staging *s = staging_here();
	__u32 ready;

	if (!s || !s->ready)
		return;
	ready = __sync_lock_test_and_set(&s->ready, 0);
	for (__u32 i = 0; i < FRT_STAGED_PLACES; i++)
		if (ready & 1u << i)
			staging_output(context, s, i, FRT_STAGED_SMALL);
	if (ready & 1u << FRT_STAGED_PLACES)
		staging_output(context, s, FRT_STAGED_PLACES, FRT_STAGED_LARGE);
}

/* Room for a record of `size` bytes, a constant, which is submitted or discarded. NULL: the queue is full. */
static __always_inline void *queue_reserve(const __u32 size)
{
	return perf_buffers ? staging_reserve(size) : bpf_ringbuf_reserve(&queue, size, 0);
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

/* Perf buffers wake the collector by themselves, when they have filled up to a level. */
static __always_inline void queue_submit(void *record, enum wake wake)
{
	bool wakes;

	if (perf_buffers) {
		staging_submit(record);
		return;
	}
	wakes = wake == WAKE_NOW || (wake == WAKE_BY_LEVEL && passes_level());
	bpf_ringbuf_submit(record, wakes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

static __always_inline void queue_discard(void *record)
{
	if (perf_buffers)
		staging_discard(record);
	else
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
}

/* Each program that may have submitted a record calls it at its end, with its context. */
static __always_inline void queue_flush(void *context)
{
	if (perf_buffers)
		staging_flush(context);
}

/* Is less than a quarter of the queue, or of this CPU's part of it, in use? */
static __always_inline bool queue_has_room(void)
{
	const struct frt_staging *s;

	if (!perf_buffers)
		return bpf_ringbuf_query(&queue, BPF_RB_AVAIL_DATA) < bpf_ringbuf_query(&queue, BPF_RB_RING_SIZE) / 4;
	s = staging_here();
	return s && s->produced - s->consumed < s->size / 4;
}

#endif
