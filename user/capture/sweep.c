// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/sweep.h"

#include <string.h>

void sweep_begin(const struct segment *seg, struct streams *streams)
{
	const struct frt_slot *slot;

	for (uint32_t i = 0; (slot = segment_slot(seg, i)); i++)
		streams->next[i] = __atomic_load_n(&slot->head, __ATOMIC_ACQUIRE);
}

/* The ring that a slot's word refers to, or NULL when it lies outside the rings' section. */
static const char *sweep_ring_of(const struct segment *seg, uint64_t word, uint64_t *size)
{
	uint64_t at = word >> 8, log2 = word & 0xff;

	if (log2 < FRT_RING_MIN_LOG2 || log2 > FRT_RING_MAX_LOG2)
		return NULL;
	*size = 1ULL << log2;
	if (at < FRT_RINGS_AT || at > FRT_SEGMENT_SIZE - *size || at % FRT_RECORD_SIZE)
		return NULL;
	return seg->base + at;
}

static void copy_window(char *to, const char *ring, uint64_t size, uint64_t from, uint64_t head)
{
	uint64_t at = from & (size - 1), length = head - from, first = size - at < length ? size - at : length;

	memcpy(to, ring + at, first);
	memcpy(to + first, ring, length - first);
}

/*
 * A ring that has grown got the records of the smaller one. What is older, and would fit, is missing: zeros, at the
 * beginning of the window. Returns their size.
 */
static uint64_t missing_bytes(const char *copy, uint64_t length)
{
	const struct frt_span *record = (const struct frt_span *)copy;
	uint64_t n = 0;

	while (n < length / FRT_RECORD_SIZE && !record[n].kind)
		n++;
	return n * FRT_RECORD_SIZE;
}

/* The end of the records that the agent will not take back. */
static uint64_t sweep_end(const struct segment *seg, const struct streams *streams, uint32_t number,
			  const struct frt_slot *slot)
{
	const struct frt_inside *inside = (const struct frt_inside *)(seg->base + FRT_INSIDES_AT) + number;

	return __atomic_load_n(streams->roots ? &inside->settled : &slot->head, __ATOMIC_ACQUIRE);
}

/*
 * The first record that is still in the ring. The one at `head` may be half written, over the record one ring size
 * before. In a root the agent may have written more, and taken it back: at most up to the end of a half, because a drain
 * settles the root.
 */
static uint64_t sweep_first(const struct streams *streams, uint64_t head, uint64_t size)
{
	uint64_t half = size / 2, written = streams->roots ? (head / half + 1) * half : head + FRT_RECORD_SIZE;

	return written > size ? written - size : 0;
}

/* Returns the number of bytes fed. */
static uint64_t sweep_slot(const struct segment *seg, struct streams *streams, uint32_t number,
			   const struct frt_slot *slot)
{
	_Alignas(8) char copy[1 << FRT_RING_MAX_LOG2];
	uint64_t word = __atomic_load_n(&slot->ring, __ATOMIC_ACQUIRE), size = 0, head, later, from;
	const char *ring = sweep_ring_of(seg, word, &size);

	head = sweep_end(seg, streams, number, slot);
	from = streams->next[number];
	if (!ring || head <= from || head - from > size || head % FRT_RECORD_SIZE)
		return 0; /* nothing new, or a gap that the queue may still fill */
	copy_window(copy, ring, size, from, head);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	later = __atomic_load_n(&slot->head, __ATOMIC_ACQUIRE);
	if (from < sweep_first(streams, later, size) || __atomic_load_n(&slot->ring, __ATOMIC_ACQUIRE) != word)
		return 0;
	if (missing_bytes(copy, head - from)) /* drained before the ring grew, and still in the queue */
		return 0;
	streams_feed(streams, number, from, copy, head - from);
	return head - from;
}

void sweep(const struct segment *seg, struct streams *streams)
{
	const struct frt_slot *slot;
	uint32_t at = streams->sweep_next;
	uint64_t fed = 0;

	for (uint32_t i = 0; i < FRT_MAX_SLOTS && fed < SWEEP_MOST; i++) {
		slot = segment_slot(seg, at);
		if (slot) {
			fed += sweep_slot(seg, streams, at, slot);
			at = (at + 1) % FRT_MAX_SLOTS;
		} else { /* neither this one nor a later one is in use */
			i += FRT_MAX_SLOTS - 1 - at;
			at = 0;
		}
	}
	streams->sweep_next = at;
}

/* Nobody writes any more, so the ring's whole content is valid, but for what roots have taken back. */
static void finish_slot(const struct segment *seg, struct streams *streams, uint32_t number,
			const struct frt_slot *slot, uint64_t *left)
{
	_Alignas(8) char copy[1 << FRT_RING_MAX_LOG2];
	uint64_t size, head = __atomic_load_n(&slot->head, __ATOMIC_ACQUIRE), from = streams->next[number];
	uint64_t first, missing;
	const char *ring = sweep_ring_of(seg, __atomic_load_n(&slot->ring, __ATOMIC_ACQUIRE), &size);

	if (head <= from || head % FRT_RECORD_SIZE)
		return;
	if (ring && size <= *left) {
		*left -= size;
		first = streams->roots ? sweep_first(streams, head, size) : head > size ? head - size : 0;
		if (from < first)
			from = first;
		if (head - from > size) /* a forged head, beyond which sweep_first() overflows */
			from = head - size;
		copy_window(copy, ring, size, from, head);
		missing = missing_bytes(copy, head - from);
		streams_feed(streams, number, from + missing, copy + missing, head - from - missing);
	}
	streams_give_up(streams, number, head);
}

void sweep_finish(const struct segment *seg, struct streams *streams)
{
	const struct frt_slot *slot;
	uint64_t left = FRT_RINGS_SIZE;

	for (uint32_t i = 0; (slot = segment_slot(seg, i)); i++) {
		finish_slot(seg, streams, i, slot, &left);
		streams_end(streams, i);
	}
}
