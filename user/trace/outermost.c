// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/outermost.h"
#include "user/text/memory.h"

#include <stdlib.h>

#define FIRST 4096u /* candidates in the first pass, */
#define MORE  16u   /* times as many in the next one, up to OUTERMOST_MOST: 40 MB */

static int outermost_compare_charges(const void *a, const void *b)
{
	const struct outermost_call *x = a, *y = b;

	return x->charged != y->charged ? (x->charged < y->charged) - (x->charged > y->charged)
					: span_compare_durations(&x->span, &y->span);
}

static bool is_longer(const struct outermost_call *a, const struct outermost_call *b)
{
	return outermost_compare_charges(a, b) < 0;
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
	struct outermost_call candidate = {.span = call_span(call)};

	if (o->count == o->limit && call->duration < o->call[0].charged) {
		o->dropped = true;
		return 0;
	}
	candidate.thread = thread_number(call->chunk, call->thread);
	candidate.charged = call->duration - own_waits_in(&o->own, candidate.thread, &candidate.span);
	outermost_add(o, &candidate);
	return 0;
}

const struct trace_ops outermost_ops = {
	.wait = outermost_on_wait, .waits_end = outermost_on_waits_end, .call = outermost_on_call};

int outermost_compare_places(const void *a, const void *b)
{
	const struct outermost_call *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return span_compare(&x->span, &y->span);
}

/* Keep those that lie in no other one. A thread without a number may be any. */
static void outermost_keep(struct outermost *o)
{
	const struct outermost_call *outer = NULL;
	size_t n = 0;

	if (o->count)
		qsort(o->call, o->count, sizeof(*o->call), outermost_compare_places);
	for (size_t i = 0; i < o->count; i++) {
		struct outermost_call *call = &o->call[i];

		if (outer && call->thread && outer->thread == call->thread && span_contains(&outer->span, &call->span))
			continue;
		o->call[n] = *call;
		outer = &o->call[n++];
	}
	o->count = n;
	if (n)
		qsort(o->call, n, sizeof(*o->call), outermost_compare_charges);
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

void outermost_find(struct outermost *o, struct jfr_file *file, struct call_filter *filter, size_t wanted)
{
	const struct trace_reader reader = {&outermost_ops, o, filter};

	outermost_init(o, wanted);
	trace_read_all(file, &reader, 1);
	while (!outermost_settle(o))
		trace_read_again(file, &reader, 1);
}

void outermost_release(struct outermost *o)
{
	free(o->call);
	own_waits_release(&o->own);
	*o = (struct outermost){0};
}
