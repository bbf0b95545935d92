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
#include "user/trace/aggregate.h"
#include "format/vec.h"
#include "user/trace/sum.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/name_fit.h"
#include "user/trace/method_names.h"
#include "user/view/views.h"
#include "user/trace/trace.h"

#include <errno.h>
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

struct tree {
	struct method_names names;
	struct node *node;
	uint32_t count;
	size_t capacity;
	struct aggregate index;	 /* (parent, method) -> node in `mark` */
	struct aggregate stacks; /* (method, stack) in `chunk` -> node of its last frame in `mark` */
	uint32_t chunk;
	struct aggregate printed; /* shapes */
	const struct view_request *request;
};

static uint32_t add_node(struct tree *t, uint32_t parent, uint32_t method)
{
	struct node *node;

	if (vec_reserve(&t->node, &t->capacity, (size_t)t->count + 1))
		return 0;
	node = t->node;
	node[t->count] = (struct node){.parent = parent, .method = method};
	if (t->count) {
		node[t->count].depth = node[parent].depth + 1;
		node[t->count].next = node[parent].child;
		node[parent].child = t->count;
	}
	return t->count++;
}

/* Find or add the node of a method below `parent`. 0: no memory. */
static uint32_t below(struct tree *t, uint32_t parent, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	uint32_t number = method_names_number(&t->names, chunk, method);
	struct group *g = number ? aggregate_of(&t->index, parent, number) : NULL;

	if (!g)
		return 0;
	if (!g->count) {
		g->mark = add_node(t, parent, number);
		g->count = g->mark != 0;
	}
	return g->mark;
}

/* Add the frames of a stack; return the node of the last one. 0: no memory. */
static uint32_t add_stack(struct tree *t, const struct call *call)
{
	uint32_t node = below(t, 0, call->chunk, &call->method);
	struct jfr_value frames, frame, method;
	struct cursor c;

	if (!call_enter_callers(call, &frames, &c))
		return node;
	for (uint64_t i = 0; node && i < frames.place.count; i++) {
		jfr_take_element(&c, &frames, &frame);
		method = frame_method(call->chunk, &frame);
		node = below(t, node, call->chunk, &method);
	}
	return node;
}

static int view_callers_add(const struct call *call, void *context)
{
	struct tree *t = context;
	uint64_t stack = call->stack.kind == VALUE_KEY ? call->stack.key : 0;
	struct group *g;

	if (t->chunk != call->chunk->number)
		aggregate_release(&t->stacks);
	t->chunk = call->chunk->number;
	g = aggregate_of(&t->stacks, call->method_id, stack);
	if (g && !g->count++)
		g->mark = add_stack(t, call);
	if (!g || !g->mark)
		return -ENOMEM;
	t->node[g->mark].count++;
	sum_add(&t->node[g->mark].total, call->duration);
	return 0;
}

/* Add the sums of all nodes to their parents. Children have higher indexes than their parents. */
static void sum_up(struct tree *t)
{
	for (uint32_t i = t->count; i-- > 1;) {
		t->node[t->node[i].parent].count += t->node[i].count;
		sum_add(&t->node[t->node[i].parent].total, t->node[i].total);
	}
}

/* Decide which nodes are shown. */
static void select_nodes(struct tree *t)
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
static void find_shapes(struct tree *t)
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

static struct tree *sorted; /* for callers_compare(): qsort() passes no context */

static int callers_compare(const void *a, const void *b)
{
	const struct node *x = &sorted->node[*(uint32_t *)a], *y = &sorted->node[*(uint32_t *)b];

	if (x->count != y->count)
		return (x->count < y->count) - (x->count > y->count);
	return strcmp(method_names_text(&sorted->names, x->method), method_names_text(&sorted->names, y->method));
}

/* Methods: most total time first. */
static int compare_methods(const void *a, const void *b)
{
	const struct node *x = &sorted->node[*(uint32_t *)a], *y = &sorted->node[*(uint32_t *)b];

	return x->total != y->total ? (x->total < y->total) - (x->total > y->total) : callers_compare(a, b);
}

