// SPDX-License-Identifier: BSD-2-Clause
/* Traced methods, alone and per caller. */
#include "format/vec.h"
#include "user/trace/sum.h"
#include "user/trace/method_names.h"
#include "user/view/views.h"
#include "user/trace/trace.h"

#include <errno.h>
#include <stdlib.h>

/* Sums over the calls of a method; times in ns. */
struct method_sums {
	uint32_t method;
	uint64_t calls, thrown;
	int64_t total, least, most;
	/* over the calls whose breakdown is known */
	uint64_t known;
	int64_t known_total, cpu, run_queue, blocked;
};

struct method_table {
	struct method_names names;
	struct method_sums *of; /* by number of the method - 1 */
	size_t count, capacity;
	bool split; /* some call has a breakdown */
};

static void methods_add_split(struct method_sums *m, const struct call *call)
{
	m->known++;
	sum_add(&m->known_total, call->duration);
	sum_add(&m->cpu, call->cpu);
	sum_add(&m->run_queue, call->run_queue);
	sum_add(&m->blocked, call->blocked);
}

static int methods_add_method(const struct call *call, void *context)
{
	struct method_table *all = context;
	uint32_t method = method_names_number(&all->names, call->chunk, &call->method);
	struct method_sums *m;

	if (!method || vec_reserve(&all->of, &all->capacity, method))
		return -ENOMEM;
	for (; all->count < method; all->count++)
		all->of[all->count] = (struct method_sums){.method = all->count + 1, .least = INT64_MAX};
	m = &all->of[method - 1];
	m->calls++;
	m->thrown += call->thrown;
	sum_add(&m->total, call->duration);
	m->least = call->duration < m->least ? call->duration : m->least;
	m->most = call->duration > m->most ? call->duration : m->most;
	if (call_has_split(call)) {
		methods_add_split(m, call);
		all->split = true;
	}
	return 0;
}

/* Largest total first. */
static int compare_totals(const void *a, const void *b)
{
	const struct method_sums *x = a, *y = b;

	return x->total != y->total ? (x->total < y->total) - (x->total > y->total)
				    : (x->method > y->method) - (x->method < y->method);
}

static void methods_put_row(struct table *table, const struct method_sums *m, const char *name)
{
	int64_t known = m->known ? 0 : TABLE_UNKNOWN;

	table_put(table, name);
	table_put_count(table, m->calls);
	table_put_time(table, m->total);
	table_put_time(table, m->least);
	table_put_time(table, m->total / (int64_t)m->calls);
	table_put_time(table, m->most);
	table_put_time(table, known ?: m->known_total);
	table_put_share(table, known ?: m->cpu, m->known_total);
	table_put_share(table, known ?: m->run_queue, m->known_total);
	table_put_share(table, known ?: m->blocked, m->known_total);
	table_put_count(table, m->thrown);
}

enum { SPLIT_COLUMN = 7, SPLIT_COLUMNS = 3 }; /* CPU, run queue, blocked */

static bool methods_print(struct method_table *all, const struct view_request *request, struct bytes *out)
{
	struct table_column columns[] = {
		{"Traced Method", "method", TABLE_METHOD, 0}, {"Calls", "calls", TABLE_NUMBER, 0},
		{"Total", "totalNs", TABLE_NUMBER, 0},	      {"Minimum", "minNs", TABLE_NUMBER, 6},
		{"Average", "averageNs", TABLE_NUMBER, 2},    {"Maximum", "maxNs", TABLE_NUMBER, 1},
		{NULL, "whereTotalNs", TABLE_NUMBER, 0},      {"CPU", "cpuNs", TABLE_NUMBER, 4},
		{"Run Queue", "runQueueNs", TABLE_NUMBER, 5}, {"Blocked", "blockedNs", TABLE_NUMBER, 3},
		{"Thrown", "thrown", TABLE_NUMBER, 7},
	};
	uint64_t shown = request->top ?: UINT64_MAX;
	struct table table;
	bool printed;

	for (int i = 0; i < SPLIT_COLUMNS && !all->split; i++)
		columns[SPLIT_COLUMN + i].label = NULL;
	table_init(&table, "Method Trace", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < all->count && i < shown; i++)
		methods_put_row(&table, &all->of[i], method_names_text(&all->names, all->of[i].method));
	table.more = all->count > shown ? all->count - shown : 0;
	printed = table_print(&table, &request->layout, out);
	table_release(&table);
	return printed;
}

