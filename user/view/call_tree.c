// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/call_tree.h"
#include "user/text/memory.h"
#include "user/trace/nest.h"
#include "user/trace/sum.h"
#include "user/trace/wait_place.h"
#include "user/print/user_values_text.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ITEMS (1u << 22) /* calls, and waits with samples: 300 and 200 MB */
#define MOST_DEPTH 512	      /* levels; the printer recurses */

struct call_tree_call {
	struct nested nested; /* the first member, see call_of() */
	uint32_t place, branch, method, value, node;
	int64_t cpu, run_queue, blocked, allocated;
	bool split, thrown;
};

static struct call_tree_call *call_of(struct nested *n)
{
	return (struct call_tree_call *)n;
}

/* Or a sample. */
struct call_tree_wait {
	uint32_t place, branch, reason, waker, holder, resource, peer, number;
	uint32_t service, process, container;
	uint32_t method; /* that was running */
	int64_t middle, duration;
	bool is_sample;
};

/* The run of a task. Branches are numbered from 1 on; 0 is the thread of the root. */
struct call_tree_branch {
	const struct task_run *run;
	uint32_t root;	 /* the place of the root that it belongs to + 1; 0: none */
	uint32_t parent; /* the branch from which it was handed over */
};

/* The last root of a thread that began by then: only in that one a moment can lie. A thread without a number may be any. */
static const struct outermost_call *root_before(const struct call_tree *t, uint64_t thread, int64_t moment)
{
	size_t n = lower_bound(i, t->places,
			       t->place[i].thread > thread ||
				       (t->place[i].thread == thread && t->place[i].span.start > moment));

	return thread && n && t->place[n - 1].thread == thread ? &t->place[n - 1] : NULL;
}

/* The root that the thread was busy for, itself or in a task. The moment may lie behind the end of a root of its own. */
static const struct outermost_call *root_at(const struct call_tree *t, uint64_t thread, int64_t moment,
					    uint32_t *branch)
{
	const struct task_run *run = task_runs_at(t->runs, thread, moment);
	uint32_t b = run ? t->branch_of[run - t->runs->run] : 0;

	*branch = 0;
	if (!b || !t->branch[b - 1].root)
		return root_before(t, thread, moment);
	*branch = b;
	return &t->place[t->branch[b - 1].root - 1];
}

/* True if the thread, in the root, was busy for a task that is none of the root's: root_at() has found no branch. */
static bool is_for_another(const struct call_tree *t, const struct outermost_call *root, int64_t moment)
{
	const struct task_run *run = task_runs_at(t->runs, root->thread, moment);

	return run && run->nested.span.start > root->span.start;
}

static int branch_compare(const void *a, const void *b)
{
	const struct call_tree_branch *x = a, *y = b;

	return span_compare(&x->run->nested.span, &y->run->nested.span);
}

/* A task that is handed over by another one begins after that. */
static void branches_init(struct call_tree *t)
{
	size_t count = t->runs->count;

	t->branch = memory_need(calloc(count + 1, sizeof(*t->branch)));
	t->branch_of = memory_need(calloc(count + 1, sizeof(*t->branch_of)));
	for (size_t i = 0; i < count; i++)
		t->branch[i].run = &t->runs->run[i];
	if (count)
		qsort(t->branch, count, sizeof(*t->branch), branch_compare);
	for (uint32_t i = 0; i < count; i++) {
		struct call_tree_branch *b = &t->branch[i];
		const struct outermost_call *root = root_at(t, b->run->submitter, b->run->submitted, &b->parent);

		if (root && (b->parent || span_has_moment(&root->span, b->run->submitted)))
			b->root = root - t->place + 1;
		t->branch_of[b->run - t->runs->run] = i + 1;
	}
}

void call_tree_init(struct call_tree *t, const struct outermost *roots, const struct task_runs *runs, bool merged)
{
	*t = (struct call_tree){.merged = merged, .runs = runs, .places = roots->count};
	t->place = memory_need(calloc(roots->count + 1, sizeof(*t->place)));
	t->root = memory_need(calloc(roots->count + 1, sizeof(*t->root)));
	if (roots->count) {
		memcpy(t->place, roots->call, roots->count * sizeof(*t->place));
		qsort(t->place, t->places, sizeof(*t->place), outermost_compare_places);
	}
	branches_init(t);
}

