// SPDX-License-Identifier: BSD-2-Clause
/* Traced methods, alone and per caller. */
#include "user/view/aggregate.h"
#include "user/view/views.h"

#include <errno.h>
#include <stdlib.h>

static int methods_add_method(const struct call *call, void *context)
{
	struct group *g = aggregate_of(context, call->method_id, 0);

	if (g && !g->count)
		g->name = view_method(call->chunk, call->method);
	if (!g || !g->name)
		return -ENOMEM;
	aggregate_add(g, call->duration, call->thrown);
	return 0;
}

/* Largest total first. */
static int compare_totals(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->total != y->total ? (x->total < y->total) - (x->total > y->total) : strcmp(x->name, y->name);
}

static void methods_put_methods(struct table *table, const struct aggregate *aggregate)
{
	for (size_t i = 0; i < aggregate->count; i++) {
		const struct group *g = &aggregate->group[i];

		table_put(table, g->name);
		view_count(&table->cells, g->count);
		table_cell(table);
		view_time(&table->cells, g->total);
		table_cell(table);
		view_time(&table->cells, g->least);
		table_cell(table);
		view_time(&table->cells, g->total / (int64_t)g->count);
		table_cell(table);
		view_time(&table->cells, g->most);
		table_cell(table);
		view_count(&table->cells, g->thrown);
		table_cell(table);
	}
}

int view_methods(struct jfr_file *file, const struct table_layout *layout, struct bytes *out)
{
	static const struct table_column columns[] = {
		{"Traced Method", true, true}, {"Calls", false, false},	  {"Total", false, false},
		{"Minimum", false, false},     {"Average", false, false}, {"Maximum", false, false},
		{"Thrown", false, false},
	};
	struct aggregate aggregate = {0};
	struct table table;
	int err = call_iter_each(file, "jdk.MethodTrace", methods_add_method, &aggregate);

	table_init(&table, "Method Trace", columns, sizeof(columns) / sizeof(columns[0]));
	aggregate_sort(&aggregate, compare_totals);
	methods_put_methods(&table, &aggregate);
	if (!err && !table_print(&table, layout, out))
		err = -ENOMEM;
	table_release(&table);
	aggregate_release(&aggregate);
	return err;
}

/* Calls by method of the caller. Each stack is decoded only once to find it. */
struct callers {
	struct aggregate stacks; /* stack -> 1 + call_method_id() of the caller, in `mark` */
	struct aggregate pairs;
};

static int add_pair(const struct call *call, void *context)
{
	struct callers *c = context;
	bool has_stack = call->stack.kind == VALUE_KEY;
	struct group *stack = aggregate_of(&c->stacks, has_stack ? call->stack.key : 0, call->chunk->number), *pair;
	struct jfr_value caller;
	int64_t line;

	if (!stack)
		return -ENOMEM;
	if (!stack->count++)
		stack->mark = call_caller(call, &caller, &line) ? 1 + call_method_id(call->chunk, &caller) : 0;
	pair = aggregate_of(&c->pairs, call->method_id, stack->mark);
	if (!pair)
		return -ENOMEM;
	if (!pair->count) {
		pair->name = view_method(call->chunk, call->method);
		pair->other = call_caller(call, &caller, &line) ? view_method(call->chunk, caller) : strdup("N/A");
	}
	if (!pair->name || !pair->other)
		return -ENOMEM;
	aggregate_add(pair, call->duration, call->thrown);
	return 0;
}

static int compare_counts(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int names = strcmp(x->name, y->name);

	if (x->count != y->count)
		return (x->count < y->count) - (x->count > y->count);
	return names ? names : strcmp(x->other, y->other);
}

int view_calls(struct jfr_file *file, const struct table_layout *layout, struct bytes *out)
{
	static const struct table_column columns[] = {
		{"Traced Method", true, true}, {"Caller", true, true}, {"Invocations", false, false}};
	struct callers callers = {0};
	struct table table;
	int err = call_iter_each(file, "jdk.MethodTrace", add_pair, &callers);

	table_init(&table, "Method Calls", columns, sizeof(columns) / sizeof(columns[0]));
	aggregate_sort(&callers.pairs, compare_counts);
	for (size_t i = 0; i < callers.pairs.count; i++) {
		table_put(&table, callers.pairs.group[i].name);
		table_put(&table, callers.pairs.group[i].other);
		view_count(&table.cells, callers.pairs.group[i].count);
		table_cell(&table);
	}
	if (!err && !table_print(&table, layout, out))
		err = -ENOMEM;
	table_release(&table);
	aggregate_release(&callers.stacks);
	aggregate_release(&callers.pairs);
	return err;
}