int view_methods(struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	struct method_table all = {.count = 0};
	int err = trace_read_chosen(file, request->filter, &(struct trace_ops){.call = methods_add_method}, &all);

	if (!err && all.count)
		qsort(all.of, all.count, sizeof(*all.of), compare_totals);
	if (!err && (!method_names_settle(&all.names) || !methods_print(&all, request, out)))
		err = -ENOMEM;
	free(all.of);
	method_names_release(&all.names);
	return err;
}

/* Calls by method of the caller. Each stack is decoded only once to find it. */
struct callers {
	struct method_names names;
	struct aggregate stacks; /* (stack, chunk) -> number of the caller's method, in `mark` */
	struct aggregate pairs;	 /* of these numbers */
};

static int add_pair(const struct call *call, void *context)
{
	struct callers *c = context;
	bool has_stack = call->stack.kind == VALUE_KEY;
	struct group *stack = aggregate_of_key(&c->stacks, has_stack ? call->stack.key : 0, call->chunk->number), *pair;
	uint32_t method = method_names_number(&c->names, call->chunk, &call->method);
	struct jfr_value caller = {.kind = VALUE_NULL};
	int64_t line;

	if (!stack || !method)
		return -ENOMEM;
	if (!stack->count) {
		if (!call_caller(call, &caller, &line))
			caller.kind = VALUE_NULL;
		stack->mark = method_names_number(&c->names, call->chunk, &caller);
		stack->count = stack->mark != 0;
	}
	pair = stack->mark ? aggregate_of(&c->pairs, method, stack->mark) : NULL;
	if (!pair)
		return -ENOMEM;
	aggregate_add(pair, call->duration, call->thrown);
	return 0;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	if (x->first != y->first)
		return (x->first > y->first) - (x->first < y->first);
	return (x->second > y->second) - (x->second < y->second);
}

static bool calls_print(struct callers *c, const struct view_request *request, struct bytes *out)
{
	static const struct table_column columns[] = {{"Traced Method", "method", TABLE_METHOD, 0},
						      {"Caller", "caller", TABLE_METHOD, 0},
						      {"Invocations", "invocations", TABLE_NUMBER, 0},
						      {"Total", "totalNs", TABLE_NUMBER, 1}};
	uint64_t shown = request->top ?: UINT64_MAX;
	struct table table;
	bool printed;

	table_init(&table, "Method Calls", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < c->pairs.count && i < shown; i++) {
		const struct group *pair = &c->pairs.group[i];

		table_put(&table, method_names_text(&c->names, pair->first));
		table_put(&table, method_names_text(&c->names, pair->second));
		table_put_count(&table, pair->count);
		table_put_time(&table, pair->total);
	}
	table.more = c->pairs.count > shown ? c->pairs.count - shown : 0;
	printed = table_print(&table, &request->layout, out);
	table_release(&table);
	return printed;
}

int view_calls(struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	struct callers callers = {0};
	int err = trace_read_chosen(file, request->filter, &(struct trace_ops){.call = add_pair}, &callers);

	aggregate_sort(&callers.pairs, compare_pairs);
	if (!err && (!method_names_settle(&callers.names) || !calls_print(&callers, request, out)))
		err = -ENOMEM;
	method_names_release(&callers.names);
	aggregate_release(&callers.stacks);
	aggregate_release(&callers.pairs);
	return err;
}