void call_tree_release(struct call_tree *t)
{
	for (size_t i = 0; t->root && i < t->places; i++)
		if (t->root[i].chunk)
			jfr_chunk_put(t->root[i].chunk);
	for (uint32_t i = 0; i < t->count; i++)
		call_samples_release(&t->node[i].samples);
	free(t->node);
	free(t->place);
	free(t->root);
	free(t->branch);
	free(t->branch_of);
	free(t->call);
	free(t->wait);
	texts_release(&t->texts);
	map_release(&t->index);
	map_release(&t->kinds);
	throttled_release(&t->throttled);
	method_names_release(&t->names);
	*t = (struct call_tree){0};
}

static void keep_root(struct call_tree *t, uint32_t place, const struct call *call)
{
	if (t->place[place].span.number != call->number || t->root[place].chunk)
		return;
	jfr_chunk_get(call->chunk);
	t->root[place] = *call;
}

uint32_t call_tree_add_text(struct call_tree *t, struct bytes *text)
{
	return text->size ? texts_number(&t->texts, memory_text(text)) : 0;
}

/* The value by which calls are told apart. */
static uint32_t call_tree_value(struct call_tree *t, const struct call *call)
{
	struct bytes text;
	uint32_t number;

	if (!t->by || !call->values)
		return 0;
	bytes_init(&text);
	user_values_put(&text, call, t->by, 0);
	number = call_tree_add_text(t, &text);
	bytes_release(&text);
	t->has_by |= number > 0;
	return number;
}

