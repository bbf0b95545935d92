// SPDX-License-Identifier: BSD-2-Clause
/* jdk.MethodTiming: all rows of one emission have the same time; the last emission is the result. */
#include "user/view/aggregate.h"
#include "user/view/views.h"

#include <errno.h>
#include <stdlib.h>

/* Each group holds the average in `total`, minimum and maximum in `least` and `most`, invocations + 1 in `count`. */
struct timing {
	struct aggregate aggregate;
	int64_t last; /* ticks */
};

static int64_t timing_span(const struct jfr_chunk *chunk, int64_t ticks)
{
	return ticks == INT64_MIN ? ticks : jfr_timebase_span(&chunk->clock, ticks);
}

static int read_row(struct timing *t, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct jfr_value event = jfr_event_value(e), v, method = {.kind = VALUE_NULL};
	int64_t invocations = 0, minimum = INT64_MIN, average = INT64_MIN, maximum = INT64_MIN;
	struct cursor c = jfr_enter(chunk, &event);
	struct group *g;

	for (uint32_t i = 0; i < e->type->count; i++) {
		const char *name = e->type->fields[i].name;

		jfr_take(&c, &e->type->fields[i], &v);
		if (v.kind == VALUE_KEY && strcmp(name, "method") == 0)
			method = v;
		if (v.kind != VALUE_NUMBER)
			continue;
		invocations = strcmp(name, "invocations") == 0 ? v.number : invocations;
		minimum = strcmp(name, "minimum") == 0 ? timing_span(chunk, v.number) : minimum;
		average = strcmp(name, "average") == 0 ? timing_span(chunk, v.number) : average;
		maximum = strcmp(name, "maximum") == 0 ? timing_span(chunk, v.number) : maximum;
	}
	g = aggregate_of(&t->aggregate, call_method_id(chunk, &method), 0);
	if (g && !g->name)
		g->name = view_method(chunk, method);
	if (!g || !g->name)
		return -ENOMEM;
	g->count = invocations + 1;
	g->least = minimum;
	g->total = average;
	g->most = maximum;
	return 0;
}

static int timing_add_row(struct timing *t, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	int64_t start = jfr_event_times(chunk, e).start;

	if (start != t->last)
		aggregate_release(&t->aggregate);
	t->last = start;
	return read_row(t, chunk, e);
}

static int timing_add_chunk(struct timing *t, struct jfr_chunk *chunk)
{
	const struct meta_type *wanted = jfr_metadata_find(chunk->metadata, "jdk.MethodTiming");
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;
	int err = 0;

	while (!err && wanted && jfr_chunk_next(chunk, &position, &e))
		if (e.type == wanted)
			err = timing_add_row(t, chunk, &e);
	return err;
}

static int timing_compare(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->total != y->total ? (x->total < y->total) - (x->total > y->total) : strcmp(x->name, y->name);
}

static void timing_put_rows(struct table *table, const struct aggregate *aggregate)
{
	for (size_t i = 0; i < aggregate->count; i++) {
		const struct group *g = &aggregate->group[i];

		table_put(table, g->name);
		view_count(&table->cells, g->count - 1);
		table_cell(table);
		view_exact_time(&table->cells, g->least);
		table_cell(table);
		view_exact_time(&table->cells, g->total);
		table_cell(table);
		view_exact_time(&table->cells, g->most);
		table_cell(table);
	}
}

int view_timing(struct jfr_file *file, const struct table_layout *layout, struct bytes *out)
{
	static const struct table_column columns[] = {
		{"Timed Method", true, true},	{"Invocations", false, false},	{"Minimum Time", false, false},
		{"Average Time", false, false}, {"Maximum Time", false, false},
	};
	struct timing t = {.last = INT64_MIN};
	struct jfr_chunk *chunk;
	struct table table;
	int err = 0;

	while (!err && (chunk = jfr_file_next(file))) {
		err = timing_add_chunk(&t, chunk);
		jfr_chunk_put(chunk);
	}
	table_init(&table, "Method Timing", columns, sizeof(columns) / sizeof(columns[0]));
	aggregate_sort(&t.aggregate, timing_compare);
	timing_put_rows(&table, &t.aggregate);
	if (!err && !table_print(&table, layout, out))
		err = -ENOMEM;
	table_release(&table);
	aggregate_release(&t.aggregate);
	return err;
}
