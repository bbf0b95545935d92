// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/holdback.h"
#include "format/vec.h"

#include <stdlib.h>

struct held {
	struct frt_span span;
	struct stream_vthread vthread;
	bool is_virtual;
	uint64_t until;
};

struct holdback {
	struct stream_sink sink;
	bool sweeping;
	struct held *held;
	size_t first, swept; /* those before `first` have been passed on; the current sweep's begin at `swept` */
	size_t count, capacity;
	struct frt_span *set; /* a span with its values, while it is passed on */
	size_t set_capacity;
};

struct holdback *holdback_new(const struct stream_sink *sink)
{
	struct holdback *h = calloc(1, sizeof(*h));

	if (h)
		h->sink = *sink;
	return h;
}

void holdback_free(struct holdback *h)
{
	if (!h)
		return;
	free(h->held);
	free(h->set);
	free(h);
}

static void holdback_on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	struct holdback *h = context;

	/* Without memory the spans are passed on at once, with the waits known so far. */
	if (!h->sweeping || vec_reserve(&h->held, &h->capacity, h->count + n)) {
		h->sink.spans(h->sink.context, s, n, v);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct held *to = &h->held[h->count++];

		*to = (struct held){.span = s[i], .is_virtual = v};
		if (v)
			to->vthread = *v;
	}
}

static void holdback_on_cover(void *context, uint64_t tsc)
{
	struct holdback *h = context;

	h->sink.cover(h->sink.context, tsc);
}

struct stream_sink holdback_sink(struct holdback *h)
{
	return (struct stream_sink){.spans = holdback_on_spans, .cover = holdback_on_cover, .context = h};
}

void holdback_begin(struct holdback *h)
{
	h->sweeping = true;
	h->swept = h->count;
}

void holdback_end(struct holdback *h, uint64_t position)
{
	h->sweeping = false;
	for (size_t i = h->swept; i < h->count; i++)
		h->held[i].until = position;
}

bool holdback_has_some(const struct holdback *h)
{
	return h->first < h->count;
}

/* The number of records of the first span that is held, with its values. */
static size_t set_at(const struct holdback *h)
{
	size_t n = 1;

	while (h->held[h->first].span.flags & FRT_SPAN_FIELDS && h->first + n < h->count &&
	       h->held[h->first + n].span.kind == FRT_FIELD)
		n++;
	return n;
}

void holdback_release(struct holdback *h, uint64_t position)
{
	while (h->first < h->count && h->held[h->first].until <= position) {
		const struct held *next = &h->held[h->first];
		size_t n = set_at(h);

		h->first += n;
		if (vec_reserve(&h->set, &h->set_capacity, n))
			n = 1;
		for (size_t i = 0; i < n && h->set_capacity; i++)
			h->set[i] = next[i].span;
		h->sink.spans(h->sink.context, h->set_capacity ? h->set : &next->span, n,
			      next->is_virtual ? &next->vthread : NULL);
	}
	if (h->first == h->count)
		h->first = h->count = 0;
}
