// SPDX-License-Identifier: BSD-2-Clause
/* Traced methods, alone and per caller. */
#include "user/text/memory.h"
#include "user/trace/aggregate.h"
#include "user/trace/method_names.h"
#include "user/trace/nested_times.h"
#include "user/trace/sum.h"
#include "user/print/user_values_text.h"
#include "user/view/views.h"

#include <stdlib.h>

/* Sums over the calls of a method; times in ns. */
struct method_sums {
	uint32_t method;
	uint64_t calls, thrown;
	int64_t total, least, most;
	int64_t allocated;	  /* bytes; INT64_MIN: not known of all calls */
	struct nested_sum nested; /* set at the end */
	/* over the calls whose breakdown is known */
	uint64_t known;
	int64_t known_total, cpu, run_queue, blocked;
};

struct method_table {
	const char *by; /* calls with different values of this field have rows of their own; NULL: none */
	struct method_names names;
	struct nested_times times;
	struct method_sums *of; /* by number of the method - 1 */
	size_t count, capacity;
	bool split; /* some call has a breakdown */
	bool allocated;
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
	uint32_t method = user_values_method(&all->names, call, all->by);
	struct method_sums *m;

	nested_times_add(&all->times, call, method);
	memory_extend(&all->of, &all->count, &all->capacity, method);
	m = &all->of[method - 1];
	m->method = method;
	m->least = m->calls++ && m->least < call->duration ? m->least : call->duration;
	m->thrown += call->thrown;
	sum_add(&m->total, call->duration);
	m->most = call->duration > m->most ? call->duration : m->most;
	if (call->allocated == INT64_MIN || m->allocated == INT64_MIN)
		m->allocated = INT64_MIN;
	else
		sum_add(&m->allocated, call->allocated);
	all->allocated |= call->allocated != INT64_MIN;
	if (call_has_split(call)) {
		methods_add_split(m, call);
		all->split = true;
	}
	return 0;
}

static void methods_begin(void *state, const struct view_request *request)
{
	struct method_table *all = state;

	all->by = view_by_field(request);
	all->names.any_loader = request->by && !all->by;
}

static int methods_add_other(const struct call *call, void *context)
{
	struct method_table *all = context;

	nested_times_add(&all->times, call, 0);
	return 0;
}

/* Most self time first, if that is asked for; largest total first. */
static int compare_totals(const void *a, const void *b, void *by_self)
{
	const struct method_sums *x = a, *y = b;

	if (*(bool *)by_self && x->nested.self != y->nested.self)
		return (x->nested.self < y->nested.self) - (x->nested.self > y->nested.self);
	return x->total != y->total ? (x->total < y->total) - (x->total > y->total)
				    : (x->method > y->method) - (x->method < y->method);
}

static void methods_put_row(struct table *table, const struct method_table *all, const struct method_sums *m)
{
	const char *value = method_names_value(&all->names, m->method) ?: "#null";
	int64_t known = m->known ? 0 : TABLE_UNKNOWN;

	table_put(table, method_names_text(&all->names, m->method));
	if (all->by) {
		table_put(table, strcmp(value, "#null") == 0 ? "" : value + 1);
		table_put(table, value);
	}
	table_put_count(table, m->calls);
	table_put_time(table, m->total);
	table_put_time(table, m->nested.outermost);
	table_put_time(table, m->nested.self);
	table_put_time(table, m->least);
	table_put_time(table, m->total / (int64_t)m->calls);
	table_put_time(table, m->most);
	table_put_time(table, known ?: m->known_total);
	table_put_share(table, known ?: m->cpu, m->total);
	table_put_share(table, known ?: m->run_queue, m->total);
	table_put_share(table, known ?: m->blocked, m->total);
	table_put_share(table, known ?: m->total - m->known_total, m->total);
	table_put_count(table, m->thrown);
	table_put_amount(table, m->allocated);
}

/* Without --by there are no values */
enum { VALUE_COLUMNS = 2, OUTERMOST_COLUMN = 5, SELF_COLUMN = 6 };
enum { SPLIT_COLUMN = 11, SPLIT_COLUMNS = 3 }; /* CPU, run queue, blocked, and behind them */
enum { UNKNOWN_COLUMN = SPLIT_COLUMN + SPLIT_COLUMNS };

/* If every call of a method has a value, the method has no row of its own. */
static void methods_compact(struct method_table *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++)
		if (all->of[i].calls)
			all->of[kept++] = all->of[i];
	all->count = kept;
}

/* True if shares of a row that has some do not add up to about 100 %. */
static bool methods_have_unknown(const struct method_table *all)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct method_sums *m = &all->of[i];

		if (m->known && m->total - m->known_total > m->total / 100)
			return true;
	}
	return false;
}

/* Set what is nested, and the labels of its columns if it differs from the total. */
static void methods_nest(struct method_table *all, struct table_column *columns)
{
	nested_times_settle(&all->times);
	for (size_t i = 0; i < all->count; i++) {
		struct method_sums *m = &all->of[i];

		m->nested = nested_times_of(&all->times, m->method);
		if (m->nested.outermost != m->total && m->nested.outermost != INT64_MIN)
			columns[OUTERMOST_COLUMN].label = "Outermost";
		if (m->nested.self != m->total && m->nested.self != INT64_MIN)
			columns[SELF_COLUMN].label = "Self";
	}
}

