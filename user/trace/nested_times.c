// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/nested_times.h"
#include "user/trace/sum.h"
#include "user/trace/wait.h"

#include <stdlib.h>

/* The number of the call's thread; 0: unknown. */
static uint32_t nested_thread_number(struct nested_times *s, const struct call *call)
{
	uint32_t *of_key = chunk_map_at(&s->in_chunk, call->chunk, &call->thread, 0), *number;
	uint64_t id;

	if (*of_key)
		return *of_key;
	id = thread_number(call->chunk, call->thread);
	if (!id)
		return 0;
	number = memory_map_at(&s->thread_numbers, id, 0);
	if (!*number) {
		*number = s->threads + 1;
		memory_extend(&s->thread, &s->threads, &s->thread_capacity, *number);
	}
	return *of_key = *number;
}

static uint32_t nested_method_number(struct nested_times *s, const struct call *call)
{
	uint32_t *number = memory_map_at(&s->methods, call->method_id, 0);

	if (!*number)
		*number = s->methods.count;
	return *number;
}

static void nested_sum_forget(struct nested_sum *sum)
{
	sum->self = sum->outermost = INT64_MIN;
}

void nested_times_add(struct nested_times *s, const struct call *call, uint32_t group)
{
	uint32_t number = nested_thread_number(s, call);
	struct nested_thread *t;

	if (group)
		memory_extend(&s->sum, &s->groups, &s->group_capacity, group);
	if (group && !number)
		nested_sum_forget(&s->sum[group - 1]);
	if (!number || s->calls > NESTED_TIMES_MOST || ++s->calls > NESTED_TIMES_MOST)
		return;
	t = &s->thread[number - 1];
	memory_reserve(&t->call, &t->capacity, t->count + 1);
	t->call[t->count++] = (struct nested_call){call_span(call), group, nested_method_number(s, call)};
}

static int nested_call_compare(const void *a, const void *b)
{
	return span_compare(&((const struct nested_call *)a)->span, &((const struct nested_call *)b)->span);
}

static void nested_sum_add(struct nested_times *s, uint32_t group, int64_t self, int64_t outermost)
{
	struct nested_sum *sum = group ? &s->sum[group - 1] : NULL;

	if (!sum || sum->self == INT64_MIN)
		return;
	sum_add(&sum->self, self);
	sum_add(&sum->outermost, outermost);
}

/* The calls of a thread that are open at a moment, outermost first. */
struct nested_stack {
	struct nested_call **call;
	size_t count, capacity;
	uint32_t *open; /* calls of each method, by its number */
};

static void nested_settle_thread(struct nested_times *s, const struct nested_thread *t, struct nested_stack *stack)
{
	qsort(t->call, t->count, sizeof(*t->call), nested_call_compare);
	for (size_t i = 0; i < t->count; i++) {
		struct nested_call *c = &t->call[i];
		int64_t duration = c->span.duration;

		while (stack->count && !span_contains(&stack->call[stack->count - 1]->span, &c->span))
			stack->open[stack->call[--stack->count]->method]--;
		if (stack->count)
			nested_sum_add(s, stack->call[stack->count - 1]->group, -duration, 0);
		nested_sum_add(s, c->group, duration, stack->open[c->method] ? 0 : duration);
		stack->open[c->method]++;
		memory_reserve(&stack->call, &stack->capacity, stack->count + 1);
		stack->call[stack->count++] = c;
	}
	while (stack->count)
		stack->open[stack->call[--stack->count]->method]--;
}

void nested_times_settle(struct nested_times *s)
{
	struct nested_stack stack = {.open = memory_need(calloc(s->methods.count + 1, sizeof(*stack.open)))};

	for (size_t i = 0; i < s->threads && s->calls <= NESTED_TIMES_MOST; i++)
		if (s->thread[i].count)
			nested_settle_thread(s, &s->thread[i], &stack);
	for (size_t i = 0; i < s->groups && s->calls > NESTED_TIMES_MOST; i++)
		nested_sum_forget(&s->sum[i]);
	free(stack.call);
	free(stack.open);
}

struct nested_sum nested_times_of(const struct nested_times *s, uint32_t group)
{
	return s->sum[group - 1];
}

void nested_times_release(struct nested_times *s)
{
	for (size_t i = 0; i < s->threads; i++)
		free(s->thread[i].call);
	free(s->thread);
	free(s->sum);
	map_release(&s->thread_numbers);
	map_release(&s->methods);
	map_release(&s->in_chunk.map);
}
