// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/outermost.h"
#include "user/text/memory.h"
#include "user/trace/span.h"

#include <stdlib.h>

#define FIRST 4096u /* candidates in the first pass, */
#define MORE  16u   /* times as many in the next one, up to OUTERMOST_MOST: 40 MB */

/* Of equal spans the later one in the file ended later, and contains the other. */
static bool is_longer(const struct outermost_call *a, const struct outermost_call *b)
{
	if (a->charged != b->charged)
		return a->charged > b->charged;
	return a->duration != b->duration ? a->duration > b->duration : a->number > b->number;
}

static void outermost_sift_down(struct outermost *o, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < o->count; child++)
			if (is_longer(&o->call[least], &o->call[child]))
				least = child;
		if (least == i)
			return;
		struct outermost_call swap = o->call[i];
		o->call[i] = o->call[least];
		o->call[least] = swap;
		i = least;
	}
}

static void outermost_add(struct outermost *o, const struct outermost_call *call)
{
	if (o->count == o->limit) {
		o->dropped = true;
		if (is_longer(call, &o->call[0])) {
			o->call[0] = *call;
			outermost_sift_down(o, 0);
		}
		return;
	}
	memory_reserve(&o->call, &o->capacity, o->count + 1);
	o->call[o->count++] = *call;
	for (size_t i = o->count / 2; o->count == o->limit && i-- > 0;)
		outermost_sift_down(o, i);
}

static int outermost_on_wait(const struct thread_wait *wait, void *context)
{
	own_waits_add(&((struct outermost *)context)->own, wait);
	return 0;
}

static int outermost_on_waits_end(struct jfr_chunk *chunk, void *context)
{
	own_waits_sort(&((struct outermost *)context)->own);
	return 0;
}

static int outermost_on_call(const struct call *call, void *context)
{
	struct outermost *o = context;
	struct outermost_call candidate = {.number = call->number, .start = call->start, .duration = call->duration};

	if (o->count == o->limit && candidate.duration < o->call[0].charged) {
		o->dropped = true;
		return 0;
	}
	candidate.thread = thread_number(call->chunk, call->thread);
	candidate.charged =
		call->duration - own_waits_in(&o->own, candidate.thread, candidate.start, candidate.duration);
	outermost_add(o, &candidate);
	return 0;
}

const struct trace_ops outermost_ops = {
	.wait = outermost_on_wait, .waits_end = outermost_on_waits_end, .call = outermost_on_call};

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
	return span_contains(call->start, call->start + call->duration, start, start + duration);
}

/* Keep those that lie in no other one. A thread without a number may be any. */
static void outermost_keep(struct outermost *o)
{
	const struct outermost_call *outer = NULL;
	size_t n = 0;

	if (o->count)
		qsort(o->call, o->count, sizeof(*o->call), compare_places);
	for (size_t i = 0; i < o->count; i++) {
		struct outermost_call *call = &o->call[i];

		if (outer && call->thread && outer->thread == call->thread &&
		    outermost_contains(outer, call->start, call->duration))
			continue;
		o->call[n] = *call;
		outer = &o->call[n++];
	}
	o->count = n;
	if (n)
		qsort(o->call, n, sizeof(*o->call), compare_lengths);
}

void outermost_init(struct outermost *o, size_t wanted)
{
	size_t twice = wanted < OUTERMOST_MOST ? 2 * wanted : OUTERMOST_MOST;

	*o = (struct outermost){.wanted = wanted, .limit = FIRST > twice ? FIRST : twice};
}

bool outermost_settle(struct outermost *o)
{
	outermost_keep(o);
	if (o->count < o->wanted && o->dropped && o->limit < OUTERMOST_MOST) {
		o->limit *= MORE;
		o->count = o->dropped = 0;
		return false;
	}
	o->count = o->count < o->wanted ? o->count : o->wanted;
	return true;
}

int outermost_find(struct outermost *o, struct jfr_file *file, struct call_filter *filter, size_t wanted)
{
	const struct trace_reader reader = {&outermost_ops, o, filter};
	int err;

	outermost_init(o, wanted);
	err = trace_read_all(file, &reader, 1);
	while (!err && !outermost_settle(o))
		err = trace_read_again(file, &reader, 1);
	return err;
}

void outermost_release(struct outermost *o)
{
	free(o->call);
	own_waits_release(&o->own);
	*o = (struct outermost){0};
}
