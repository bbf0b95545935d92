// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/call_tree.h"
#include "user/text/memory.h"
#include "user/trace/sum.h"
#include "user/trace/wait_place.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ITEMS (1u << 22) /* calls, and waits: 300 and 130 MB */
#define MOST_DEPTH 512	      /* levels; the printer recurses */

struct call_tree_call {
	uint32_t place, method;
	struct outermost_call span; /* its thread is not used */
	int64_t cpu, run_queue, blocked;
	bool split, thrown;
};

struct call_tree_wait {
	uint32_t place, reason, waker, holder, lock;
	int64_t middle, duration; /* the ends of a wait may be off by the error of the clock */
};

static int call_tree_compare_places(const void *a, const void *b)
{
	const struct outermost_call *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return (x->start > y->start) - (x->start < y->start);
}

void call_tree_init(struct call_tree *t, const struct outermost *roots, bool merged)
{
	*t = (struct call_tree){.merged = merged, .places = roots->count};
	t->place = memory_need(calloc(roots->count + 1, sizeof(*t->place)));
	t->root = memory_need(calloc(roots->count + 1, sizeof(*t->root)));
	if (roots->count) {
		memcpy(t->place, roots->call, roots->count * sizeof(*t->place));
		qsort(t->place, t->places, sizeof(*t->place), call_tree_compare_places);
	}
}

void call_tree_release(struct call_tree *t)
{
	for (size_t i = 0; t->root && i < t->places; i++)
		if (t->root[i].chunk)
			jfr_chunk_put(t->root[i].chunk);
	free(t->node);
	free(t->place);
	free(t->root);
	free(t->call);
	free(t->wait);
	texts_release(&t->texts);
	map_release(&t->index);
	method_names_release(&t->names);
	*t = (struct call_tree){0};
}

/* The number of places before a moment of a thread, or at it: that moment can only lie in the last of them. */
static size_t places_before(const struct call_tree *t, uint64_t thread, int64_t moment)
{
	const struct outermost_call key = {.thread = thread, .start = moment};

	return lower_bound(i, t->places, call_tree_compare_places(&t->place[i], &key) > 0);
}

/* The root that contains the span; false: none. A thread without a number may be any. */
static bool find_root(const struct call_tree *t, uint64_t thread, int64_t start, int64_t duration, uint32_t *place)
{
	size_t n = thread ? places_before(t, thread, start) : 0;

	if (!n || t->place[n - 1].thread != thread || !outermost_contains(&t->place[n - 1], start, duration))
		return false;
	*place = n - 1;
	return true;
}

static void keep_root(struct call_tree *t, uint32_t place, const struct call *call, uint64_t number)
{
	if (t->place[place].number != number || t->root[place].chunk)
		return;
	jfr_chunk_get(call->chunk);
	t->root[place] = *call;
}

void call_tree_add_call(struct call_tree *t, const struct call *call)
{
	struct call_tree_call item = {
		.span = {.number = call->number, .start = call->start, .duration = call->duration},
		.cpu = call->cpu,
		.run_queue = call->run_queue,
		.blocked = call->blocked,
		.split = call_has_split(call),
		.thrown = call->thrown};

	if (!find_root(t, thread_number(call->chunk, call->thread), call->start, call->duration, &item.place))
		return;
	if (t->calls == MOST_ITEMS) {
		t->left_out++;
		return;
	}
	item.method = method_names_number(&t->names, call->chunk, &call->method);
	memory_reserve(&t->call, &t->call_capacity, t->calls + 1);
	keep_root(t, item.place, call, item.span.number);
	t->call[t->calls++] = item;
}

/* The number of a text, which is freed. */
static uint32_t add_text(struct call_tree *t, char *text)
{
	uint32_t number = texts_number(&t->texts, text);

	free(text);
	return number;
}

const char *call_tree_text(const struct call_tree *t, uint32_t text)
{
	return text ? t->texts.text[text] : "";
}

void call_tree_add_wait(struct call_tree *t, const struct thread_wait *wait, uint32_t lock)
{
	struct call_tree_wait item = {
		.middle = wait->start + wait->duration / 2, .duration = wait->duration, .lock = lock};

	if (!find_root(t, thread_number(wait->chunk, wait->thread), item.middle, 0, &item.place))
		return;
	if (t->waits == MOST_ITEMS) {
		t->left_out++;
		return;
	}
	item.reason = add_text(t, thread_wait_reason(wait));
	item.waker = add_text(t, thread_wait_waker(wait));
	item.holder = add_text(t, wait_holder(wait));
	memory_reserve(&t->wait, &t->wait_capacity, t->waits + 1);
	t->wait[t->waits++] = item;
}

/* By root; there a call before those inside it. Of equal spans the later one in the file ended later. */
static int call_tree_compare_calls(const void *a, const void *b)
{
	const struct call_tree_call *x = a, *y = b;

	if (x->place != y->place)
		return (x->place > y->place) - (x->place < y->place);
	if (x->span.start != y->span.start)
		return (x->span.start > y->span.start) - (x->span.start < y->span.start);
	if (x->span.duration != y->span.duration)
		return (x->span.duration < y->span.duration) - (x->span.duration > y->span.duration);
	return (x->span.number < y->span.number) - (x->span.number > y->span.number);
}

