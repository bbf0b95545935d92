// SPDX-License-Identifier: BSD-2-Clause
/*
 * Traced methods with their callers below them, recursively. A single caller is not indented further:
 *
 *       1,204  100.0 %     24.7 s  live.Shop$Checkout.report(int)
 *       1,204  100.0 %     24.7 s    live.Shop$Checkout.answer(String, int)
 *         604   50.2 %     12.2 s      live.Shop$Checkout.handle(HttpExchange)
 *         600   49.8 %     12.5 s      live.Shop$Checkout.retry(int)
 */
#include "user/view/aggregate.h"
#include "format/vec.h"
#include "user/text/java_number.h"
#include "user/view/views.h"

#include <errno.h>
#include <stdlib.h>

#define MIN_SHARE 200 /* omit callers with less than 1/200 of the method's calls */

struct node {
	uint32_t parent, child, next; /* 0: none; node 0 is the root, above the methods */
	uint64_t count;
	int64_t total;
	char *name;
};

struct tree {
	struct node *node;
	uint32_t count;
	size_t capacity;
	struct aggregate index;	 /* (parent, method) -> node in `mark` */
	struct aggregate stacks; /* (method, stack) -> node of its last frame in `mark` */
};

static uint32_t add_node(struct tree *t, uint32_t parent, char *name)
{
	struct node *node;

	if (vec_reserve(&t->node, &t->capacity, (size_t)t->count + 1)) {
		free(name);
		return 0;
	}
	node = t->node;
	node[t->count] = (struct node){.parent = parent, .name = name};
	if (t->count) {
		node[t->count].next = node[parent].child;
		node[parent].child = t->count;
	}
	return t->count++;
}

/* Find or add the node of a method below `parent`. 0: no memory. */
static uint32_t below(struct tree *t, uint32_t parent, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	struct group *g = aggregate_of(&t->index, parent, call_method_id(chunk, method));
	char *name;

	if (!g)
		return 0;
	if (!g->count) {
		name = view_method(chunk, *method);
		g->mark = name ? add_node(t, parent, name) : 0;
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

static int callers_add(const struct call *call, void *context)
{
	struct tree *t = context;
	uint64_t stack = call->stack.kind == VALUE_KEY ? call->stack.key : 0;
	struct group *g = aggregate_of(&t->stacks, call->method_id, stack ^ (uint64_t)call->chunk->number << 40);

	if (g && !g->count++)
		g->mark = add_stack(t, call);
	if (!g || !g->mark)
		return -ENOMEM;
	t->node[g->mark].count++;
	t->node[g->mark].total += call->duration;
	return 0;
}

/* Add the sums of all nodes to their parents. Children have higher indexes than their parents. */
static void sum_up(struct tree *t)
{
	for (uint32_t i = t->count; i-- > 1;) {
		t->node[t->node[i].parent].count += t->node[i].count;
		t->node[t->node[i].parent].total += t->node[i].total;
	}
}

static struct tree *sorted; /* for callers_compare(): qsort() passes no context */

static int callers_compare(const void *a, const void *b)
{
	const struct node *x = &sorted->node[*(uint32_t *)a], *y = &sorted->node[*(uint32_t *)b];

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->name, y->name);
}

/* The children with at least `least` calls, most calls first. Free with free(). NULL: no memory. */
static uint32_t *children_of(struct tree *t, uint32_t parent, uint64_t least, uint32_t *count)
{
	uint32_t n = 0, i, *children;

	for (i = t->node[parent].child; i; i = t->node[i].next)
		n += t->node[i].count >= least;
	children = calloc(n + 1, sizeof(*children));
	for (i = t->node[parent].child, n = 0; children && i; i = t->node[i].next)
		if (t->node[i].count >= least)
			children[n++] = i;
	*count = children ? n : 0;
	sorted = t;
	if (children)
		qsort(children, n, sizeof(*children), callers_compare);
	return children;
}

static void callers_put_right(struct bytes *out, struct bytes *text, unsigned int width)
{
	put_spaces(out, text->size < width ? width - text->size : 0);
	bytes_put(out, text->data, text->size);
	bytes_clear(text);
}

static void put_node(struct bytes *out, const struct node *node, uint64_t all, unsigned int indent)
{
	struct bytes text;

	bytes_init(&text);
	view_count(&text, node->count);
	callers_put_right(out, &text, 14);
	put_fixed(&text, 100.0 * node->count / all, 1);
	put_text(&text, " %");
	callers_put_right(out, &text, 9);
	view_time(&text, node->total);
	callers_put_right(out, &text, 14);
	put_spaces(out, 2 + 2 * indent);
	put_text(out, node->name);
	bytes_put_u8(out, '\n');
	bytes_release(&text);
}

/* Append everything below a node. An only child keeps its parent's indentation. */
static bool put_callers(struct tree *t, uint32_t node, uint64_t all, unsigned int indent, struct bytes *out)
{
	uint32_t count, *children;
	bool good = true;

	do {
		children = children_of(t, node, all / MIN_SHARE + 1, &count);
		good = children != NULL;
		if (count != 1)
			break;
		node = children[0];
		put_node(out, &t->node[node], all, indent);
		free(children);
	} while (good);
	for (uint32_t i = 0; good && i < count; i++) {
		put_node(out, &t->node[children[i]], all, indent);
		good = put_callers(t, children[i], all, indent + 1, out);
	}
	free(children);
	return good;
}

static bool put_tree(struct tree *t, struct bytes *out)
{
	uint32_t count, *methods = children_of(t, 0, 1, &count);
	bool good = methods != NULL;

	put_text(out, "\n                                    Callers\n\n");
	put_text(out, "         Calls               Time  Method\n------------- -------- -------------  "
		      "------------------------------\n");
	for (uint32_t i = 0; good && i < count; i++) {
		put_node(out, &t->node[methods[i]], t->node[methods[i]].count, 0);
		good = put_callers(t, methods[i], t->node[methods[i]].count, 1, out);
	}
	free(methods);
	return good;
}

static void tree_release(struct tree *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		free(t->node[i].name);
	free(t->node);
	aggregate_release(&t->index);
	aggregate_release(&t->stacks);
}

int view_callers(struct jfr_file *file, const struct table_layout *layout, struct bytes *out)
{
	struct tree t = {.count = 0};
	int err;

	add_node(&t, 0, NULL);
	err = t.count ? call_iter_each(file, "jdk.MethodTrace", callers_add, &t) : -ENOMEM;
	if (!err && t.count > 1) {
		sum_up(&t);
		err = put_tree(&t, out) ? 0 : -ENOMEM;
	} else if (!err) {
		put_text(out, "\nNo events found for 'Callers'.\n");
	}
	tree_release(&t);
	return err;
}
