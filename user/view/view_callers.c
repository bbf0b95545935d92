// SPDX-License-Identifier: BSD-2-Clause
/*
 * Traced methods with their callers below them, recursively. Where a method has one caller, that stands below it;
 * several callers of one method are indented further. What follows has been printed before is not printed again:
 *
 *       1,204  100.0 %     24.7 s  live.Shop$Checkout.report(int)
 *       1,204  100.0 %     24.7 s    live.Shop$Checkout.answer(String, int)
 *         604   50.2 %     12.2 s      live.Shop$Checkout.handle(HttpExchange)
 *         604   50.2 %     12.2 s        com.sun.net.httpserver.Filter$Chain.doFilter(HttpExchange)
 *         ...
 *         600   49.8 %     12.5 s      live.Shop$Checkout.retry(int)
 *         600   49.8 %     12.5 s        com.sun.net.httpserver.Filter$Chain.doFilter(HttpExchange), 9 callers as above
 */
#include "format/hash.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/memory.h"
#include "user/text/name_fit.h"
#include "user/trace/method_names.h"
#include "user/trace/sum.h"
#include "user/view/views.h"

#include <stdlib.h>

#define SHOWN	    20 /* methods */
#define SHARED	    3  /* callers that are not printed twice, at least */
#define BEFORE_NAME 41 /* columns before the name */
#define NAME_LEAST  20 /* columns of a name, however deep it is */

struct node {
	uint32_t parent, child, next; /* 0: none; node 0 is the root, above the methods */
	uint32_t method;	      /* its number */
	uint32_t depth, below;	      /* levels from the method; callers below it that are shown */
	uint64_t count, least;	      /* calls; how many a caller must have to be shown */
	uint64_t shape;		      /* hash of the method and of all that is shown below it */
	int64_t total;
	bool shown;
};

struct callers_tree {
	struct method_names names;
	struct node *node;
	uint32_t count;
	size_t capacity;
	struct map index;	 /* (parent, method) -> node */
	struct chunk_map stacks; /* (stack, method) -> node of its last frame */
	struct map printed;	 /* shapes */
	const struct view_request *request;
};

static uint32_t callers_tree_add(struct callers_tree *t, uint32_t parent, uint32_t method)
{
	struct node *node;

	memory_reserve(&t->node, &t->capacity, (size_t)t->count + 1);
	node = t->node;
	node[t->count] = (struct node){.parent = parent, .method = method};
	if (t->count) {
		node[t->count].depth = node[parent].depth + 1;
		node[t->count].next = node[parent].child;
		node[parent].child = t->count;
	}
	return t->count++;
}

/* Find or add the node of a method below `parent`. */
static uint32_t callers_tree_below(struct callers_tree *t, uint32_t parent, struct jfr_chunk *chunk,
				   const struct jfr_value *method)
{
	uint32_t number = method_names_number(&t->names, chunk, method);
	uint32_t *node = memory_map_at(&t->index, parent, number);

	if (!*node)
		*node = callers_tree_add(t, parent, number);
	return *node;
}

/* Add the frames of a stack; return the node of the last one. */
static uint32_t callers_tree_add_stack(struct callers_tree *t, const struct call *call)
{
	uint32_t node = callers_tree_below(t, 0, call->chunk, &call->method);
	struct jfr_value frames, frame, method;
	struct cursor c;

	if (!call_enter_callers(call, &frames, &c))
		return node;
	for (uint64_t i = 0; i < frames.place.count; i++) {
		jfr_take_element(&c, &frames, &frame);
		method = frame_method(call->chunk, &frame);
		node = callers_tree_below(t, node, call->chunk, &method);
	}
	return node;
}

static int view_callers_add(const struct call *call, void *context)
{
	struct callers_tree *t = context;
	uint32_t *node = chunk_map_at(&t->stacks, call->chunk, &call->stack, call->method_id);

	if (!*node)
		*node = callers_tree_add_stack(t, call);
	t->node[*node].count++;
	sum_add(&t->node[*node].total, call->duration);
	return 0;
}

/* Add the sums of all nodes to their parents. Children have higher indexes than their parents. */
static void sum_up(struct callers_tree *t)
{
	for (uint32_t i = t->count; i-- > 1;) {
		t->node[t->node[i].parent].count += t->node[i].count;
		sum_add(&t->node[t->node[i].parent].total, t->node[i].total);
	}
}

/* Decide which nodes are shown. */
static void select_nodes(struct callers_tree *t)
{
	t->node[0].shown = true;
	for (uint32_t i = 1; i < t->count; i++) {
		struct node *n = &t->node[i];
		const struct node *parent = &t->node[n->parent];

		n->least = n->parent ? parent->least : (n->count * t->request->min_share + 99) / 100;
		n->shown = parent->shown && (!n->parent || n->count >= n->least) &&
			   (!t->request->depth || n->depth <= t->request->depth + 1);
	}
}

/* The sum of the children's shapes does not depend on their order. */
static void find_shapes(struct callers_tree *t)
{
	for (uint32_t i = t->count; i-- > 1;) {
		struct node *n = &t->node[i], *parent = &t->node[n->parent];

		n->shape = hash_mix(n->shape, n->method);
		if (!n->shown)
			continue;
		parent->shape += hash_mix(n->shape, 1);
		parent->below += n->below + 1;
	}
}

