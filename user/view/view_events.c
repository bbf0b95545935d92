// SPDX-License-Identifier: BSD-2-Clause
/* The events of one type, in the order of time, or the types that a recording has. */
#include "user/text/java_number.h"
#include "user/text/java_time.h"
#include "user/text/log.h"
#include "user/text/memory.h"
#include "user/trace/user_values.h"
#include "user/view/event_table.h"
#include "user/print/event_types.h"

#include <errno.h>
#include <stdlib.h>

enum { FIXED_COLUMNS = 6, START = 0, DURATION = 2, THREAD = 4 }; /* two for each; then two for each field */

/* A row of the table. */
struct event_row {
	int64_t start, duration;
	size_t number;
};

struct event_rows {
	const struct view_request *request;
	struct jfr_file *file;
	struct event_fields fields;
	struct printer p;
	struct table table;
	struct table_column *columns;
	uint32_t *shown; /* the fields that have columns */
	size_t count;	 /* of them */
	struct event_row *row;
	size_t rows, capacity;
};

static void event_rows_release(struct event_rows *r)
{
	event_fields_release(&r->fields);
	printer_release(&r->p);
	table_release(&r->table);
	free(r->columns);
	free(r->shown);
	free(r->row);
}

static bool has_own_column(const struct meta_type *t, uint32_t field)
{
	return (int)field != t->duration && (int)field != t->thread && (int)field != t->stack &&
	       strcmp(t->fields[field].name, "startTime") != 0 && field_has_cell(&t->fields[field]);
}

/* In a narrow table the last fields go first, then the thread. Values of -e are cut last. */
static void make_columns(struct event_rows *r)
{
	const struct meta_type *t = r->fields.first;
	unsigned int count = FIXED_COLUMNS;

	r->columns = memory_need(calloc(FIXED_COLUMNS + 2 * (size_t)t->count, sizeof(*r->columns)));
	r->shown = memory_need(calloc(t->count + 1, sizeof(*r->shown)));
	r->columns[START] = (struct table_column){.label = "Start", .kind = TABLE_WORDS};
	r->columns[START + 1] = (struct table_column){.key = "startTime", .kind = TABLE_TEXT};
	if (t->duration >= 0) {
		r->columns[DURATION] = (struct table_column){.label = "Duration", .kind = TABLE_NUMBER};
		r->columns[DURATION + 1] = (struct table_column){.key = "durationNs", .kind = TABLE_TYPED};
	}
	if (t->thread >= 0) {
		r->columns[THREAD] = (struct table_column){.label = "Thread", .kind = TABLE_TEXT, .rank = 2};
		r->columns[THREAD + 1] = (struct table_column){.key = "thread", .kind = TABLE_TYPED};
	}
	for (uint32_t i = 0; i < t->count; i++) {
		if (!has_own_column(t, i))
			continue;
		field_cell_columns(&r->columns[count], t->fields[i].name, &t->fields[i]);
		if (i >= user_values_first(t) && i < user_values_end(t) && r->columns[count].kind == TABLE_TEXT)
			r->columns[count].kind = TABLE_VALUE;
		r->columns[count].rank = r->count ? r->count + 2 : 0;
		count += 2;
		r->shown[r->count++] = i;
	}
	table_init(&r->table, t->name, r->columns, count);
	r->table.drops_alike = true;
}

/* The two cells of a field; `field` < 0: the type does not have it. */
static void put_field(struct event_rows *r, int field)
{
	if (field >= 0)
		field_put_text(&r->table.cells, &r->p, &r->fields.first->fields[field], &r->fields.value[field]);
	table_cell(&r->table);
	if (field >= 0)
		field_put_typed(&r->table.cells, &r->p, &r->fields.first->fields[field], &r->fields.value[field]);
	table_cell(&r->table);
}

static void put_times(struct event_rows *r, const struct call *call)
{
	view_put_start(&r->table, call, r->file->utc_offset);
	put_text(&r->table.cells, log_time(call->duration > 0 ? call->duration : 0));
	table_cell(&r->table);
	bytes_put_u8(&r->table.cells, '#');
	put_integer(&r->table.cells, call->duration);
	table_cell(&r->table);
}

static int event_rows_add(const struct call *call, void *context)
{
	struct event_rows *r = context;
	bool first = !r->fields.metadata;

	event_fields_read(&r->fields, call->chunk, call->event);
	if (first)
		make_columns(r);
	memory_reserve(&r->row, &r->capacity, r->rows + 1);
	r->p.chunk = call->chunk;
	r->p.utc_offset = r->file->utc_offset;
	r->row[r->rows] = (struct event_row){call->start, call->duration, r->rows};
	r->rows++;
	put_times(r, call);
	put_field(r, r->fields.first->thread);
	for (size_t i = 0; i < r->count; i++)
		put_field(r, r->shown[i]);
	return 0;
}

static int rows_by_start(const void *a, const void *b)
{
	const struct event_row *x = a, *y = b;

	return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
				    : (x->number > y->number) - (x->number < y->number);
}

/* Longest first. */
static int rows_by_duration(const void *a, const void *b)
{
	const struct event_row *x = a, *y = b;

	return x->duration != y->duration ? (x->duration < y->duration) - (x->duration > y->duration)
					  : rows_by_start(a, b);
}

/* With --top the longest ones. */
static void event_rows_print(struct event_rows *r, const char *name, struct bytes *out)
{
	uint64_t shown = r->request->top && r->request->top < r->rows ? r->request->top : r->rows;
	size_t *order = memory_need(calloc(r->rows + 1, sizeof(*order)));

	r->table.title = name;
	if (r->rows)
		qsort(r->row, r->rows, sizeof(*r->row), r->request->top ? rows_by_duration : rows_by_start);
	for (size_t i = 0; i < shown; i++)
		order[i] = r->row[i].number;
	if (!table_order(&r->table, order, shown))
		memory_exhausted();
	free(order);
	view_put_table(&r->table, r->rows, r->request, out);
}

static int show_rows(struct jfr_file *file, const char *name, const struct view_request *request, struct bytes *out)
{
	struct event_rows r = {.request = request, .file = file};
	int err;

	printer_init(&r.p, -1);
	err = trace_read_all(file,
			     &(struct trace_reader){&(struct trace_ops){.call = event_rows_add, .call_type = name}, &r,
						    request->filter},
			     1);
	if (!err)
		event_rows_print(&r, name, out);
	event_rows_release(&r);
	return err;
}

static void show_types(struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	static const struct table_column columns[] = {{"Event Type", "type", TABLE_WORDS, 0},
						      {"Events", "events", TABLE_NUMBER, 0}};
	uint64_t shown = request->top ?: UINT64_MAX;
	struct type_counts t = {0};
	struct table table;
	size_t present = 0;

	type_counts_read(&t, file, true);
	type_counts_sort(&t);
	table_init(&table, "Event Types", columns, 2);
	for (; present < t.count && t.type[present].events; present++) {
		if (present >= shown)
			continue;
		table_put(&table, t.type[present].name);
		table_put_count(&table, t.type[present].events);
	}
	view_put_table(&table, present, request, out);
	type_counts_release(&t);
}

int view_events(struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	char *name = NULL;
	int err;

	if (!request->event) {
		show_types(file, request, out);
		return 0;
	}
	err = type_named(file, request->event, &name, request->diag);
	if (!err)
		err = call_scope_prepare(request->filter, SCOPE_CALL, name, file, request->diag);
	if (!err)
		err = (request->by ? event_groups_show : show_rows)(file, name, request, out);
	free(name);
	return err;
}
