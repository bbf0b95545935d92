// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/timeline.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>

#define LATEST (1ll << 61) /* ns since the epoch, or since the machine was started */
#define LANES  64	   /* tracks that stand for one; then ends are cut */

struct timeline_track {
	size_t next, end;	    /* its spans */
	const struct nested *inner; /* the innermost one that is open */
	struct timeline_edge edge;  /* the next one */
};

int64_t timeline_moment(int64_t moment)
{
	return moment < 0 ? 0 : moment < LATEST ? moment : LATEST;
}

struct span timeline_cut(int64_t start, int64_t duration, uint64_t number)
{
	start = timeline_moment(start);
	return (struct span){start, timeline_moment(start + timeline_moment(duration)) - start, number};
}

void timeline_release(struct timeline *t)
{
	free(t->at);
	free(t->heap);
	free(t->span);
	free(t->added);
	*t = (struct timeline){0};
}

int timeline_add(struct timeline *t, const struct timeline_span *span)
{
	if (vec_reserve(&t->span, &t->capacity, t->count + 1))
		return -ENOMEM;
	t->span[t->count++] = *span;
	return 0;
}

/* By track; there the outer one first. */
static int compare_spans(const void *a, const void *b)
{
	const struct timeline_span *x = a, *y = b;
	const struct span *p = &x->nested.span, *q = &y->nested.span;

	if (x->track != y->track)
		return (x->track > y->track) - (x->track < y->track);
	if (x->kind != y->kind && p->start == q->start && p->duration == q->duration)
		return (x->kind > y->kind) - (x->kind < y->kind);
	return span_compare(p, q);
}

/* The innermost open span in which this one begins. */
static struct nested *timeline_around(struct nested *inner, const struct timeline_span *s)
{
	const struct span beginning = {s->nested.span.start, 0, s->nested.span.number};

	return s->wait ? nest_at(inner, beginning.start) : nest_around(inner, &beginning);
}

/* The track, made at first use, for those that do not fit. False: no memory. */
static bool timeline_move(struct timeline *t, struct timeline_span *s, uint32_t *lane)
{
	if (!*lane) {
		if (vec_reserve(&t->added, &t->extra_capacity, t->extra + 1))
			return false;
		t->added[t->extra] = s->track < t->tracks ? s->track : t->added[s->track - t->tracks];
		*lane = t->tracks + t->extra++;
	}
	s->track = *lane;
	return true;
}

/* Let the spans of a track, in order, nest; those that cannot go to another one, if `move`, which sets *lane. */
static int timeline_nest(struct timeline *t, size_t begin, size_t end, bool move, uint32_t *lane)
{
	struct nested *inner = NULL;

	for (size_t i = begin; i < end; i++) {
		struct timeline_span *s = &t->span[i];
		struct nested *around = timeline_around(inner, s);
		int64_t beyond = around ? span_end(&s->nested.span) - span_end(&around->span) : 0;

		if (move && beyond > SPAN_ROUNDING) {
			if (!timeline_move(t, s, lane))
				return -ENOMEM;
			continue;
		}
		s->nested.span.duration -= beyond > 0 ? beyond : 0;
		s->nested.around = around;
		inner = &s->nested;
	}
	return 0;
}

static size_t timeline_track_end(const struct timeline *t, size_t begin)
{
	size_t end = begin;

	while (end < t->count && t->span[end].track == t->span[begin].track)
		end++;
	return end;
}

/* Sort, and nest all tracks once. *moved: some spans have another track now. */
static int timeline_pass(struct timeline *t, bool move, bool *moved)
{
	int err = 0;

	*moved = false;
	if (t->count)
		qsort(t->span, t->count, sizeof(*t->span), compare_spans);
	for (size_t begin = 0, end; begin < t->count && !err; begin = end) {
		uint32_t lane = 0;

		end = timeline_track_end(t, begin);
		err = timeline_nest(t, begin, end, move, &lane);
		*moved |= lane != 0;
	}
	return err;
}

/* Find the next edge. Behind the last one there is none: its span is NULL, its time INT64_MAX. */
static void timeline_look(const struct timeline *t, struct timeline_track *at)
{
	const struct timeline_span *next = at->next < at->end ? &t->span[at->next] : NULL;

	if (at->inner && (!next || next->nested.around != at->inner))
		at->edge = (struct timeline_edge){(const struct timeline_span *)at->inner, span_end(&at->inner->span),
						  false};
	else
		at->edge = (struct timeline_edge){next, next ? next->nested.span.start : INT64_MAX, true};
}