static int callers_compare(const void *a, const void *b, void *tree)
{
	const struct callers_tree *t = tree;
	const struct node *x = &t->node[*(uint32_t *)a], *y = &t->node[*(uint32_t *)b];

	if (x->count != y->count)
		return (x->count < y->count) - (x->count > y->count);
	return strcmp(method_names_text(&t->names, x->method), method_names_text(&t->names, y->method));
}

/* Methods: most total time first. */
static int compare_methods(const void *a, const void *b, void *tree)
{
	const struct callers_tree *t = tree;
	const struct node *x = &t->node[*(uint32_t *)a], *y = &t->node[*(uint32_t *)b];

	return x->total != y->total ? (x->total < y->total) - (x->total > y->total) : callers_compare(a, b, tree);
}

/* The children that are shown, sorted. Free with free(). */
static uint32_t *children_of(struct callers_tree *t, uint32_t parent, uint32_t *count)
{
	uint32_t n = 0, i, *children;

	for (i = t->node[parent].child; i; i = t->node[i].next)
		n += t->node[i].shown;
	children = memory_need(calloc(n + 1, sizeof(*children)));
	for (i = t->node[parent].child, n = 0; i; i = t->node[i].next)
		if (t->node[i].shown)
			children[n++] = i;
	*count = n;
	qsort_r(children, n, sizeof(*children), parent ? callers_compare : compare_methods, t);
	return children;
}

static void callers_put_right(struct bytes *out, const char *text, unsigned int width)
{
	size_t length = strlen(text);

	put_spaces(out, length < width ? width - length : 0);
	put_text(out, text);
}

static void put_node(struct callers_tree *t, struct bytes *out, const struct node *node, uint64_t all,
		     unsigned int indent, bool as_above)
{
	size_t width = t->request->layout.width, used = BEFORE_NAME + 2 * indent;
	struct bytes share;

	bytes_init(&share);
	put_fixed(&share, 100.0 * node->count / all, 1);
	put_text(&share, " %");
	callers_put_right(out, log_count(node->count), 14);
	callers_put_right(out, memory_text(&share), 9);
	bytes_release(&share);
	callers_put_right(out, log_time(node->total > 0 ? node->total : 0), 14);
	put_spaces(out, 2 + 2 * indent);
	name_fit(out, method_names_text(&t->names, node->method), width > used + NAME_LEAST ? width - used : NAME_LEAST,
		 method_names_overloaded(&t->names, node->method));
	if (as_above) {
		put_text(out, ", ");
		put_unsigned(out, node->below);
		put_text(out, " callers as above");
	}
	bytes_put_u8(out, '\n');
}

/* Append a node; false if what is below it has been printed already. */
static bool put_once(struct callers_tree *t, uint32_t i, uint64_t all, unsigned int indent, struct bytes *out)
{
	const struct node *n = &t->node[i];
	uint32_t *printed = n->below >= SHARED && n->depth > 1 ? memory_map_at(&t->printed, n->shape, n->below) : NULL;
	bool before = printed && *printed;

	if (printed)
		*printed = true;
	put_node(t, out, n, all, indent, before);
	return !before;
}

/* Append everything below a node. Only children stand below each other; where a method has several, they are indented. */
static void put_callers(struct callers_tree *t, uint32_t node, uint64_t all, unsigned int indent, struct bytes *out)
{
	uint32_t count, *children = children_of(t, node, &count);
	bool more = true, chain = false;

	while (more && count == 1) {
		node = children[0];
		more = put_once(t, node, all, indent, out);
		chain = true;
		free(children);
		children = children_of(t, node, &count);
	}
	for (uint32_t i = 0; more && i < count; i++)
		if (put_once(t, children[i], all, indent + chain, out))
			put_callers(t, children[i], all, indent + chain + 1, out);
	free(children);
}

static void view_callers_put(void *state, const struct view_request *request, struct bytes *out)
{
	struct callers_tree *t = state;
	uint64_t shown = request->top ?: SHOWN;
	uint32_t count, *methods;

	t->request = request;
	if (t->count <= 1) {
		put_text(out, "\nNo events found for 'Callers'.\n");
		return;
	}
	sum_up(t);
	select_nodes(t);
	find_shapes(t);
	method_names_settle(&t->names);
	methods = children_of(t, 0, &count);
	put_text(out, "\n                                    Callers\n\n");
	put_text(out, "         Calls               Time  Method\n------------- -------- -------------  "
		      "------------------------------\n");
	for (uint32_t i = 0; i < count && i < shown; i++) {
		put_node(t, out, &t->node[methods[i]], t->node[methods[i]].count, 0, false);
		put_callers(t, methods[i], t->node[methods[i]].count, 1, out);
	}
	view_put_more(out, count, shown, "method");
	free(methods);
}

static void view_callers_begin(void *state, const struct view_request *request)
{
	((struct callers_tree *)state)->names.any_loader = request->by;
	callers_tree_add(state, 0, 0);
}

static void view_callers_release(void *state)
{
	struct callers_tree *t = state;

	free(t->node);
	map_release(&t->index);
	chunk_map_release(&t->stacks);
	map_release(&t->printed);
	method_names_release(&t->names);
}

const struct view_pass view_callers = {.size = sizeof(struct callers_tree),
				       .ops = {.call = view_callers_add},
				       .check = view_check_by_class,
				       .begin = view_callers_begin,
				       .put = view_callers_put,
				       .release = view_callers_release};