/* The children that are shown, sorted. Free with free(). NULL: no memory. */
static uint32_t *children_of(struct tree *t, uint32_t parent, uint32_t *count)
{
	uint32_t n = 0, i, *children;

	for (i = t->node[parent].child; i; i = t->node[i].next)
		n += t->node[i].shown;
	children = calloc(n + 1, sizeof(*children));
	for (i = t->node[parent].child, n = 0; children && i; i = t->node[i].next)
		if (t->node[i].shown)
			children[n++] = i;
	*count = children ? n : 0;
	sorted = t;
	if (children)
		qsort(children, n, sizeof(*children), parent ? callers_compare : compare_methods);
	return children;
}

static void callers_put_right(struct bytes *out, const char *text, unsigned int width)
{
	size_t length = strlen(text);

	put_spaces(out, length < width ? width - length : 0);
	put_text(out, text);
}

static void put_node(struct tree *t, struct bytes *out, const struct node *node, uint64_t all, unsigned int indent,
		     bool as_above)
{
	size_t width = t->request->layout.width, used = BEFORE_NAME + 2 * indent;
	struct bytes share;

	bytes_init(&share);
	put_fixed(&share, 100.0 * node->count / all, 1);
	put_text(&share, " %");
	bytes_put_u8(&share, 0);
	callers_put_right(out, log_count(node->count), 14);
	callers_put_right(out, share.failed ? "" : (char *)share.data, 9);
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

/* Append a node; false if what is below it has been printed already. *good is false without memory. */
static bool put_once(struct tree *t, uint32_t i, uint64_t all, unsigned int indent, struct bytes *out, bool *good)
{
	const struct node *n = &t->node[i];
	struct group *g = n->below >= SHARED && n->depth > 1 ? aggregate_of(&t->printed, n->shape, n->below) : NULL;
	bool before = g && g->count;

	*good = g || n->below < SHARED || n->depth <= 1;
	if (g)
		g->count = 1;
	put_node(t, out, n, all, indent, before);
	return !before;
}

/* Append everything below a node. Only children stand below each other; where a method has several, they are indented. */
static bool put_callers(struct tree *t, uint32_t node, uint64_t all, unsigned int indent, struct bytes *out)
{
	uint32_t count, *children = children_of(t, node, &count);
	bool good = children != NULL, more = true, chain = false;

	while (good && count == 1) {
		node = children[0];
		more = put_once(t, node, all, indent, out, &good);
		chain = true;
		free(children);
		children = good && more ? children_of(t, node, &count) : NULL;
		if (!children)
			return good && !more;
	}
	for (uint32_t i = 0; good && i < count; i++)
		if (put_once(t, children[i], all, indent + chain, out, &good) && good)
			good = put_callers(t, children[i], all, indent + chain + 1, out);
	free(children);
	return good;
}

static bool put_tree(struct tree *t, struct bytes *out)
{
	uint64_t shown = t->request->top ?: SHOWN;
	uint32_t count, *methods = children_of(t, 0, &count);
	bool good = methods != NULL;

	put_text(out, "\n                                    Callers\n\n");
	put_text(out, "         Calls               Time  Method\n------------- -------- -------------  "
		      "------------------------------\n");
	for (uint32_t i = 0; good && i < count && i < shown; i++) {
		put_node(t, out, &t->node[methods[i]], t->node[methods[i]].count, 0, false);
		good = put_callers(t, methods[i], t->node[methods[i]].count, 1, out);
	}
	view_put_more(out, count, shown, "method");
	free(methods);
	return good;
}

static void tree_release(struct tree *t)
{
	free(t->node);
	aggregate_release(&t->index);
	aggregate_release(&t->stacks);
	aggregate_release(&t->printed);
	method_names_release(&t->names);
}

int view_callers(struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	struct tree t = {.request = request};
	int err;

	add_node(&t, 0, 0);
	err = t.count ? trace_read_chosen(file, request->filter, &(struct trace_ops){.call = view_callers_add}, &t)
		      : -ENOMEM;
	if (!err && t.count > 1) {
		sum_up(&t);
		select_nodes(&t);
		find_shapes(&t);
		err = method_names_settle(&t.names) && put_tree(&t, out) ? 0 : -ENOMEM;
	} else if (!err) {
		put_text(out, "\nNo events found for 'Callers'.\n");
	}
	tree_release(&t);
	return err;
}
