// SPDX-License-Identifier: BSD-2-Clause
/* jdk.MethodTiming: all rows of one emission have the same time; the last emission is the result. */
#include "user/text/memory.h"
#include "user/trace/method_names.h"
#include "user/trace/sum.h"
#include "user/view/views.h"

#include <stdlib.h>

struct timing_row {
	uint32_t method, class_method; /* numbers; class_method: of all classes of that name */
	int64_t invocations;
	int64_t total, minimum, average, p99, maximum, self, outermost; /* ns; INT64_MIN: unknown */
	int64_t allocated;						/* bytes, also */
};

struct timing {
	struct method_names names, class_names;
	struct timing_row *row; /* the last one of each method, by its number */
	size_t count, capacity;
	struct call_filter *filter;
};

static int64_t timing_span(const struct jfr_chunk *chunk, int64_t ticks)
{
	int64_t ns = jfr_timebase_span(&chunk->clock, ticks);

	return ns < 0 ? INT64_MIN : ns; /* unknown */
}

/* The sum is not in the event. */
static int64_t timing_total(const struct timing_row *r)
{
	int64_t total;

	if (r->average == INT64_MIN)
		return r->invocations ? INT64_MIN : 0;
	return __builtin_mul_overflow(r->average, r->invocations, &total) ? INT64_MAX : total;
}

static struct timing_row timing_read(struct jfr_chunk *chunk, const struct jfr_event *e, struct jfr_value *method)
{
	struct timing_row row = {.minimum = INT64_MIN,
				 .average = INT64_MIN,
				 .p99 = INT64_MIN,
				 .maximum = INT64_MIN,
				 .self = INT64_MIN,
				 .outermost = INT64_MIN,
				 .allocated = INT64_MIN};
	struct jfr_value event = jfr_event_value(e), v;
	struct cursor c = jfr_enter(chunk, &event);

	method->kind = VALUE_NULL;
	for (uint32_t i = 0; i < e->type->count; i++) {
		const char *name = e->type->fields[i].name;

		jfr_take(&c, &e->type->fields[i], &v);
		if (v.kind == VALUE_KEY && strcmp(name, "method") == 0)
			*method = v;
		if (v.kind != VALUE_NUMBER)
			continue;
		row.invocations = strcmp(name, "invocations") == 0 ? v.number : row.invocations;
		row.minimum = strcmp(name, "minimum") == 0 ? timing_span(chunk, v.number) : row.minimum;
		row.average = strcmp(name, "average") == 0 ? timing_span(chunk, v.number) : row.average;
		row.p99 = strcmp(name, "p99") == 0 ? timing_span(chunk, v.number) : row.p99;
		row.maximum = strcmp(name, "maximum") == 0 ? timing_span(chunk, v.number) : row.maximum;
		row.self = strcmp(name, "selfTime") == 0 ? timing_span(chunk, v.number) : row.self;
		row.outermost = strcmp(name, "outermostTime") == 0 ? timing_span(chunk, v.number) : row.outermost;
		row.allocated = strcmp(name, "allocated") == 0 && v.number >= 0 ? v.number : row.allocated;
	}
	row.total = timing_total(&row);
	return row;
}

static int timing_add_row(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct timing *t = context;
	struct jfr_value method;
	struct timing_row row = timing_read(chunk, e, &method);

	if (!call_filter_has_method(t->filter, chunk, &method))
		return 0;
	row.method = method_names_number(&t->names, chunk, &method);
	row.class_method = method_names_number(&t->class_names, chunk, &method);
	memory_extend(&t->row, &t->count, &t->capacity, row.method);
	t->row[row.method - 1] = row;
	return 0;
}

static const struct trace_event timing_events[] = {{"jdk.MethodTiming", timing_add_row}, {NULL, NULL}};

static int64_t timing_sum(int64_t a, int64_t b)
{
	if (a == INT64_MIN || b == INT64_MIN)
		return INT64_MIN;
	sum_add(&a, b);
	return a;
}

static void timing_row_add(struct timing_row *to, const struct timing_row *r)
{
	bool first = !to->invocations, empty = !r->invocations;

	sum_add(&to->invocations, r->invocations);
	to->total = timing_sum(to->total, r->total);
	to->allocated = timing_sum(to->allocated, r->allocated);
	to->self = empty ? to->self : first ? r->self : timing_sum(to->self, r->self);
	to->outermost = empty ? to->outermost : first ? r->outermost : timing_sum(to->outermost, r->outermost);
	to->average = to->total == INT64_MIN || !to->invocations ? INT64_MIN : to->total / to->invocations;
	if (empty)
		return;
	to->p99 = first ? r->p99 : INT64_MIN;					    /* of one class only */
	to->minimum = first || r->minimum < to->minimum ? r->minimum : to->minimum; /* unknown is the least */
	if (first || r->maximum == INT64_MIN || (to->maximum != INT64_MIN && r->maximum > to->maximum))
		to->maximum = r->maximum;
}

