// SPDX-License-Identifier: BSD-2-Clause
/*
 * The slowest outermost calls as trees. Calls of a method below one caller share a line; the longest wait stands below
 * the innermost call that it is in:
 *
 *          total      self       cpu      runq   blocked
 *        40.3 ms    120 us    1.0 ms   19.3 ms   20.1 ms  live.Shop$Checkout.handle(HttpExchange)
 *                                                         21:31:53.333 "pool-1-thread-1"
 *        40.2 ms   40.2 ms    0.9 ms   19.3 ms   20.0 ms    2 x live.Shop$Checkout.report(int)
 *                                                             longest 30.0 ms: n=17
 *                                                             20.1 ms sleep
 *
 * Merged trees of slow roots have two more columns: the time that each slow root has spent there on average, and each
 * fast one.
 */
#include "user/view/tree_text.h"
#include "user/print/user_values_text.h"
#include "user/text/fold.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/name_fit.h"
#include "user/trace/sum.h"
#include "user/view/views.h"

#include <stdlib.h>

#define THROTTLED_SHOWN 4  /* messages */
#define NAME_LEAST	24 /* columns of a name, however deep it is */

static size_t tree_before_name(const struct tree_view *v)
{
	return 2 + 10 * ((v->narrow ? 3 : 5) + (v->tree.slow_ns ? 2 : 0) + (v->tree.has_allocated ? 2 : 0));
}

static size_t tree_indent(const struct tree_view *v, uint32_t depth)
{
	size_t width = v->request->layout.width, before = tree_before_name(v);
	size_t most = width > before + NAME_LEAST ? width - before - NAME_LEAST : 0;
	size_t wanted = 2 * (size_t)(depth - 1);

	return wanted < most ? wanted : most;
}

static void tree_put_right(struct bytes *out, const char *text)
{
	size_t length = strlen(text);

	put_spaces(out, length < 10 ? 10 - length : 1);
	put_text(out, text);
}

static void tree_put_time(struct bytes *out, int64_t ns, bool known)
{
	tree_put_right(out, known ? log_time(ns > 0 ? ns : 0) : "-");
}

static void tree_put_amount(struct bytes *out, int64_t bytes)
{
	tree_put_right(out, bytes == INT64_MIN ? "-" : log_amount(bytes > 0 ? bytes : 0));
}

/* "≤ 40.2 ms": with calls that were not recorded. */
static void tree_put_self(struct tree_view *v, const struct call_tree_node *n)
{
	const char *text = log_time(n->self > 0 ? n->self : 0);
	size_t length = strlen(text) + (n->throttled ? strlen("< ") : 0);

	put_spaces(v->out, length < 10 ? 10 - length : 1);
	put_text(v->out, n->throttled ? "≤ " : "");
	put_text(v->out, text);
	v->throttled |= n->throttled > 0;
}

/* Begin a line without times, below the name of a node. */
static void tree_begin_note(struct tree_view *v, uint32_t depth)
{
	put_spaces(v->out, tree_before_name(v) + tree_indent(v, depth));
}

static void tree_put_times(struct tree_view *v, const struct call_tree_node *n)
{
	bool known = n->unsplit < n->calls;

	tree_put_time(v->out, n->total, true);
	tree_put_self(v, n);
	if (!v->narrow) {
		tree_put_time(v->out, n->cpu, known);
		tree_put_time(v->out, n->run_queue, known);
	}
	tree_put_time(v->out, n->blocked, known);
	if (v->tree.has_allocated) {
		tree_put_amount(v->out, n->allocated);
		tree_put_amount(v->out, n->self_allocated);
	}
	if (v->tree.slow_ns) {
		tree_put_time(v->out, v->slow ? n->total / v->slow : 0, true);
		tree_put_time(v->out, v->fast ? n->fast_total / v->fast : 0, n->fast_calls);
	}
	put_spaces(v->out, 2);
}

static void tree_put_name(struct tree_view *v, const struct call_tree_node *n)
{
	size_t width = v->request->layout.width, used, left;
	struct bytes value;

	bytes_init(&value);
	put_text(&value, call_tree_text(&v->tree, n->value));
	put_spaces(v->out, tree_indent(v, n->depth));
	if (n->calls > 1) {
		put_text(v->out, log_count(n->calls));
		put_text(v->out, " × ");
	}
	used = fold_columns(v->out) + (n->thrown ? strlen(", 1,234 thrown") : 0);
	left = width > used ? width - used : 0;
	name_fit(v->out, method_names_text(&v->tree.names, n->method), left - user_values_share(&value, left),
		 method_names_overloaded(&v->tree.names, n->method));
	if (n->thrown && n->calls > 1) {
		put_text(v->out, ", ");
		put_text(v->out, log_count(n->thrown));
	}
	if (n->thrown)
		put_text(v->out, n->calls > 1 ? " thrown" : ", thrown");
	user_values_put_beside(v->out, &value, width);
	bytes_put_u8(v->out, '\n');
	bytes_release(&value);
}

