// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/held_spans.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_RECORDS 16u
#define MOST_RECORDS  1024u

/* A span and its values are in one. */
struct held_batch {
	struct held_batch *next;
	size_t count, capacity;
	bool task, is_virtual; /* is_virtual: the thread of a task is `vthread` */
	struct stream_vthread vthread;
	struct frt_span record[];
};

/* True if the batch is of the thread that runs this task, or of the root's own. */
static bool batch_is_of(const struct held_batch *b, bool task, const struct stream_vthread *v)
{
	if (!task || !b->task)
		return task == b->task;
	return v ? b->is_virtual && b->vthread.java_id && b->vthread.java_id == v->java_id : !b->is_virtual;
}

/* The batch that has room for `n` more records. NULL: no memory. */
static struct held_batch *batch_for(struct held_spans *h, size_t n, bool task, const struct stream_vthread *v)
{
	struct held_batch *b = h->last;
	size_t capacity = b ? 2 * b->capacity : FIRST_RECORDS;

	if (b && b->capacity - b->count >= n && batch_is_of(b, task, v))
		return b;
	capacity = capacity < MOST_RECORDS ? capacity : MOST_RECORDS;
	capacity = capacity < n ? n : capacity;
	b = malloc(sizeof(*b) + capacity * sizeof(b->record[0]));
	if (!b)
		return NULL;
	*b = (struct held_batch){.capacity = capacity, .task = task, .is_virtual = task && v};
	if (b->is_virtual)
		b->vthread = *v;
	if (h->last)
		h->last->next = b;
	else
		h->first = b;
	h->last = b;
	return b;
}

bool held_spans_add(struct held_spans *h, const struct frt_span *s, size_t n, bool task, const struct stream_vthread *v)
{
	struct held_batch *b = batch_for(h, n, task, v);

	if (!b)
		return false;
	memcpy(&b->record[b->count], s, n * sizeof(*s));
	b->count += n;
	return true;
}

size_t held_spans_empty(struct held_spans *h)
{
	size_t records = 0;

	for (struct held_batch *b = h->first, *next; b; b = next) {
		next = b->next;
		records += b->count;
		free(b);
	}
	h->first = h->last = NULL;
	return records;
}

uint64_t held_spans_count(const struct held_spans *h)
{
	uint64_t spans = 0;

	for (const struct held_batch *b = h->first; b; b = b->next)
		for (size_t i = 0; i < b->count; i++)
			spans += b->record[i].kind == FRT_SPAN;
	return spans;
}

/* How many of the first records a sink gets together. */
static size_t records_together(const struct frt_span *s, size_t n)
{
	size_t i = 0;

	if (s->flags & FRT_SPAN_FIELDS)
		return stream_set_size(s, n);
	while (i < n && !(s[i].flags & FRT_SPAN_FIELDS))
		i++;
	return i;
}

static bool is_of_unknown_thread(const struct held_owner *owner, const struct frt_span *s)
{
	return owner->tasks && s->flags & FRT_SPAN_NATIVE && !(s->flags & FRT_SPAN_VIRTUAL);
}

/* Returns how many were left out. */
static uint64_t spans_deliver(const struct stream_sink *sink, const struct held_owner *owner, const struct frt_span *s,
			      size_t n, const struct stream_vthread *v)
{
	size_t known = 0;

	while (v && !(s->flags & FRT_SPAN_FIELDS) && known < n && !is_of_unknown_thread(owner, &s[known]))
		known++;
	if (!v || s->flags & FRT_SPAN_FIELDS || known == n) {
		sink->spans(sink->context, s, n, v);
		return 0;
	}
	if (known)
		sink->spans(sink->context, s, known, v);
	return 1 + (known + 1 < n ? spans_deliver(sink, owner, s + known + 1, n - known - 1, v) : 0);
}

static uint64_t batch_deliver(struct held_batch *b, const struct stream_sink *sink, const struct held_owner *owner)
{
	const struct frt_span *last = &b->record[b->count - 1];
	bool is_root = !b->task && owner->v;
	const struct stream_vthread *v = is_root ? owner->v : b->is_virtual ? &b->vthread : NULL;
	uint64_t left_out = 0;

	while (last > b->record && last->kind != FRT_SPAN)
		last--;
	sink->cover(sink->context, last->start + last->duration);
	for (size_t i = 0; is_root && i < b->count; i++) /* of native calls it may not have been known */
		if (b->record[i].kind == FRT_SPAN && !is_of_unknown_thread(owner, &b->record[i]))
			b->record[i].flags |= FRT_SPAN_VIRTUAL;
	for (size_t i = 0, n; i < b->count; i += n) {
		n = records_together(&b->record[i], b->count - i);
		left_out += spans_deliver(sink, owner, &b->record[i], n, v);
	}
	return left_out;
}

uint64_t held_spans_deliver(const struct held_spans *h, const struct stream_sink *sink, const struct held_owner *owner)
{
	uint64_t left_out = 0;

	for (struct held_batch *b = h->first; b; b = b->next)
		left_out += batch_deliver(b, sink, owner);
	return left_out;
}
