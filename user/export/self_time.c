// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/self_time.h"
#include "user/text/memory.h"
#include "user/trace/sum.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW (1u << 18) /* calls */
#define SPANS  (1u << 16) /* for each thread; then the oldest are joined in pairs */

void self_time_release(struct self_time *s)
{
	for (size_t i = 0; i < s->threads; i++)
		free(s->thread[i].span);
	free(s->thread);
	free(s->window);
	free(s->sum);
	*s = (struct self_time){0};
}

/* By end; of two that end at once the inner one first. */
static int compare_ends(const void *a, const void *b)
{
	const struct self_time_call *x = a, *y = b;

	int64_t p = span_end(&x->span), q = span_end(&y->span);

	return p != q ? (p > q) - (p < q) : span_compare(&y->span, &x->span);
}

static int64_t part_sum(int64_t a, int64_t b)
{
	if (a == INT64_MIN || b == INT64_MIN)
		return a == INT64_MIN ? b : a;
	sum_add(&a, b);
	return a;
}

static void self_times_add(struct self_times *to, const struct self_times *times)
{
	sum_add(&to->duration, times->duration);
	to->cpu = part_sum(to->cpu, times->cpu);
	to->blocked = part_sum(to->blocked, times->blocked);
}

/* Subtract what a call inside another one took. Only parts that are known of both were added to `sum`. */
static void self_times_subtract(struct self_times *sum, const struct self_times *outer, const struct self_times *inner)
{
	sum_add(&sum->duration, -inner->duration);
	if (outer->cpu != INT64_MIN && inner->cpu != INT64_MIN)
		sum_add(&sum->cpu, -inner->cpu);
	if (outer->blocked != INT64_MIN && inner->blocked != INT64_MIN)
		sum_add(&sum->blocked, -inner->blocked);
}

/*
 * Join the older half in pairs, which bounds the memory of a thread with many calls that lie in no other one. Only a call
 * that lasts longer than the 32,768 before it, and begins between the two of a pair, does not find the second one.
 */
static void join_spans(struct self_time_thread *t)
{
	size_t half = t->count / 2 & ~(size_t)1;

	for (size_t i = 0; i < half; i += 2) {
		t->span[i / 2] = t->span[i];
		self_times_add(&t->span[i / 2].times, &t->span[i + 1].times);
		t->span[i / 2].span.duration = span_end(&t->span[i + 1].span) - t->span[i / 2].span.start;
	}
	memmove(t->span + half / 2, t->span + half, (t->count - half) * sizeof(*t->span));
	t->count -= half / 2;
}

static void self_time_process(struct self_time *s, const struct self_time_call *c)
{
	struct self_time_thread *t = &s->thread[c->thread - 1];
	struct self_time_span *last = t->count ? &t->span[t->count - 1] : NULL;

	self_times_add(&s->sum[c->sum], &c->times);
	/* c may seem to end after the call around it */
	if (last && span_contains(&last->span, &c->span)) {
		self_times_subtract(&s->sum[last->sum], &last->times, &c->times);
		return;
	}
	for (; t->count && t->span[t->count - 1].span.start >= c->span.start; t->count--)
		self_times_subtract(&s->sum[c->sum], &c->times, &t->span[t->count - 1].times);
	if (t->count == SPANS)
		join_spans(t);
	memory_reserve(&t->span, &t->capacity, t->count + 1);
	t->span[t->count++] = (struct self_time_span){c->span, c->times, c->sum};
}

/* Process the first `count` calls of the window in order. */
static void process_window(struct self_time *s, size_t count)
{
	if (!s->count)
		return;
	qsort(s->window, s->count, sizeof(*s->window), compare_ends);
	for (size_t i = 0; i < count; i++)
		self_time_process(s, &s->window[i]);
	s->count -= count;
	memmove(s->window, s->window + count, s->count * sizeof(*s->window));
}

void self_time_add(struct self_time *s, uint32_t thread, int64_t start, const struct self_times *times, uint32_t sum)
{
	struct self_time_call c = {
		.span = {start, times->duration, s->seen++}, .times = *times, .thread = thread, .sum = sum};

	memory_reserve(&s->sum, &s->capacity, (size_t)sum + 1);
	while (s->sums <= sum)
		s->sum[s->sums++] = (struct self_times){0, INT64_MIN, INT64_MIN};
	if (!thread) {
		self_times_add(&s->sum[sum], times);
		return;
	}
	memory_extend(&s->thread, &s->threads, &s->thread_capacity, thread);
	memory_reserve(&s->window, &s->window_capacity, s->count + 1);
	s->window[s->count++] = c;
	if (s->count == WINDOW)
		process_window(s, WINDOW / 2);
}

void self_time_finish(struct self_time *s)
{
	process_window(s, s->count);
}
