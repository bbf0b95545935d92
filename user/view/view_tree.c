// SPDX-License-Identifier: BSD-2-Clause
/* The slowest outermost calls as trees: what is in them, and their rows as JSON. */
#include "user/print/user_values_text.h"
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/view/tree_text.h"
#include "user/view/views.h"

#include <errno.h>
#include <stdlib.h>

#define ALL 110 /* columns from which on all times are shown */

static int tree_on_call(const struct call *call, void *context)
{
	struct tree_view *v = context;

	call_tree_add_call(&v->tree, call);
	return 0;
}

static int tree_on_wait(const struct thread_wait *wait, void *context)
{
	struct tree_view *v = context;

	call_tree_add_wait(&v->tree, wait, holders_add(&v->holders, wait));
	return 0;
}

static int tree_on_sample(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct jfr_value event = jfr_event_value(e);
	struct tree_view *v = context;

	call_tree_add_sample(&v->tree, thread_number(chunk, jfr_field(chunk, &event, "sampledThread")),
			     jfr_event_span(chunk, e).start,
			     sample_method(&v->tree.names, chunk, jfr_field(chunk, &event, "stackTrace")));
	return 0;
}

static int tree_on_message(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct tree_view *v = context;

	throttled_note(&v->tree.throttled, chunk, e);
	return 0;
}

static void tree_put_row(struct tree_view *v, struct table *table, const uint32_t *row, uint32_t node)
{
	const struct call_tree_node *n = &v->tree.node[node];
	const struct call *root = n->parent ? NULL : &v->tree.root[n->place];
	bool known = n->unsplit < n->calls;

	table_put_count(table, row[node]);
	table_put_count(table, n->parent ? row[n->parent] : TABLE_UNKNOWN);
	table_put(table, method_names_text(&v->tree.names, n->method));
	table_put_count(table, n->calls);
	table_put_count(table, n->thrown);
	table_put_time(table, n->total);
	table_put_time(table, n->self);
	table_put_time(table, known ? n->cpu : TABLE_UNKNOWN);
	table_put_time(table, known ? n->run_queue : TABLE_UNKNOWN);
	table_put_time(table, known ? n->blocked : TABLE_UNKNOWN);
	table_put_time(table, n->longest_wait ?: TABLE_UNKNOWN);
	table_put(table, call_tree_text(&v->tree, n->wait_reason));
	table_put(table, call_tree_text(&v->tree, n->wait_waker));
	if (root && root->chunk) {
		view_put_start(table, root, 0);
		put_thread_name(&table->cells, root->chunk, root->thread, "N/A");
		table_cell(table);
	} else {
		table_put(table, "");
		table_put(table, "");
		table_put(table, call_tree_text(&v->tree, n->thread));
	}
	table_put_count(table, v->tree.slow_ns ? n->fast_calls : TABLE_UNKNOWN);
	table_put_time(table, v->tree.slow_ns ? n->fast_total : TABLE_UNKNOWN);
	holders_put(&v->holders, tree_held(v, n), &table->cells, SIZE_MAX);
	table_cell(table);
	holders_put_waker(&v->holders, tree_held(v, n), false, &table->cells, SIZE_MAX);
	table_cell(table);
	table_put_count(table, n->throttled);
	table_put_time(table, n->longest.duration);
	table_put(table, call_tree_text(&v->tree, n->values));
	table_put(table, call_tree_text(&v->tree, n->wait_resource));
	table_put(table, call_tree_text(&v->tree, n->wait_service));
	table_put(table, call_tree_text(&v->tree, n->wait_process));
	table_put(table, call_tree_text(&v->tree, n->wait_container));
	table_put_amount(table, n->allocated);
	table_put_amount(table, n->self_allocated);
	table_put_time(table, n->task ? n->queued : TABLE_UNKNOWN);
	table_put(table, call_tree_text(&v->tree, n->task));
	if (v->tree.has_samples) {
		bytes_put_u8(&table->cells, '#');
		call_samples_put_json(&table->cells, &v->tree.node[node].samples, &v->tree.names);
	}
	table_cell(table);
}

/* The rows of a node and of those below it, in the order in which they are printed. `row`: its number, by node. */
static void put_rows(struct tree_view *v, struct table *table, uint32_t *row, uint32_t node, uint32_t *next)
{
	uint32_t count, *children;

	row[node] = (*next)++;
	tree_put_row(v, table, row, node);
	children = call_tree_children(&v->tree, node, &count);
	for (uint32_t i = 0; i < count; i++)
		put_rows(v, table, row, children[i], next);
	free(children);
}

