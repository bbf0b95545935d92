// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/outermost.h"
#include "user/trace/trace.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST	 4096u /* candidates in the first pass, */
#define MORE	 16u   /* times as many in the next one, up to OUTERMOST_MOST: 40 MB */
#define ROUNDING 2     /* ns */

/* The longest calls so far: a heap with the shortest one on top. */
struct candidates {
	struct outermost_call *heap;
	size_t count, capacity, limit;
	uint64_t seen; /* calls */
	bool dropped;  /* some passed and are not in the heap */
	struct call_filter *filter;
	const struct jfr_file *file;
	const struct own_waits *own;
};

/* Of equal spans the later one in the file ended later, and contains the other. */
static bool is_longer(const struct outermost_call *a, const struct outermost_call *b)
{
	if (a->charged != b->charged)
		return a->charged > b->charged;
	return a->duration != b->duration ? a->duration > b->duration : a->number > b->number;
}

static void candidates_sift_down(struct candidates *c, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < c->count; child++)
			if (is_longer(&c->heap[least], &c->heap[child]))
				least = child;
		if (least == i)
			return;
		struct outermost_call swap = c->heap[i];
		c->heap[i] = c->heap[least];
		c->heap[least] = swap;
		i = least;
	}
}

static int candidates_add(struct candidates *c, const struct outermost_call *call)
{
	if (c->count == c->limit) {
		c->dropped = true;
		if (is_longer(call, &c->heap[0])) {
			c->heap[0] = *call;
			candidates_sift_down(c, 0);
		}
		return 0;
	}
	if (vec_reserve(&c->heap, &c->capacity, c->count + 1))
		return -ENOMEM;
	c->heap[c->count++] = *call;
	for (size_t i = c->count / 2; c->count == c->limit && i-- > 0;)
		candidates_sift_down(c, i);
	return 0;
}

static int outermost_on_call(const struct call *call, void *context)
{
	struct candidates *c = context;
	struct outermost_call candidate = {.number = c->seen++, .start = call->start, .duration = call->duration};
	int passed;

	if (c->count == c->limit && candidate.duration < c->heap[0].charged) {
		c->dropped = true;
		return 0;
	}
	passed = call_filter_has(c->filter, call, c->file->utc_offset);
	if (passed <= 0)
		return passed;
	candidate.thread = thread_number(call->chunk, call->thread);
	candidate.charged =
		call->duration - own_waits_in(c->own, candidate.thread, candidate.start, candidate.duration);
	return candidates_add(c, &candidate);
}

/* By thread; there a call before those inside it. */
static int compare_places(const void *a, const void *b)
{
	const struct outermost_call *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	if (x->start != y->start)
		return (x->start > y->start) - (x->start < y->start);
	return is_longer(y, x) - is_longer(x, y);
}

static int compare_lengths(const void *a, const void *b)
{
	return is_longer(b, a) - is_longer(a, b);
}

bool outermost_contains(const struct outermost_call *call, int64_t start, int64_t duration)
{
	return start >= call->start && start + duration <= call->start + call->duration + ROUNDING &&
	       (start < call->start + call->duration || start == call->start);
}

/* Keep those candidates that lie in no other one. A thread without a number may be any. */
static void keep_outermost(struct candidates *c)
{
	const struct outermost_call *outer = NULL;
	size_t n = 0;

	if (c->count)
		qsort(c->heap, c->count, sizeof(*c->heap), compare_places);
	for (size_t i = 0; i < c->count; i++) {
		struct outermost_call *call = &c->heap[i];

		if (outer && call->thread && outer->thread == call->thread &&
		    outermost_contains(outer, call->start, call->duration))
			continue;
		c->heap[n] = *call;
		outer = &c->heap[n++];
	}
	c->count = n;
	if (n)
		qsort(c->heap, n, sizeof(*c->heap), compare_lengths);
}

/* The first pass is over `file` itself, which keeps its faults. */
int outermost_find(struct outermost *o, struct jfr_file *file, const struct own_waits *own, struct call_filter *filter,
		   size_t wanted)
{
	struct candidates c = {.filter = filter, .file = file, .own = own};
	bool first = true;
	int err = 0;

	for (c.limit = FIRST > 2 * wanted	 ? FIRST
		       : wanted < OUTERMOST_MOST ? 2 * wanted
						 : OUTERMOST_MOST;
	     ; c.limit *= MORE, first = false) {
		c.count = c.seen = c.dropped = 0;
		err = (first ? trace_read : trace_read_again)(file, &(struct trace_ops){.call = outermost_on_call}, &c);
		if (err)
			break;
		keep_outermost(&c);
		if (c.count >= wanted || !c.dropped || c.limit >= OUTERMOST_MOST)
			break;
	}
	*o = (struct outermost){c.heap, c.count < wanted ? c.count : wanted};
	return err;
}

void outermost_release(struct outermost *o)
{
	free(o->call);
	*o = (struct outermost){0};
}