static void methods_put(void *state, const struct view_request *request, struct bytes *out)
{
	struct method_table *all = state;
	struct table_column columns[] = {
		{"Traced Method", "method", TABLE_METHOD, 0},
		{all->by, NULL, TABLE_VALUE, 0},
		{NULL, "value", TABLE_TYPED, 0},
		{"Calls", "calls", TABLE_NUMBER, 0},
		{"Total", "totalNs", TABLE_NUMBER, 0},
		{NULL, "outermostNs", TABLE_NUMBER, 5},
		{NULL, "selfNs", TABLE_NUMBER, 0},
		{"Minimum", "minNs", TABLE_NUMBER, 6},
		{"Average", "averageNs", TABLE_NUMBER, 2},
		{"Maximum", "maxNs", TABLE_NUMBER, 1},
		{NULL, "whereTotalNs", TABLE_NUMBER, 0},
		{"CPU", "cpuNs", TABLE_NUMBER, 4},
		{"Run Queue", "runQueueNs", TABLE_NUMBER, 5},
		{"Blocked", "blockedNs", TABLE_NUMBER, 3},
		{"Unknown", "unknownNs", TABLE_NUMBER, 0},
		{"Thrown", "thrown", TABLE_NUMBER, 7},
		{all->allocated ? "Allocated" : NULL, "allocatedBytes", TABLE_NUMBER, 0},
	};
	unsigned int count = sizeof(columns) / sizeof(columns[0]), left_out = all->by ? 0 : VALUE_COLUMNS;
	uint64_t shown = request->top ?: UINT64_MAX;
	bool by_self = request->by_self;
	struct table table;

	methods_compact(all);
	methods_nest(all, columns);
	if (all->count)
		qsort_r(all->of, all->count, sizeof(*all->of), compare_totals, &by_self);
	method_names_settle(&all->names);
	for (int i = 0; i < SPLIT_COLUMNS && !all->split; i++)
		columns[SPLIT_COLUMN + i].label = NULL;
	if (!methods_have_unknown(all))
		columns[UNKNOWN_COLUMN].label = NULL;
	columns[left_out] = columns[0];
	table_init(&table, "Method Trace", columns + left_out, count - left_out);
	for (size_t i = 0; i < all->count && i < shown; i++)
		methods_put_row(&table, all, &all->of[i]);
	view_put_table(&table, all->count, request, out);
}

static void methods_release(void *state)
{
	struct method_table *all = state;

	free(all->of);
	method_names_release(&all->names);
	nested_times_release(&all->times);
}

const struct view_pass view_methods = {.size = sizeof(struct method_table),
				       .ops = {.call = methods_add_method, .left_out = methods_add_other},
				       .begin = methods_begin,
				       .put = methods_put,
				       .release = methods_release};

/* Calls by method of the caller. Each stack is decoded only once to find it. */
struct caller_pairs {
	struct method_names names;
	struct chunk_map stacks; /* -> number of the caller's method */
	struct aggregate pairs;	 /* of these numbers */
};

static int calls_add(const struct call *call, void *context)
{
	struct caller_pairs *c = context;
	uint32_t *of_stack = chunk_map_at(&c->stacks, call->chunk, &call->stack, 0);
	uint32_t method = method_names_number(&c->names, call->chunk, &call->method);
	struct jfr_value caller = {.kind = VALUE_NULL};
	int64_t line;

	if (!*of_stack) {
		if (!call_caller(call, &caller, &line))
			caller.kind = VALUE_NULL;
		*of_stack = method_names_number(&c->names, call->chunk, &caller);
	}
	aggregate_add(aggregate_of(&c->pairs, method, *of_stack), call->duration, call->thrown);
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

static void calls_put(void *state, const struct view_request *request, struct bytes *out)
{
	static const struct table_column columns[] = {{"Traced Method", "method", TABLE_METHOD, 0},
						      {"Caller", "caller", TABLE_METHOD, 0},
						      {"Invocations", "invocations", TABLE_NUMBER, 0},
						      {"Total", "totalNs", TABLE_NUMBER, 1}};
	struct caller_pairs *c = state;
	uint64_t shown = request->top ?: UINT64_MAX;
	struct table table;

	aggregate_sort(&c->pairs, compare_pairs);
	method_names_settle(&c->names);
	table_init(&table, "Method Calls", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < c->pairs.count && i < shown; i++) {
		const struct group *pair = &c->pairs.group[i];

		table_put(&table, method_names_text(&c->names, pair->first));
		table_put(&table, method_names_text(&c->names, pair->second));
		table_put_count(&table, pair->count);
		table_put_time(&table, pair->total);
	}
	view_put_table(&table, c->pairs.count, request, out);
}

static void calls_release(void *state)
{
	struct caller_pairs *c = state;

	method_names_release(&c->names);
	chunk_map_release(&c->stacks);
	aggregate_release(&c->pairs);
}

static void calls_begin(void *state, const struct view_request *request)
{
	((struct caller_pairs *)state)->names.any_loader = request->by;
}

const struct view_pass view_calls = {.size = sizeof(struct caller_pairs),
				     .ops = {.call = calls_add},
				     .check = view_check_by_class,
				     .begin = calls_begin,
				     .put = calls_put,
				     .release = calls_release};
