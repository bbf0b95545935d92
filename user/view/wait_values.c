// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/wait_values.h"
#include "format/vec.h"
#include "user/text/memory.h"
#include "user/print/user_values_text.h"

#include <stdlib.h>

void wait_values_release(struct wait_values *v)
{
	free(v->wait);
	free(v->call);
	texts_release(&v->texts);
	aggregate_release(&v->sums);
}

void wait_values_add_wait(struct wait_values *v, const struct thread_wait *wait, const char *reason)
{
	memory_reserve(&v->wait, &v->wait_capacity, v->waits + 1);
	v->wait[v->waits++] = (struct wait_values_wait){thread_number(wait->chunk, wait->thread), wait_middle(wait),
							wait->duration, texts_number(&v->texts, reason)};
}

void wait_values_add_call(struct wait_values *v, const struct call *call, const char *field)
{
	struct bytes value;

	bytes_init(&value);
	if (user_values_put_typed(&value, call, field)) {
		memory_reserve(&v->call, &v->call_capacity, v->calls + 1);
		v->call[v->calls++] = (struct wait_values_call){{call_span(call), NULL},
								thread_number(call->chunk, call->thread),
								texts_number(&v->texts, memory_text(&value))};
	}
	bytes_release(&value);
}

static int wait_values_compare_calls(const void *a, const void *b)
{
	const struct wait_values_call *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return span_compare(&x->nested.span, &y->nested.span);
}

static int wait_values_compare_waits(const void *a, const void *b)
{
	const struct wait_values_wait *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return (x->middle > y->middle) - (x->middle < y->middle);
}

static int wait_values_compare_sums(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	if (x->first != y->first)
		return (x->first > y->first) - (x->first < y->first);
	return (x->second > y->second) - (x->second < y->second);
}

/* Is the call's beginning before the wait's moment, in the order of threads? */
static bool wait_values_is_before(const struct wait_values_call *c, const struct wait_values_wait *w)
{
	return c->thread != w->thread ? c->thread < w->thread : c->nested.span.start <= w->middle;
}

void wait_values_settle(struct wait_values *v)
{
	struct nested *inner = NULL;
	size_t c = 0;

	if (v->calls)
		qsort(v->call, v->calls, sizeof(*v->call), wait_values_compare_calls);
	if (v->waits)
		qsort(v->wait, v->waits, sizeof(*v->wait), wait_values_compare_waits);
	for (size_t i = 0; i < v->waits; i++) {
		const struct wait_values_wait *w = &v->wait[i];
		const struct wait_values_call *around;

		for (; c < v->calls && wait_values_is_before(&v->call[c], w); c++) {
			bool same = inner && ((struct wait_values_call *)inner)->thread == v->call[c].thread;

			v->call[c].nested.around = same ? nest_around(inner, &v->call[c].nested.span) : NULL;
			inner = &v->call[c].nested;
		}
		around = (struct wait_values_call *)inner;
		if (around && around->thread != w->thread)
			around = NULL;
		around = around && w->thread ? (struct wait_values_call *)nest_at(inner, w->middle) : NULL;
		aggregate_add(aggregate_of(&v->sums, around ? around->value : 0, w->reason), w->duration, false);
	}
	aggregate_sort(&v->sums, wait_values_compare_sums);
}

/* ---- single calls */

void wait_calls_release(struct wait_calls *w)
{
	free(w->wanted);
	free(w->order);
	texts_release(&w->texts);
}

void wait_calls_want(struct wait_calls *w, uint64_t *number, struct wait_call call)
{
	if (!*number) {
		memory_reserve(&w->wanted, &w->capacity, w->count + 1);
		*number = ++w->count;
	}
	w->wanted[*number - 1] = (struct wait_calls_wanted){.call = call};
}

static int wait_calls_compare(const void *a, const void *b, void *context)
{
	const struct wait_calls_wanted *wanted = context;
	const struct wait_call *x = &wanted[*(const uint32_t *)a].call, *y = &wanted[*(const uint32_t *)b].call;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return (x->start > y->start) - (x->start < y->start);
}

void wait_calls_settle(struct wait_calls *w)
{
	w->order = memory_need(calloc(w->count + 1, sizeof(*w->order)));
	for (uint32_t i = 0; i < w->count; i++)
		w->order[i] = i;
	qsort_r(w->order, w->count, sizeof(*w->order), wait_calls_compare, w->wanted);
}

/* Of calls around one moment the shortest one is the innermost. */
static bool wait_calls_is_better(const struct wait_calls_wanted *wanted, const struct call *call)
{
	const struct span span = call_span(call);

	if (wanted->call.duration >= 0)
		return call->start == wanted->call.start && call->duration == wanted->call.duration;
	return span_has_moment(&span, wanted->call.start) && (!wanted->values || call->duration < wanted->found);
}

static uint32_t wait_calls_values(struct wait_calls *w, const struct call *call)
{
	struct bytes text;
	uint32_t number;

	bytes_init(&text);
	if (w->json)
		user_values_put_json(&text, call);
	else
		user_values_put(&text, call, NULL, call->chunk->metadata->utc_offset);
	number = texts_number(&w->texts, memory_text(&text));
	bytes_release(&text);
	return number;
}

void wait_calls_read(struct wait_calls *w, const struct call *call, uint32_t thread)
{
	int64_t end = call->start + call->duration;
	size_t i;

	if (!call->values || !thread)
		return;
	i = lower_bound(n, w->count,
			w->wanted[w->order[n]].call.thread > thread ||
				(w->wanted[w->order[n]].call.thread == thread &&
				 w->wanted[w->order[n]].call.start >= call->start));
	for (; i < w->count; i++) {
		struct wait_calls_wanted *wanted = &w->wanted[w->order[i]];

		if (wanted->call.thread != thread || wanted->call.start > end)
			break;
		if (!wait_calls_is_better(wanted, call))
			continue;
		wanted->found = call->duration;
		wanted->values = wait_calls_values(w, call);
	}
}

const char *wait_calls_text(const struct wait_calls *w, uint64_t number)
{
	uint32_t values = number ? w->wanted[number - 1].values : 0;

	return values ? w->texts.text[values] : "";
}
