// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/stream.h"
#include "format/vec.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void streams_init(struct streams *s, const struct stream_sink *sink)
{
	memset(s, 0, sizeof(*s));
	s->sink = *sink;
}

void streams_release(struct streams *s)
{
	for (size_t i = 0; i < FRT_MAX_SLOTS; i++)
		free(s->vthread[i]);
	memset(s->vthread, 0, sizeof(s->vthread));
	for (size_t i = 0; i < FRT_MAX_SLOTS; i++) {
		if (s->set[i])
			free(s->set[i]->record);
		free(s->set[i]);
	}
	memset(s->set, 0, sizeof(s->set));
}

static void name_vthread(struct streams *s, uint32_t slot, const struct frt_vthread *r)
{
	struct stream_vthread *v = s->vthread[slot];

	if (!v)
		v = s->vthread[slot] = calloc(1, sizeof(*v));
	if (!v || r->part >= FRT_VTHREAD_PARTS)
		return;
	if (!r->part)
		memset(v, 0, sizeof(*v));
	v->java_id = r->java_id;
	memcpy(v->name + 16 * r->part, r->name, sizeof(r->name));
	if (r->length < sizeof(v->name))
		v->name[r->length] = 0;
}

static const struct stream_vthread *vthread_of(const struct streams *s, uint32_t slot, const struct frt_span *span)
{
	static const struct stream_vthread unknown;

	if (!(span->flags & FRT_SPAN_VIRTUAL))
		return NULL;
	return s->vthread[slot] ? s->vthread[slot] : &unknown;
}

/* False for a span of another recording. */
static bool is_ours(const struct streams *s, const struct frt_span *r)
{
	return !(r->flags & s->not_ours) && r->start >= s->since;
}

/* How many of the first records are spans that can be delivered together, or are all other recordings'? */
static size_t spans_together(const struct streams *s, const struct frt_span *r, size_t n)
{
	const uint16_t same = FRT_SPAN_FIELDS | FRT_SPAN_VIRTUAL | s->not_ours;
	bool began = r->start >= s->since;
	size_t i = 0;

	if (r->flags & FRT_SPAN_FIELDS && is_ours(s, r))
		return 0;
	while (i < n && r[i].kind == FRT_SPAN && !((r[i].flags ^ r->flags) & same) && (r[i].start >= s->since) == began)
		i++;
	return i;
}

static void stream_deliver(struct streams *s, uint32_t slot, const struct frt_span *r, size_t n)
{
	for (size_t i = 0; s->rates && i < stream_spans(r, n) && !(r->flags & FRT_SPAN_TASK); i++)
		call_rates_add(s->rates, r[i].method, r[i].thread);
	if (s->roots)
		roots_take(s->roots, slot, r, n, vthread_of(s, slot, r));
	else
		s->sink.spans(s->sink.context, r, n, vthread_of(s, slot, r));
}

#define SET_KEPT 64u /* records for which memory is kept */

static bool has_set(const struct streams *s, uint32_t slot)
{
	return s->set[slot] && s->set[slot]->count;
}

/* Deliver the span with its values. */
static void deliver_set(struct streams *s, uint32_t slot)
{
	struct stream_set *set = s->set[slot];

	stream_deliver(s, slot, set->record, set->count);
	s->set_records -= set->count;
	set->count = 0;
	if (set->capacity > SET_KEPT) {
		free(set->record);
		*set = (struct stream_set){.count = 0};
	}
}

void streams_end(struct streams *s, uint32_t slot)
{
	if (!has_set(s, slot))
		return;
	s->torn++;
	deliver_set(s, slot);
}

/* False: there is no memory, or too much of it is in use. */
static bool set_append(struct streams *s, struct stream_set *set, const struct frt_span *r)
{
	if (s->set_records == STREAM_SETS || vec_reserve(&set->record, &set->capacity, (size_t)set->count + 1))
		return false;
	set->record[set->count++] = *r;
	s->set_records++;
	return true;
}

/* A span whose values follow. Without memory it comes without them. */
static void begin_set(struct streams *s, uint32_t slot, const struct frt_span *span)
{
	struct stream_set *set = s->set[slot];

	if (!set)
		set = s->set[slot] = calloc(1, sizeof(*set));
	if (set && set_append(s, set, span))
		return;
	s->torn++;
	stream_deliver(s, slot, span, 1);
}

