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
	bool ours = is_ours(s, r);
	size_t i = 0;

	while (i < n && r[i].kind == FRT_SPAN && !(r[i].flags & FRT_SPAN_FIELDS && ours) &&
	       !((r[i].flags ^ r[0].flags) & FRT_SPAN_VIRTUAL) && is_ours(s, &r[i]) == ours)
		i++;
	return i;
}

static void stream_deliver(struct streams *s, uint32_t slot, const struct frt_span *r, size_t n)
{
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

/* Another record than the next value: the thread died or its stack was full, or records are lost. */
static void tear_set(struct streams *s, uint32_t slot)
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
	if ((FRT_FIELD_RECORDING(f.number) == s->recording || f.number == FRT_FIELD_TRACE) && f.form != FRT_FORM_NULL &&
	    !set_append(s, s->set[slot], r))
		s->torn++;
	if (f.flags & FRT_FIELD_LAST)
		deliver_set(s, slot);
}

const struct roots_counts *streams_roots(const struct streams *s)
{
	static const struct roots_counts none;

	return s->roots ? roots_counts(s->roots) : &none;
}

void streams_end(struct streams *s, uint32_t slot)
{
	tear_set(s, slot);
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
	tear_set(s, slot);
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
	tear_set(s, slot);
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
	skip += -skip % FRT_RECORD_SIZE; /* a forged head may have started the stream inside a record */
	at += skip;
	size -= skip;
	cover(s, at, size);
	for (size_t done = 0, n = size / FRT_RECORD_SIZE; done < n;)
		done += stream_records(s, slot, (const struct frt_span *)at + done, n - done);
	s->received += size / FRT_RECORD_SIZE;
	s->next[slot] = offset + skip + size;
}