/* Make one row of those of classes of one name. */
static void timing_add_up_classes(struct timing *t)
{
	struct map rows = {0}; /* class_method -> index + 1 */
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		uint32_t *row = memory_map_at(&rows, t->row[i].class_method, 0);

		if (*row) {
			timing_row_add(&t->row[*row - 1], &t->row[i]);
			continue;
		}
		t->row[kept++] = t->row[i];
		*row = kept;
	}
	t->count = kept;
	map_release(&rows);
}

/* Most of what is asked for first, then the largest total, then most calls. */
static int timing_compare(const void *a, const void *b, void *by_self)
{
	const struct timing_row *x = a, *y = b;

	if (*(bool *)by_self && x->self != y->self)
		return (x->self < y->self) - (x->self > y->self);
	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	if (x->invocations != y->invocations)
		return (x->invocations < y->invocations) - (x->invocations > y->invocations);
	return (x->method > y->method) - (x->method < y->method);
}

/* The JDK's own recordings have no percentiles. */
static bool has_percentiles(const struct timing *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->row[i].p99 != INT64_MIN)
			return true;
	return false;
}

static bool has_allocated(const struct timing *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->row[i].allocated != INT64_MIN)
			return true;
	return false;
}

/* True if a part is less than the total by more than its rounding, which is that of the average for each call. */
static bool timing_differs(const struct timing *t, int64_t (*part)(const struct timing_row *r))
{
	for (size_t i = 0; i < t->count; i++) {
		const struct timing_row *r = &t->row[i];

		if (part(r) >= 0 && r->total > part(r) && r->total - part(r) > r->invocations)
			return true;
	}
	return false;
}

static int64_t timing_self_of(const struct timing_row *r)
{
	return r->self;
}

static int64_t timing_outermost_of(const struct timing_row *r)
{
	return r->outermost;
}

enum { OUTERMOST_COLUMN = 3, SELF_COLUMN = 4, P99_COLUMN = 7, ALLOCATED_COLUMN = 9 };

static void timing_put(void *state, const struct view_request *request, struct bytes *out)
{
	struct timing *t = state;
	struct table_column columns[] = {
		{"Timed Method", "method", TABLE_METHOD, 0}, {"Invocations", "invocations", TABLE_NUMBER, 0},
		{"Total", "totalNs", TABLE_NUMBER, 0},	     {NULL, "outermostNs", TABLE_NUMBER, 5},
		{NULL, "selfNs", TABLE_NUMBER, 0},	     {"Minimum", "minNs", TABLE_NUMBER, 4},
		{"Average", "averageNs", TABLE_NUMBER, 1},   {NULL, "p99Ns", TABLE_NUMBER, 2},
		{"Maximum", "maxNs", TABLE_NUMBER, 3},	     {NULL, "allocatedBytes", TABLE_NUMBER, 0},
	};
	uint64_t shown = request->top ?: UINT64_MAX;
	bool by_self = request->by_self;
	struct table table;

	if (request->by)
		timing_add_up_classes(t);
	columns[OUTERMOST_COLUMN].label = timing_differs(t, timing_outermost_of) ? "Outermost" : NULL;
	columns[SELF_COLUMN].label = timing_differs(t, timing_self_of) ? "Self" : NULL;
	columns[ALLOCATED_COLUMN].label = has_allocated(t) ? "Allocated" : NULL;
	columns[P99_COLUMN].label = has_percentiles(t) ? "P99" : NULL;
	if (t->count)
		qsort_r(t->row, t->count, sizeof(*t->row), timing_compare, &by_self);
	method_names_settle(&t->names);
	method_names_settle(&t->class_names);
	table_init(&table, "Method Timing", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < t->count && i < shown; i++) {
		table_put(&table, request->by ? method_names_text(&t->class_names, t->row[i].class_method)
					      : method_names_text(&t->names, t->row[i].method));
		table_put_count(&table, t->row[i].invocations);
		table_put_time(&table, t->row[i].total);
		table_put_time(&table, t->row[i].outermost);
		table_put_time(&table, t->row[i].self);
		table_put_time(&table, t->row[i].minimum);
		table_put_time(&table, t->row[i].average);
		table_put_time(&table, t->row[i].p99);
		table_put_time(&table, t->row[i].maximum);
		table_put_amount(&table, t->row[i].allocated);
	}
	view_put_table(&table, t->count, request, out);
}

static void timing_release(void *state)
{
	struct timing *t = state;

	free(t->row);
	method_names_release(&t->names);
	method_names_release(&t->class_names);
}

static void view_timing_begin(void *state, const struct view_request *request)
{
	struct timing *t = state;

	t->filter = request->filter;
	t->class_names.any_loader = true;
}

const struct view_pass view_timing = {.size = sizeof(struct timing),
				      .ops = {.events = timing_events},
				      .check = view_check_by_class,
				      .begin = view_timing_begin,
				      .put = timing_put,
				      .release = timing_release};