static int call_tree_compare_waits(const void *a, const void *b)
{
	const struct call_tree_wait *x = a, *y = b;

	if (x->place != y->place)
		return (x->place > y->place) - (x->place < y->place);
	return (x->middle > y->middle) - (x->middle < y->middle);
}

static uint32_t new_node(struct call_tree *t, uint32_t parent, uint32_t method)
{
	struct call_tree_node *node;

	memory_reserve(&t->node, &t->capacity, (size_t)t->count + 1);
	node = &t->node[t->count];
	*node = (struct call_tree_node){.parent = parent, .method = method};
	if (t->count) {
		node->depth = t->node[parent].depth + 1;
		node->next = t->node[parent].child;
		t->node[parent].child = t->count;
	}
	return t->count++;
}

/* Find or make the node of a call below `parent`. */
static uint32_t node_of(struct call_tree *t, uint32_t parent, const struct call_tree_call *call)
{
	uint64_t own = !parent && !t->merged ? (uint64_t)(call->place + 1) << 32 : 0;
	uint32_t *node = memory_map_at(&t->index, parent, own | call->method);

	if (!*node)
		*node = new_node(t, parent, call->method);
	return *node;
}

static bool is_fast(const struct call_tree *t, uint32_t place)
{
	return t->place[place].duration < t->slow_ns;
}

static void node_add_call(struct call_tree *t, uint32_t n, const struct call_tree_call *call)
{
	struct call_tree_node *node = &t->node[n];

	if (is_fast(t, call->place)) {
		node->fast_calls++;
		sum_add(&node->fast_total, call->span.duration);
		return;
	}
	node->calls++;
	node->thrown += call->thrown;
	sum_add(&node->total, call->span.duration);
	sum_add(&node->self, call->span.duration);
	if (node->parent)
		sum_add(&t->node[node->parent].self, -call->span.duration);
	else if (node->calls == 1 || call->span.duration > t->place[node->place].duration)
		node->place = call->place;
	if (!call->split) {
		node->unsplit++;
		return;
	}
	sum_add(&node->cpu, call->cpu);
	sum_add(&node->run_queue, call->run_queue);
	sum_add(&node->blocked, call->blocked);
}

static void node_add_wait(struct call_tree_node *node, const struct call_tree_wait *wait)
{
	if (wait->duration <= node->longest_wait)
		return;
	node->longest_wait = wait->duration;
	node->wait_reason = wait->reason;
	node->wait_waker = wait->waker;
	node->wait_holder = wait->holder;
	node->wait_lock = wait->lock;
}

/* The calls that are open at a moment of a root, outermost first. */
struct open_stack {
	struct open_stack_call {
		const struct call_tree_call *call;
		uint32_t node;
	} *call;
	size_t depth, capacity;
};

static void close_ended(struct open_stack *open, uint32_t place, int64_t start, int64_t duration)
{
	while (open->depth) {
		const struct call_tree_call *last = open->call[open->depth - 1].call;

		if (last->place == place && outermost_contains(&last->span, start, duration))
			return;
		open->depth--;
	}
}

static void fold_call(struct call_tree *t, struct open_stack *open, const struct call_tree_call *call)
{
	uint32_t node;

	close_ended(open, call->place, call->span.start, call->span.duration);
	if (open->depth == MOST_DEPTH) {
		t->left_out++;
		return;
	}
	memory_reserve(&open->call, &open->capacity, open->depth + 1);
	node = node_of(t, open->depth ? open->call[open->depth - 1].node : 0, call);
	node_add_call(t, node, call);
	open->call[open->depth++] = (struct open_stack_call){call, node};
}

static void fold_wait(struct call_tree *t, struct open_stack *open, const struct call_tree_wait *wait)
{
	if (is_fast(t, wait->place))
		return;
	close_ended(open, wait->place, wait->middle, 0);
	for (size_t i = 0; i < open->depth; i++)
		node_add_wait(&t->node[open->call[i].node], wait);
}

static bool wait_is_before(const struct call_tree_wait *wait, const struct call_tree_call *call)
{
	return wait->place != call->place ? wait->place < call->place : wait->middle < call->span.start;
}

void call_tree_fold(struct call_tree *t)
{
	struct open_stack open = {0};
	size_t w = 0;

	if (t->calls)
		qsort(t->call, t->calls, sizeof(*t->call), call_tree_compare_calls);
	if (t->waits)
		qsort(t->wait, t->waits, sizeof(*t->wait), call_tree_compare_waits);
	new_node(t, 0, 0);
	for (size_t i = 0; i < t->calls; i++) {
		for (; w < t->waits && wait_is_before(&t->wait[w], &t->call[i]); w++)
			fold_wait(t, &open, &t->wait[w]);
		fold_call(t, &open, &t->call[i]);
	}
	for (; w < t->waits; w++)
		fold_wait(t, &open, &t->wait[w]);
	free(open.call);
	method_names_settle(&t->names);
}