static void timeline_open(const struct timeline *t, struct timeline_track *at, size_t begin, size_t end)
{
	*at = (struct timeline_track){.next = begin, .end = end};
	timeline_look(t, at);
}

/* Go on beyond the next edge. */
static void timeline_step(const struct timeline *t, struct timeline_track *at)
{
	at->inner = at->edge.begin ? &at->edge.span->nested : at->inner->around;
	at->next += at->edge.begin;
	timeline_look(t, at);
}

static int64_t timeline_middle(const struct timeline_span *s)
{
	return span_middle(s->nested.span.start, s->nested.span.duration);
}

static int compare_middles(const void *a, const void *b)
{
	const struct timeline_span *x = a, *y = b;
	int64_t p = timeline_middle(x), q = timeline_middle(y);

	if (x->track != y->track)
		return (x->track > y->track) - (x->track < y->track);
	return (p > q) - (p < q);
}

/*
 * Cut the waits, which stand behind the first `others` spans: the kernel's clock is read at another moment than that of the
 * hooks. The others are arranged.
 */
static void timeline_cut_waits(struct timeline *t, size_t others)
{
	struct timeline_track at = {.next = 0};
	int64_t last = 0;

	if (t->count > others)
		qsort(t->span + others, t->count - others, sizeof(*t->span), compare_middles);
	for (size_t i = others; i < t->count; i++) {
		struct timeline_span *w = &t->span[i];
		struct span *span = &w->nested.span;
		int64_t middle = timeline_middle(w), end = span_end(span);

		if (i == others || w->track != w[-1].track) {
			timeline_open(t, &at, lower_bound(n, others, t->span[n].track >= w->track),
				      lower_bound(n, others, t->span[n].track > w->track));
			last = 0;
		}
		while (at.edge.time <= middle) {
			last = at.edge.time;
			timeline_step(t, &at);
		}
		span->start = span->start > last ? span->start : last;
		span->duration = (end < at.edge.time ? end : at.edge.time) - span->start;
	}
}

static bool timeline_before(const struct timeline *t, uint32_t a, uint32_t b)
{
	int64_t x = t->at[a].edge.time, y = t->at[b].edge.time;

	return x != y ? x < y : a < b;
}

/* Let the track at `i` of the heap sink to its place. */
static void heap_sink(struct timeline *t, size_t i)
{
	for (size_t child; (child = 2 * i + 1) < t->heaped; i = child) {
		uint32_t track = t->heap[i];

		if (child + 1 < t->heaped && timeline_before(t, t->heap[child + 1], t->heap[child]))
			child++;
		if (!timeline_before(t, t->heap[child], track))
			return;
		t->heap[i] = t->heap[child];
		t->heap[child] = track;
	}
}

static int timeline_start(struct timeline *t)
{
	size_t tracks = t->tracks + t->extra;

	t->at = calloc(tracks + 1, sizeof(*t->at));
	t->heap = calloc(tracks + 1, sizeof(*t->heap));
	if (!t->at || !t->heap)
		return -ENOMEM;
	for (size_t begin = 0, end; begin < t->count; begin = end) {
		uint32_t track = t->span[begin].track;

		end = timeline_track_end(t, begin);
		timeline_open(t, &t->at[track], begin, end);
		t->heap[t->heaped++] = track;
	}
	for (size_t i = t->heaped / 2; i-- > 0;)
		heap_sink(t, i);
	return 0;
}

static int timeline_passes(struct timeline *t)
{
	bool moved = true;
	int err = 0;

	for (unsigned int lane = 0; lane <= LANES && moved && !err; lane++)
		err = timeline_pass(t, lane < LANES, &moved);
	return err;
}

/* Put the waits behind the others. Returns the number of those. */
static size_t timeline_part(struct timeline *t)
{
	size_t others = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct timeline_span s = t->span[i];

		if (s.wait)
			continue;
		t->span[i] = t->span[others];
		t->span[others++] = s;
	}
	return others;
}

int timeline_arrange(struct timeline *t, uint32_t tracks)
{
	size_t all = t->count, others = timeline_part(t);
	int err;

	t->tracks = tracks;
	t->count = others;
	err = timeline_passes(t);
	t->count = all;
	if (!err && others < all) {
		timeline_cut_waits(t, others);
		err = timeline_passes(t);
	}
	return err ?: timeline_start(t);
}

bool timeline_next(struct timeline *t, struct timeline_edge *edge)
{
	struct timeline_track *at;

	if (!t->heaped)
		return false;
	at = &t->at[t->heap[0]];
	*edge = at->edge;
	timeline_step(t, at);
	if (!at->edge.span)
		t->heap[0] = t->heap[--t->heaped];
	heap_sink(t, 0);
	return true;
}
