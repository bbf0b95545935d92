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

static uint32_t nested_kind_number(struct nested_times *s, const struct call *call, uint32_t group)
{
	uint32_t *number = memory_map_at(&s->kind_numbers, call->method_id, group), *method;

	if (*number)
		return *number;
	method = memory_map_at(&s->methods, call->method_id, 0);
	if (!*method)
		*method = s->methods.count;
	*number = s->kinds + 1;
	memory_extend(&s->kind, &s->kinds, &s->kind_capacity, *number);
	s->kind[*number - 1] = (struct nested_kind){group, *method};
	return *number;
}

static struct span nested_call_span(const struct nested_call *c)
{
	return (struct span){c->start, c->duration, c->number};
}

/* May the call follow the other one in the order of their ends? Of two that end at once the inner one comes first. */
static bool nested_call_follows(const struct nested_call *a, const struct nested_call *b)
{
	struct span before = nested_call_span(a), span = nested_call_span(b);

	return span_contains(&span, &before) ||
	       (span_end(&span) >= span_end(&before) && !span_contains(&before, &span));
}

static int nested_call_compare(const void *a, const void *b)
{
	struct span x = nested_call_span(a), y = nested_call_span(b);

	return span_compare(&x, &y);
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
	t->call[t->count++] =
		(struct nested_call){call->start, call->duration, s->calls, nested_kind_number(s, call, group)};
	t->unsorted |= t->count > 1 && !nested_call_follows(&t->call[t->count - 2], &t->call[t->count - 1]);
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
	struct nested_open {
		struct span span;
		struct nested_kind kind;
	} *call;
	size_t count, capacity;
	uint32_t *open; /* calls of each method, by its number */
};

static void nested_stack_pop(struct nested_stack *stack)
{
	stack->open[stack->call[--stack->count].kind.method]--;
}

/* Take the next call, which comes before those in it. */
static void nested_stack_put(struct nested_times *s, struct nested_stack *stack, const struct nested_call *c)
{
	struct nested_open call = {nested_call_span(c), s->kind[c->kind - 1]};

	while (stack->count && !span_contains(&stack->call[stack->count - 1].span, &call.span))
		nested_stack_pop(stack);
	if (stack->count)
		nested_sum_add(s, stack->call[stack->count - 1].kind.group, -c->duration, 0);
	nested_sum_add(s, call.kind.group, c->duration, stack->open[call.kind.method] ? 0 : c->duration);
	stack->open[call.kind.method]++;
	memory_reserve(&stack->call, &stack->capacity, stack->count + 1);
	stack->call[stack->count++] = call;
}

static void nested_settle_thread(struct nested_times *s, const struct nested_thread *t, struct nested_stack *stack)
{
	if (t->unsorted)
		qsort(t->call, t->count, sizeof(*t->call), nested_call_compare);
	for (size_t i = 0; i < t->count; i++)
		nested_stack_put(s, stack, &t->call[t->unsorted ? i : t->count - 1 - i]);
	while (stack->count)
		nested_stack_pop(stack);
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
	free(s->kind);
	map_release(&s->methods);
	map_release(&s->kind_numbers);
	chunk_map_release(&s->in_chunk);
}