static void trees_print_json(struct tree_view *v)
{
	static const struct table_column columns[] = {
		{"", "node", TABLE_NUMBER, 0},
		{"", "parent", TABLE_NUMBER, 0},
		{"", "method", TABLE_METHOD, 0},
		{"", "calls", TABLE_NUMBER, 0},
		{"", "thrown", TABLE_NUMBER, 0},
		{"", "totalNs", TABLE_NUMBER, 0},
		{"", "selfNs", TABLE_NUMBER, 0},
		{"", "cpuNs", TABLE_NUMBER, 0},
		{"", "runQueueNs", TABLE_NUMBER, 0},
		{"", "blockedNs", TABLE_NUMBER, 0},
		{"", "longestWaitNs", TABLE_NUMBER, 0},
		{"", "waitReason", TABLE_TEXT, 0},
		{"", "waker", TABLE_TEXT, 0},
		{"", NULL, TABLE_TEXT, 0},
		{"", "startTime", TABLE_TEXT, 0},
		{"", "thread", TABLE_TEXT, 0},
		{"", "fastCalls", TABLE_NUMBER, 0},
		{"", "fastTotalNs", TABLE_NUMBER, 0},
		{"", "heldBy", TABLE_TEXT, 0},
		{"", "wakerCall", TABLE_TEXT, 0},
		{"", "throttledCalls", TABLE_NUMBER, 0},
		{"", "longestNs", TABLE_NUMBER, 0},
		{"", "values", TABLE_TYPED, 0},
		{"", "waitResource", TABLE_TEXT, 0},
		{"", "waitService", TABLE_TEXT, 0},
		{"", "waitProcess", TABLE_TEXT, 0},
		{"", "waitContainer", TABLE_TEXT, 0},
		{"", "allocatedBytes", TABLE_NUMBER, 0},
		{"", "selfAllocatedBytes", TABLE_NUMBER, 0},
		{"", "queuedNs", TABLE_NUMBER, 0},
		{"", "task", TABLE_TEXT, 0},
		{"", "samples", TABLE_TYPED, 0},
	};
	uint32_t count, next = 1, *roots = call_tree_children(&v->tree, 0, &count);
	uint32_t *row = memory_need(calloc(v->tree.count, sizeof(*row)));
	uint64_t shown = v->request->top ?: TREES_SHOWN;
	struct table table;

	table_init(&table, "Slowest Calls as Trees", columns, sizeof(columns) / sizeof(columns[0]));
	for (uint32_t i = 0; i < count && i < shown; i++)
		put_rows(v, &table, row, roots[i], &next);
	view_put_table(&table, 0, v->request, v->out);
	free(roots);
	free(row);
}

/* Those of the waits that stand below a node. */
static void tree_find_holders(struct tree_view *v, struct jfr_file *file)
{
	for (uint32_t i = 1; i < v->tree.count; i++)
		if (tree_waits_itself(&v->tree, &v->tree.node[i]))
			holders_want_number(&v->holders, v->tree.node[i].wait_number);
	holders_read(&v->holders, file);
}

/* For a pass over the calls */
struct tree_values {
	struct tree_view *v;
	struct map node; /* number of the longest call of each node -> node */
};

static int tree_on_longest(const struct call *call, void *context)
{
	struct tree_values *values = context;
	struct tree_view *v = values->v;
	uint32_t node = call->values ? map_get(&values->node, call->number, 0) : 0;
	struct bytes text;

	if (!node)
		return 0;
	bytes_init(&text);
	if (v->request->layout.json) {
		bytes_put_u8(&text, '#');
		user_values_put_json(&text, call);
	} else {
		user_values_put(&text, call, NULL, v->utc_offset);
	}
	v->tree.node[node].values = call_tree_add_text(&v->tree, &text);
	bytes_release(&text);
	return 0;
}

static void tree_find_values(struct tree_view *v, struct jfr_file *file)
{
	const struct trace_ops ops = {.call = tree_on_longest};
	struct tree_values values = {.v = v};

	if (!v->tree.has_values)
		return;
	for (uint32_t i = 1; i < v->tree.count; i++)
		if (v->tree.node[i].calls)
			*memory_map_at(&values.node, v->tree.node[i].longest.number, 0) = i;
	trace_read_again(file, &(struct trace_reader){.ops = &ops, .context = &values}, 1);
	map_release(&values.node);
}

static void trees_read(struct tree_view *v, struct jfr_file *file, const struct outermost *roots, int64_t slow_ns)
{
	static const struct trace_event events[] = {
		{"frtrace.Message", tree_on_message}, {"jdk.ExecutionSample", tree_on_sample}, {0}};
	static const struct trace_ops ops = {.wait = tree_on_wait, .call = tree_on_call, .events = events};

	call_tree_init(&v->tree, roots, &v->runs, v->request->merged);
	v->tree.by = view_by_field(v->request);
	v->tree.names.any_loader = v->request->by && !v->tree.by;
	v->tree.slow_ns = slow_ns;
	trace_read(&v->again, &ops, v);
	call_tree_fold(&v->tree);
	tree_find_holders(v, file);
	tree_find_values(v, file);
}

/* Passes over the file: which calls; what is inside them and what they waited for; what the threads that ended it did. */
int view_tree(struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	struct tree_view v = {.request = request,
			      .out = out,
			      .narrow = request->layout.width < ALL,
			      .holders = {.threads = &v.threads, .names = &v.names}};
	size_t wanted = request->merged ? OUTERMOST_MOST : request->top ?: TREES_SHOWN;
	uint64_t slow_ns = request->merged ? request->filter->slower_ns : 0;
	struct outermost roots;
	int err;

	if (slow_ns) /* the fast ones are wanted, too, to compare with */
		request->filter->slower_ns = 0;
	outermost_find(&roots, &v.runs, file, request->filter, wanted);
	v.utc_offset = file->utc_offset;
	jfr_file_again(&v.again, file);
	trees_read(&v, file, &roots, (int64_t)slow_ns);
	err = !v.tree.by || v.tree.has_by || v.tree.count <= 1 ? 0 : view_refuse_by(file, request);
	if (err)
		;
	else if (request->layout.json)
		trees_print_json(&v);
	else if (v.tree.count > 1)
		trees_print(&v);
	else
		put_text(out, NO_TREES);
	if (!file->fault.what)
		file->fault = v.again.fault;
	call_tree_release(&v.tree);
	holders_release(&v.holders);
	threads_release(&v.threads);
	task_runs_release(&v.runs);
	method_names_release(&v.names);
	jfr_file_release(&v.again);
	outermost_release(&roots);
	return err;
}