/* Those of the node's call, or of the longest. */
static void tree_put_values(struct tree_view *v, const struct call_tree_node *n)
{
	struct bytes text;

	if (!n->values || n->value)
		return;
	bytes_init(&text);
	if (n->calls > 1) {
		put_text(&text, "longest ");
		put_text(&text, log_time(n->longest.duration));
		put_text(&text, ": ");
	}
	put_text(&text, call_tree_text(&v->tree, n->values));
	user_values_put_line(v->out, &text, tree_before_name(v) + tree_indent(v, n->depth + 1),
			     v->request->layout.width);
	bytes_release(&text);
}

/* When and where the root ran; of several, the longest. */
static void tree_put_place(struct tree_view *v, const struct call_tree_node *n)
{
	const struct call *root = &v->tree.root[n->place];

	if (n->parent || !root->chunk)
		return;
	tree_begin_note(v, 2);
	if (v->tree.slow_ns) {
		put_text(v->out, log_count(n->calls));
		put_text(v->out, " slow of ");
		put_text(v->out, log_count(n->calls + n->fast_calls));
		put_text(v->out, ", ");
	}
	if (n->calls > 1)
		put_text(v->out, "the longest: ");
	view_put_time_of_day(v->out, root->start, v->utc_offset);
	put_text(v->out, " \"");
	put_thread_name(v->out, root->chunk, root->thread, "?");
	put_text(v->out, "\"\n");
}

/* For which task the call was made, or the longest of them. */
static void tree_put_task(struct tree_view *v, const struct call_tree_node *n)
{
	size_t width = v->request->layout.width, used = tree_before_name(v) + tree_indent(v, n->depth + 1);
	struct bytes text;

	bytes_init(&text);
	put_text(&text, n->calls > 1 ? "the longest: \"" : "\"");
	put_text(&text, call_tree_text(&v->tree, n->thread));
	put_text(&text, "\" after ");
	put_text(&text, log_time(n->queued));
	put_text(&text, " in the queue, ");
	put_text(&text, call_tree_text(&v->tree, n->task));
	put_spaces(v->out, used);
	fold_words(v->out, memory_text(&text), width > used ? width - used : 0, used + 2);
	bytes_put_u8(v->out, '\n');
	bytes_release(&text);
}

/* True if the longest wait of the node is not one of a call inside it. */
bool tree_waits_itself(const struct call_tree *t, const struct call_tree_node *n)
{
	for (uint32_t i = n->child; i; i = t->node[i].next)
		if (t->node[i].longest_wait >= n->longest_wait)
			return false;
	return n->longest_wait > 0;
}

const struct held *tree_held(const struct tree_view *v, const struct call_tree_node *n)
{
	return holders_of_number(&v->holders, n->wait_number);
}

static void tree_put_holder(struct tree_view *v, const struct call_tree_node *n)
{
	size_t width = v->request->layout.width, used = tree_before_name(v) + tree_indent(v, n->depth + 1);
	struct bytes text;

	bytes_init(&text);
	if (holders_put(&v->holders, tree_held(v, n), &text, width > used ? width - used : 0)) {
		tree_begin_note(v, n->depth + 1);
		put_text(v->out, memory_text(&text));
		bytes_put_u8(v->out, '\n');
	}
	bytes_release(&text);
}

/* Behind the waker, or below it. */
static void tree_put_waker_call(struct tree_view *v, const struct call_tree_node *n, bool placed)
{
	size_t width = v->request->layout.width, used = tree_before_name(v) + tree_indent(v, n->depth + 1);
	struct bytes text;

	bytes_init(&text);
	if (holders_put_waker(&v->holders, tree_held(v, n), placed, &text, width > used ? width - used : 0))
		fold_beside(v->out, " ", memory_text(&text), width, used);
	bytes_release(&text);
}

static void tree_put_wait(struct tree_view *v, const struct call_tree_node *n, int64_t least)
{
	const char *waker = call_tree_text(&v->tree, n->wait_waker);
	const char *place = call_tree_text(&v->tree, n->wait_holder);
	const char *resource = call_tree_text(&v->tree, n->wait_peer);

	if (n->longest_wait < least || !tree_waits_itself(&v->tree, n))
		return;
	tree_begin_note(v, n->depth + 1);
	if (n->calls > 1)
		put_text(v->out, "longest wait ");
	put_text(v->out, log_time(n->longest_wait));
	bytes_put_u8(v->out, ' ');
	put_text(v->out, call_tree_text(&v->tree, n->wait_reason));
	put_text(v->out, *resource ? " " : "");
	put_text(v->out, resource);
	if (*waker) {
		put_text(v->out, ", woken by \"");
		put_text(v->out, waker);
		bytes_put_u8(v->out, '"');
		put_text(v->out, *place ? " in " : "");
		put_text(v->out, place);
		tree_put_waker_call(v, n, *place);
	}
	bytes_put_u8(v->out, '\n');
	tree_put_holder(v, n);
}

