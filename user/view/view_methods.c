// SPDX-License-Identifier: BSD-2-Clause
/* Traced methods: by themselves, and by who called them. */
#include "user/view/aggregate.h"
#include "user/view/views.h"

#include <errno.h>
#include <stdlib.h>

static int methods_add_method(const struct call *call, void *context)
{
	struct group *g = aggregate_of(context, call->method.key, 0);

	if (g && !g->count)
		g->name = view_method(call->chunk, call->method);
	if (!g || !g->name)
		return -ENOMEM;
	aggregate_add(g, call->duration, call->thrown);
	return 0;
}

/* What took longest together comes first. */
static int compare_totals(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->total != y->total ? (x->total < y->total) - (x->total > y->total) : strcmp(x->name, y->name);
}

static void methods_put_methods(struct table *grid, const struct aggregate *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *g = &groups->group[i];

		table_put(grid, g->name);
		view_count(&grid->cells, g->count);
		table_cell(grid);
		view_time(&grid->cells, g->total);
		table_cell(grid);
		view_time(&grid->cells, g->least);
		table_cell(grid);
		view_time(&grid->cells, g->total / (int64_t)g->count);
		table_cell(grid);
		view_time(&grid->cells, g->most);
		table_cell(grid);
		view_count(&grid->cells, g->thrown);
		table_cell(grid);
	}
}

int view_methods(struct jfr_file *file, const struct table_layout *layout, struct bytes *out)
{
	static const struct table_column columns[] = {
		{"Traced Method", true, true}, {"Calls", false, false},	  {"Total", false, false},
		{"Minimum", false, false},     {"Average", false, false}, {"Maximum", false, false},
		{"Thrown", false, false},
	};
	struct aggregate groups = {0};
	struct table grid;
	int err = call_iter_each(file, "jdk.MethodTrace", methods_add_method, &groups);

	table_init(&grid, "Method Trace", columns, sizeof(columns) / sizeof(columns[0]));
	aggregate_sort(&groups, compare_totals);
	methods_put_methods(&grid, &groups);
	if (!err && !table_print(&grid, layout, out))
		err = -ENOMEM;
	table_release(&grid);
	aggregate_release(&groups);
	return err;
}

/* By the caller's method: to find it a stack has to be looked into, once. */
struct callers {
	struct aggregate stacks; /* stack -> key of the caller's method + 1, in `mark` */
	struct aggregate pairs;
};

static uint64_t caller_key(const struct call *call)
{
	struct jfr_value stack = call->stack, frames, frame, v;
	struct cursor c;

	jfr_resolve(call->chunk, &stack);
	frames = jfr_field(call->chunk, &stack, "frames");
	if (frames.kind != VALUE_ARRAY || !frames.place.count || frames.place.field->constant)
		return 0;
	c = jfr_enter(call->chunk, &frames);
	jfr_take_element(&c, &frames, &frame);
	c = jfr_enter(call->chunk, &frame);
	for (uint32_t i = 0; i < frame.type->count; i++) {
		jfr_take(&c, &frame.type->fields[i], &v);
		if (v.kind == VALUE_KEY && strcmp(frame.type->fields[i].name, "method") == 0)
			return v.key + 1;
	}
	return 0;
}

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
		stack->mark = has_stack ? caller_key(call) : 0;
	pair = aggregate_of(&c->pairs, call->method.key, stack->mark);
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
	struct table grid;
	int err = call_iter_each(file, "jdk.MethodTrace", add_pair, &callers);

	table_init(&grid, "Method Calls", columns, sizeof(columns) / sizeof(columns[0]));
	aggregate_sort(&callers.pairs, compare_counts);
	for (size_t i = 0; i < callers.pairs.count; i++) {
		table_put(&grid, callers.pairs.group[i].name);
		table_put(&grid, callers.pairs.group[i].other);
		view_count(&grid.cells, callers.pairs.group[i].count);
		table_cell(&grid);
	}
	if (!err && !table_print(&grid, layout, out))
		err = -ENOMEM;
	table_release(&grid);
	aggregate_release(&callers.stacks);
	aggregate_release(&callers.pairs);
	return err;
}
