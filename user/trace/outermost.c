// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/outermost.h"
#include "user/text/memory.h"

#include <stdlib.h>
#include <string.h>

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

	if (o->count == o->limit && call_longest(call) < o->call[0].charged) {
		o->dropped = true;
		return 0;
	}
	candidate.thread = thread_number(call->chunk, call->thread);
	candidate.charged = call->duration - own_waits_in(&o->own, candidate.thread, &candidate.span);
	candidate.charged = call->request > candidate.charged ? call->request : candidate.charged;
	outermost_add(o, &candidate);
	return 0;
}

static int outermost_on_task(const struct task *task, void *context)
{
	const struct outermost *o = context;

	if (!o->has_runs)
		task_runs_add(o->runs, task);
	return 0;
}

const struct trace_ops outermost_ops = {.wait = outermost_on_wait,
					.waits_end = outermost_on_waits_end,
					.task = outermost_on_task,
					.call = outermost_on_call};

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

/* ---- calls in tasks */

#define NONE UINT32_MAX

/* What the functions below share. Calls are indexes in o->call, so of two the lower one is charged more. */
struct task_calls {
	const struct outermost *o;
	uint32_t *by_place; /* all calls, as outermost_compare_places() has them */
	uint32_t *
		of_run; /* the first of the calls that handed over a run, or the task that did so, and so on; or NONE */
};

static int outermost_compare_indexes(const void *a, const void *b, void *calls)
{
	const struct outermost_call *call = calls;

	return outermost_compare_places(&call[*(const uint32_t *)a], &call[*(const uint32_t *)b]);
}

static int outermost_compare_runs(const void *a, const void *b, void *runs)
{
	const struct task_run *run = runs;

	return span_compare(&run[*(const uint32_t *)a].nested.span, &run[*(const uint32_t *)b].nested.span);
}

/* The numbers below `count`, sorted. Allocated. */
static uint32_t *sorted_indexes(size_t count, int (*compare)(const void *, const void *, void *), void *context)
{
	uint32_t *index = memory_need(calloc(count + 1, sizeof(*index)));

	for (size_t i = 0; i < count; i++)
		index[i] = i;
	if (count)
		qsort_r(index, count, sizeof(*index), compare, context);
	return index;
}

/* The call that the thread was in. */
static uint32_t task_calls_at(const struct task_calls *c, uint64_t thread, int64_t moment)
{
	const struct outermost_call *call = c->o->call;
	size_t n = lower_bound(i, c->o->count,
			       call[c->by_place[i]].thread > thread || (call[c->by_place[i]].thread == thread &&
									call[c->by_place[i]].span.start > moment));
	uint32_t last = n ? c->by_place[n - 1] : NONE;

	return thread && n && call[last].thread == thread && span_has_moment(&call[last].span, moment) ? last : NONE;
}

/* Of the calls for which the thread was busy the first one: its own, and those that handed over the task that it was in. */
static uint32_t task_calls_above(const struct task_calls *c, uint64_t thread, int64_t moment)
{
	const struct task_run *run = task_runs_at(c->o->runs, thread, moment);
	uint32_t above = run ? c->of_run[run - c->o->runs->run] : NONE, own = task_calls_at(c, thread, moment);

	if (run && own != NONE && run->nested.span.start > c->o->call[own].span.start)
		own = NONE; /* in its call, the thread runs a task of another one */
	return own < above ? own : above;
}

/* A task that is handed over by another one begins after that. */
static void task_calls_init(struct task_calls *c, const struct outermost *o)
{
	uint32_t *by_begin = sorted_indexes(o->runs->count, outermost_compare_runs, o->runs->run);

	c->o = o;
	c->by_place = sorted_indexes(o->count, outermost_compare_indexes, o->call);
	c->of_run = memory_need(malloc((o->runs->count + 1) * sizeof(*c->of_run)));
	memset(c->of_run, 0xff, o->runs->count * sizeof(*c->of_run));
	for (size_t i = 0; i < o->runs->count; i++) {
		const struct task_run *run = &o->runs->run[by_begin[i]];

		c->of_run[by_begin[i]] = task_calls_above(c, run->submitter, run->submitted);
	}
	free(by_begin);
}

static void task_calls_release(struct task_calls *c)
{
	free(c->by_place);
	free(c->of_run);
}

/* The first call that handed over the task in which the call was made, itself or not; NONE: there is none. */
static uint32_t task_calls_parent(const struct task_calls *c, uint32_t call)
{
	const struct outermost_call *made = &c->o->call[call];
	const struct task_run *run = task_runs_at(c->o->runs, made->thread, made->span.start);
	uint32_t above = run ? c->of_run[run - c->o->runs->run] : NONE;

	return above != NONE && c->o->call[above].span.start < made->span.start ? above : NONE;
}

/* So many of the calls, as they are, that `wanted` of them are in no task of another one of them; at most all. */
static size_t outermost_prefix(const struct outermost *o, const uint32_t *parent)
{
	uint32_t *children = memory_need(calloc(o->count + 1, sizeof(*children)));
	size_t n = 0, i = 0;

	for (; i < o->count && n < o->wanted; i++) {
		n -= children[i];
		n += parent[i] > i;
		if (parent[i] > i && parent[i] != NONE)
			children[parent[i]]++;
	}
	free(children);
	return i;
}

/* A call in a task is dropped if the one that it is a part of is among the wanted ones. */
static void outermost_leave_tasks(struct outermost *o)
{
	uint32_t *parent = memory_need(calloc(o->count + 1, sizeof(*parent)));
	struct task_calls c;
	size_t n = 0, end;

	task_calls_init(&c, o);
	for (size_t i = 0; i < o->count; i++)
		parent[i] = task_calls_parent(&c, i);
	end = outermost_prefix(o, parent);
	for (size_t i = 0; i < end; i++)
		if (parent[i] >= end)
			o->call[n++] = o->call[i];
	o->count = n;
	task_calls_release(&c);
	free(parent);
}

/* ---- finding */

void outermost_init(struct outermost *o, struct task_runs *runs, size_t wanted)
{
	size_t twice = wanted < OUTERMOST_MOST ? 2 * wanted : OUTERMOST_MOST;

	*o = (struct outermost){.wanted = wanted, .limit = FIRST > twice ? FIRST : twice, .runs = runs};
}

bool outermost_settle(struct outermost *o)
{
	if (!o->has_runs)
		task_runs_settle(o->runs);
	o->has_runs = true;
	outermost_keep(o);
	if (o->runs->count)
		outermost_leave_tasks(o);
	if (o->count < o->wanted && o->dropped && o->limit < OUTERMOST_MOST) {
		o->limit *= MORE;
		o->count = o->dropped = 0;
		return false;
	}
	o->count = o->count < o->wanted ? o->count : o->wanted;
	return true;
}

void outermost_find(struct outermost *o, struct task_runs *runs, struct jfr_file *file, struct call_filter *filter,
		    size_t wanted)
{
	const struct trace_reader reader = {&outermost_ops, o, filter};

	outermost_init(o, runs, wanted);
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