static void tree_put_samples(struct tree_view *v, struct call_tree_node *n)
{
	if (100 * n->samples.total >= v->samples * v->request->min_share)
		call_samples_put(v->out, &n->samples, &v->tree.names, v->request->layout.width,
				 tree_before_name(v) + tree_indent(v, n->depth + 1));
}

static void tree_put_rest(struct tree_view *v, uint32_t depth, uint32_t nodes, uint64_t calls, int64_t total,
			  int64_t least)
{
	if (!nodes || total < least)
		return;
	tree_put_time(v->out, total, true);
	put_spaces(v->out, tree_before_name(v) - 10 + tree_indent(v, depth));
	put_text(v->out, log_count(calls));
	put_text(v->out, calls == 1 ? " shorter call of " : " shorter calls of ");
	put_text(v->out, log_count(nodes));
	put_text(v->out, nodes == 1 ? " method\n" : " methods\n");
}

static void put_subtree(struct tree_view *v, uint32_t node, int64_t least);

/* Those below the least time are one line, if they reach it together. */
static void put_subtrees(struct tree_view *v, uint32_t node, int64_t least)
{
	struct call_tree *t = &v->tree;
	uint32_t count, rest = 0, *children = call_tree_children(t, node, &count);
	uint64_t calls = 0;
	int64_t total = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (t->node[children[i]].total >= least) {
			put_subtree(v, children[i], least);
			continue;
		}
		rest++;
		calls += t->node[children[i]].calls;
		sum_add(&total, t->node[children[i]].total);
	}
	tree_put_rest(v, t->node[node].depth + 1, rest, calls, total, least);
	free(children);
}

static void put_subtree(struct tree_view *v, uint32_t node, int64_t least)
{
	struct call_tree_node *n = &v->tree.node[node];

	tree_put_times(v, n);
	tree_put_name(v, n);
	tree_put_place(v, n);
	if (n->task)
		tree_put_task(v, n);
	tree_put_values(v, n);
	tree_put_wait(v, n, least);
	tree_put_samples(v, n);
	if (n->child && (!v->request->depth || n->depth <= v->request->depth))
		put_subtrees(v, node, least);
}

static void tree_put_header(struct tree_view *v)
{
	static const char *const labels[] = {"total", "self", "cpu", "runq", "blocked"};

	put_text(v->out, "\nSlowest Calls as Trees\n\n");
	for (int i = 0; i < 5; i++)
		if (!v->narrow || i < 2 || i == 4)
			tree_put_right(v->out, labels[i]);
	if (v->tree.has_allocated) {
		tree_put_right(v->out, "alloc");
		tree_put_right(v->out, "own alloc");
	}
	if (v->tree.slow_ns) {
		tree_put_right(v->out, "each slow");
		tree_put_right(v->out, "each fast");
	}
	bytes_put_u8(v->out, '\n');
}

/* What the file says about throttled methods. */
static void tree_put_throttled(struct tree_view *v)
{
	const struct throttled *t = &v->tree.throttled;
	size_t width = v->request->layout.width > 40 ? v->request->layout.width : 40;

	if (!v->throttled)
		return;
	put_text(v->out, "\n≤: self time may include calls of methods that the throttle turned off:\n");
	for (uint32_t i = 1; i <= t->count && i <= THROTTLED_SHOWN; i++) {
		put_text(v->out, "  ");
		fold_words(v->out, t->texts.text[i], width - 2, 4);
		bytes_put_u8(v->out, '\n');
	}
	if (t->count > THROTTLED_SHOWN)
		put_text(v->out, "  and more: frtrace print --events=frtrace.Message\n");
}

void trees_print(struct tree_view *v)
{
	uint32_t count, *roots = call_tree_children(&v->tree, 0, &count);
	uint64_t shown = v->request->top ?: TREES_SHOWN;

	if (count)
		tree_put_header(v);
	else
		put_text(v->out, NO_TREES);
	for (uint32_t i = 0; i < count && i < shown; i++) {
		if (i)
			bytes_put_u8(v->out, '\n');
		v->slow = (int64_t)v->tree.node[roots[i]].calls;
		v->fast = (int64_t)v->tree.node[roots[i]].fast_calls;
		v->samples = v->tree.node[roots[i]].all_samples;
		put_subtree(v, roots[i], v->tree.node[roots[i]].total / 100 * v->request->min_share);
	}
	if (v->tree.merged)
		view_put_more(v->out, count, shown, "method");
	if (v->tree.left_out) {
		put_text(v->out, "\nLeft out: ");
		view_count(v->out, v->tree.left_out);
		put_text(v->out,
			 " calls and waits, too many or nested too deeply. Narrow the view: --slower, --from\n");
	}
	tree_put_throttled(v);
	free(roots);
}