static void stream_add_value(struct streams *s, uint32_t slot, const struct frt_span *r)
{
	struct frt_field f;

	if (!has_set(s, slot)) /* of a span that is not ours, or is lost */
		return;
	memcpy(&f, r, sizeof(f));
	if ((FRT_FIELD_RECORDING(f.number) == s->recording || f.number == FRT_FIELD_TRACE ||
	     f.number == FRT_FIELD_TASK || (f.number == FRT_FIELD_ALLOCATED && s->allocated)) &&
	    f.form != FRT_FORM_NULL && !set_append(s, s->set[slot], r))
		s->torn++;
	if (f.flags & FRT_FIELD_LAST)
		deliver_set(s, slot);
}

const struct roots_counts *streams_roots(const struct streams *s)
{
	static const struct roots_counts none;

	return s->roots ? roots_counts(s->roots) : &none;
}

/* Returns the number of records taken, at least one. */
static size_t stream_records(struct streams *s, uint32_t slot, const struct frt_span *r, size_t n)
{
	size_t spans = spans_together(s, r, n);
	struct frt_vthread v;
	struct frt_root root;

	if (r->kind == FRT_FIELD) {
		stream_add_value(s, slot, r);
		return 1;
	}
	streams_end(s, slot);
	if (!spans && r->kind == FRT_SPAN) {
		begin_set(s, slot, r);
		return 1;
	}
	if (spans) {
		if (is_ours(s, r))
			stream_deliver(s, slot, r, spans);
		return spans;
	}
	if (r->kind == FRT_VTHREAD) {
		memcpy(&v, r, sizeof(v));
		name_vthread(s, slot, &v);
	} else if (r->kind == FRT_ROOT && s->roots) {
		memcpy(&root, r, sizeof(root));
		roots_mark(s->roots, slot, &root);
	} else {
		s->malformed++;
	}
	return 1;
}

void streams_give_up(struct streams *s, uint32_t slot, uint64_t offset)
{
	if (slot >= FRT_MAX_SLOTS || offset <= s->next[slot])
		return;
	streams_end(s, slot);
	if (s->roots)
		roots_gap(s->roots, slot);
	s->lost += (offset - s->next[slot]) / FRT_RECORD_SIZE;
	s->next[slot] = offset;
	if (s->vthread[slot])
		s->vthread[slot]->java_id = 0; /* the record with its name may be among the lost ones */
}

/* Stamps rise along a stream, so the last span ends last. */
static void cover(const struct streams *s, const char *data, size_t size)
{
	struct frt_span last;

	for (size_t at = size; at >= sizeof(last); at -= sizeof(last)) {
		memcpy(&last, data + at - sizeof(last), sizeof(last));
		if (last.kind == FRT_SPAN) {
			s->sink.cover(s->sink.context, last.start + last.duration);
			return;
		}
	}
}

void streams_feed(struct streams *s, uint32_t slot, uint64_t offset, const void *data, size_t size)
{
	const char *at = data;
	uint64_t skip;

	size -= size % FRT_RECORD_SIZE;
	if (slot >= FRT_MAX_SLOTS || offset % FRT_RECORD_SIZE || offset + size <= s->next[slot])
		return;
	streams_give_up(s, slot, offset);
	skip = s->next[slot] - offset;
	skip += -skip % FRT_RECORD_SIZE; /* a stream that stands inside a record goes on with the next one */
	at += skip;
	size -= skip;
	cover(s, at, size);
	for (size_t done = 0, n = size / FRT_RECORD_SIZE; done < n;)
		done += stream_records(s, slot, (const struct frt_span *)at + done, n - done);
	s->received += size / FRT_RECORD_SIZE;
	s->next[slot] = offset + skip + size;
}

/* ---- the sweep */

/* A forged head may be inside a record. */
static uint64_t stream_round_up(uint64_t offset)
{
	return offset + -offset % FRT_RECORD_SIZE;
}

void sweep_begin(const struct segment *seg, struct streams *streams)
{
	const struct frt_slot *slot;

	for (uint32_t i = 0; (slot = segment_slot(seg, i)); i++)
		streams->next[i] = stream_round_up(__atomic_load_n(&slot->head, __ATOMIC_ACQUIRE));
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

/* Pairs with ring_put(), which may be writing. Both ends are those of records. */
static void copy_window(char *to, const char *ring, uint64_t size, uint64_t from, uint64_t head)
{
	uint64_t word;

	for (; from < head; from += sizeof(word), to += sizeof(word)) {
		word = __atomic_load_n((const uint64_t *)(ring + from % size), __ATOMIC_RELAXED);
		memcpy(to, &word, sizeof(word));
	}
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
