// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/stream.h"

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

	while (i < n && r[i].kind == FRT_SPAN && !((r[i].flags ^ r[0].flags) & FRT_SPAN_VIRTUAL) &&
	       is_ours(s, &r[i]) == ours)
		i++;
	return i;
}

/* Returns the number of records taken, at least one. */
static size_t stream_records(struct streams *s, uint32_t slot, const struct frt_span *r, size_t n)
{
	size_t spans = spans_together(s, r, n);
	struct frt_vthread v;

	if (spans) {
		if (is_ours(s, r))
			s->sink.spans(s->sink.context, r, spans, vthread_of(s, slot, r));
		return spans;
	}
	if (r->kind == FRT_VTHREAD) {
		memcpy(&v, r, sizeof(v));
		name_vthread(s, slot, &v);
	} else {
		s->malformed++;
	}
	return 1;
}

void streams_give_up(struct streams *s, uint32_t slot, uint64_t offset)
{
	if (slot >= FRT_MAX_SLOTS || offset <= s->next[slot])
		return;
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