void call_tree_add_call(struct call_tree *t, const struct call *call)
{
	uint32_t branch;
	const struct outermost_call *root = root_at(t, thread_number(call->chunk, call->thread), call->start, &branch);
	struct call_tree_call item = {.nested = {.span = call_span(call)},
				      .cpu = call->cpu,
				      .run_queue = call->run_queue,
				      .blocked = call->blocked,
				      .allocated = call->allocated,
				      .split = call_has_split(call),
				      .thrown = call->thrown};

	if (!root ||
	    (!branch && (!span_contains(&root->span, &item.nested.span) || is_for_another(t, root, call->start))))
		return;
	if (t->calls == MOST_ITEMS) {
		t->left_out++;
		return;
	}
	item.place = root - t->place;
	item.branch = branch;
	item.method = method_names_number(&t->names, call->chunk, &call->method);
	item.value = call_tree_value(t, call);
	t->has_values |= call->values > 0;
	t->has_allocated |= call->allocated != INT64_MIN;
	memory_reserve(&t->call, &t->call_capacity, t->calls + 1);
	keep_root(t, item.place, call);
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

/* Make an item at that moment. NULL: it lies in no root, or there are too many. */
static struct call_tree_wait *call_tree_item(struct call_tree *t, uint64_t thread, int64_t moment)
{
	struct call_tree_wait item = {.middle = moment};
	const struct outermost_call *root = root_at(t, thread, moment, &item.branch);

	if (!root || (!item.branch && !span_has_moment(&root->span, moment)))
		return NULL;
	if (t->waits == MOST_ITEMS) {
		t->left_out++;
		return NULL;
	}
	item.place = root - t->place;
	memory_reserve(&t->wait, &t->wait_capacity, t->waits + 1);
	t->wait[t->waits] = item;
	return &t->wait[t->waits++];
}

void call_tree_add_wait(struct call_tree *t, const struct thread_wait *wait, uint32_t number)
{
	struct call_tree_wait *item = call_tree_item(t, thread_number(wait->chunk, wait->thread), wait_middle(wait));

	if (!item)
		return;
	item->duration = wait->duration;
	item->number = number;
	item->reason = add_text(t, thread_wait_reason(wait));
	item->waker = add_text(t, thread_wait_waker(wait));
	item->holder = add_text(t, wait_holder(wait));
	item->resource = add_text(t, thread_wait_resource(wait));
	item->peer = add_text(t, thread_wait_peer(wait));
	item->service = add_text(t, thread_wait_service(wait));
	item->process = add_text(t, thread_wait_process(wait));
	item->container = add_text(t, thread_wait_container(wait));
}

void call_tree_add_sample(struct call_tree *t, uint64_t thread, int64_t moment, uint32_t method)
{
	struct call_tree_wait *item = call_tree_item(t, thread, moment);

	if (!item)
		return;
	item->is_sample = t->has_samples = true;
	item->method = method;
}

/* By root and thread; there a call before those inside it. */
static int call_tree_compare_calls(const void *a, const void *b)
{
	const struct call_tree_call *x = a, *y = b;

	if (x->place != y->place)
		return (x->place > y->place) - (x->place < y->place);
	if (x->branch != y->branch)
		return (x->branch > y->branch) - (x->branch < y->branch);
	return span_compare(&x->nested.span, &y->nested.span);
}

static int call_tree_compare_waits(const void *a, const void *b)
{
	const struct call_tree_wait *x = a, *y = b;

	if (x->place != y->place)
		return (x->place > y->place) - (x->place < y->place);
	if (x->branch != y->branch)
		return (x->branch > y->branch) - (x->branch < y->branch);
	return (x->middle > y->middle) - (x->middle < y->middle);
}

static uint32_t new_node(struct call_tree *t, uint32_t parent, uint32_t method, uint32_t value)
{
	struct call_tree_node *node;

	memory_reserve(&t->node, &t->capacity, (size_t)t->count + 1);
	node = &t->node[t->count];
	*node = (struct call_tree_node){.parent = parent, .method = method, .value = value};
	if (t->count) {
		node->depth = t->node[parent].depth + 1;
		node->next = t->node[parent].child;
		t->node[parent].child = t->count;
	}
	return t->count++;
}

static uint32_t call_tree_kind(struct call_tree *t, uint32_t method, uint32_t value)
{
	uint32_t *kind;

	if (!t->by)
		return method;
	kind = memory_map_at(&t->kinds, method, value);
	if (!*kind)
		*kind = ++t->kind;
	return *kind;
}

#define NODE_OF_TASK (1ull << 63)

/* Find or make the node of a call below `parent`; as an outermost call of that task, if it is not NULL. */
static uint32_t node_of(struct call_tree *t, uint32_t parent, const struct call_tree_call *call,
			const struct task_run *task)
{
	uint64_t own = task		       ? NODE_OF_TASK | (uint64_t)task->task << 32
		       : !parent && !t->merged ? (uint64_t)(call->place + 1) << 32
					       : 0;
	uint32_t kind = call_tree_kind(t, call->method, call->value);
	uint32_t *node = memory_map_at(&t->index, parent, own | kind);

	if (!*node)
		*node = new_node(t, parent, call->method, call->value);
	return *node;
}

static bool is_fast(const struct call_tree *t, uint32_t place)
{
	return t->place[place].span.duration < t->slow_ns;
}

/* What is unknown once is unknown in the sum. */
static void add_known(int64_t *sum, int64_t n, int64_t sign)
{
	if (*sum == INT64_MIN || n == INT64_MIN)
		*sum = INT64_MIN;
	else
		sum_add(sum, sign * n);
}

static void node_add_allocated(struct call_tree *t, struct call_tree_node *node, int64_t allocated,
			       const struct task_run *task)
{
	add_known(&node->allocated, allocated, 1);
	add_known(&node->self_allocated, allocated, 1);
	if (node->parent && !task) /* another thread has allocated it */
		add_known(&t->node[node->parent].self_allocated, allocated, -1);
}

static void node_add_task(struct call_tree *t, struct call_tree_node *node, const struct task_run *task)
{
	node->task = texts_number(&t->texts, t->runs->texts.text[task->task]);
	node->thread = texts_number(&t->texts, t->runs->texts.text[task->name]);
	node->queued = task->nested.span.start - task->submitted;
}

static void node_add_call(struct call_tree *t, uint32_t n, const struct call_tree_call *call,
			  const struct task_run *task)
{
	struct call_tree_node *node = &t->node[n];

	if (is_fast(t, call->place)) {
		node->fast_calls++;
		sum_add(&node->fast_total, call->nested.span.duration);
		return;
	}
	if (!node->calls || span_compare_durations(&call->nested.span, &node->longest) < 0) {
		node->longest = call->nested.span;
		if (task)
			node_add_task(t, node, task);
	}
	node->calls++;
	node->thrown += call->thrown;
	node->throttled += throttled_is_of(&t->throttled, &call->nested.span);
	sum_add(&node->total, call->nested.span.duration);
	sum_add(&node->self, call->nested.span.duration);
	node_add_allocated(t, node, call->allocated, task);
	if (task)
		;
	else if (node->parent)
		sum_add(&t->node[node->parent].self, -call->nested.span.duration);
	else if (node->calls == 1 || call->nested.span.duration > t->place[node->place].span.duration)
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
	node->all_samples += wait->is_sample;
	if (wait->is_sample || wait->duration <= node->longest_wait)
		return;
	node->longest_wait = wait->duration;
	node->wait_reason = wait->reason;
	node->wait_waker = wait->waker;
	node->wait_holder = wait->holder;
	node->wait_resource = wait->resource;
	node->wait_peer = wait->peer;
	node->wait_service = wait->service;
	node->wait_process = wait->process;
	node->wait_container = wait->container;
	node->wait_number = wait->number;
}

/* Where a task stands: the node of the innermost call that handed it over, or of the one around its own task. */
static uint32_t branch_node(const struct call_tree *t, uint32_t place, uint32_t branch)
{
	while (branch) {
		int64_t moment = t->branch[branch - 1].run->submitted;
		const struct nested *inner = NULL;
		size_t n;

		branch = t->branch[branch - 1].parent;
		n = lower_bound(i, t->calls,
				t->call[i].place > place ||
					(t->call[i].place == place &&
					 (t->call[i].branch > branch ||
					  (t->call[i].branch == branch && t->call[i].nested.span.start > moment))));
		if (n && t->call[n - 1].place == place && t->call[n - 1].branch == branch)
			inner = nest_at(&t->call[n - 1].nested, moment);
		if (inner)
			return ((const struct call_tree_call *)inner)->node;
	}
	return 0;
}

/* Returns the call, or the one around it if that is too deep. `top`: the node around the outermost calls. */
static struct nested *fold_call(struct call_tree *t, struct nested *inner, struct call_tree_call *call, uint32_t top)
{
	struct nested *around = call->nested.around = nest_around(inner, &call->nested.span);
	const struct task_run *task = call->branch && !around ? t->branch[call->branch - 1].run : NULL;
	uint32_t parent = around ? call_of(around)->node : top;

	if (t->node[parent].depth == MOST_DEPTH || (task && !top)) {
		t->left_out++;
		return around;
	}
	call->node = node_of(t, parent, call, task);
	node_add_call(t, call->node, call, task);
	return &call->nested;
}

static void fold_wait(struct call_tree *t, struct nested *inner, const struct call_tree_wait *wait)
{
	if (is_fast(t, wait->place))
		return;
	inner = nest_at(inner, wait->middle);
	if (inner && wait->is_sample)
		call_samples_add(&t->node[call_of(inner)->node].samples, wait->method);
	for (; inner; inner = inner->around)
		node_add_wait(&t->node[call_of(inner)->node], wait);
}

static bool wait_is_before(const struct call_tree_wait *wait, const struct call_tree_call *call)
{
	if (wait->place != call->place)
		return wait->place < call->place;
	return wait->branch != call->branch ? wait->branch < call->branch : wait->middle < call->nested.span.start;
}

/* Fold the calls of a branch from `c` on, and its waits from *w on. Returns the first call of the next one. */
static size_t fold_branch(struct call_tree *t, size_t c, size_t *w)
{
	uint32_t place = t->call[c].place, branch = t->call[c].branch, top = branch_node(t, place, branch);
	struct nested *inner = NULL;

	for (; c < t->calls && t->call[c].place == place && t->call[c].branch == branch; c++) {
		for (; *w < t->waits && wait_is_before(&t->wait[*w], &t->call[c]); ++*w)
			fold_wait(t, inner, &t->wait[*w]);
		inner = fold_call(t, inner, &t->call[c], top);
	}
	for (; *w < t->waits && t->wait[*w].place == place && t->wait[*w].branch == branch; ++*w)
		fold_wait(t, inner, &t->wait[*w]);
	return c;
}

void call_tree_fold(struct call_tree *t)
{
	size_t w = 0;

	if (t->calls)
		qsort(t->call, t->calls, sizeof(*t->call), call_tree_compare_calls);
	if (t->waits)
		qsort(t->wait, t->waits, sizeof(*t->wait), call_tree_compare_waits);
	new_node(t, 0, 0, 0);
	for (size_t c = 0; c < t->calls;)
		c = fold_branch(t, c, &w);
	method_names_settle(&t->names);
}

static int tree_compare(const void *a, const void *b, void *tree)
{
	const struct call_tree *t = tree;
	const struct call_tree_node *x = &t->node[*(uint32_t *)a], *y = &t->node[*(uint32_t *)b];

	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	return strcmp(method_names_text(&t->names, x->method), method_names_text(&t->names, y->method))
		       ?: strcmp(call_tree_text(t, x->value), call_tree_text(t, y->value));
}

uint32_t *call_tree_children(struct call_tree *t, uint32_t parent, uint32_t *count)
{
	uint32_t n = 0, *children;

	for (uint32_t i = t->node[parent].child; i; i = t->node[i].next)
		n += t->node[i].calls > 0;
	children = memory_need(calloc(n + 1, sizeof(*children)));
	*count = n;
	n = 0;
	for (uint32_t i = t->node[parent].child; i; i = t->node[i].next)
		if (t->node[i].calls)
			children[n++] = i;
	qsort_r(children, n, sizeof(*children), tree_compare, t);
	return children;
}
