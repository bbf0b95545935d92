// SPDX-License-Identifier: BSD-2-Clause
/* Events of one type as CSV. */
#include "user/export/csv_cell.h"
#include "user/export/export.h"
#include "user/trace/trace.h"
#include "user/view/event_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct events_csv {
	struct event_fields fields;
	struct export_names names;
	struct printer p;
	struct bytes cell;
	FILE *to;
};

/* Times and thread stand first. */
static bool events_csv_has(const struct meta_type *t, uint32_t field)
{
	return (int)field != t->duration && (int)field != t->thread &&
	       strcmp(t->fields[field].name, "startTime") != 0 && field_has_cell(&t->fields[field]);
}

/* `t` NULL: there are no events. */
static void events_csv_head(const struct events_csv *x, const struct meta_type *t)
{
	fputs("start_ns,duration_ns,thread_id,thread", x->to);
	for (uint32_t i = 0; t && i < t->count; i++) {
		if (!events_csv_has(t, i))
			continue;
		fputc(',', x->to);
		csv_put_cell(x->to, t->fields[i].name);
	}
	fputs("\r\n", x->to);
}

/* As in JSON: numbers as the file has them, moments in ISO 8601. What is missing is empty. */
static void events_csv_put(struct events_csv *x, uint32_t field)
{
	const char *text;

	bytes_clear(&x->cell);
	field_put_typed(&x->cell, &x->p, &x->fields.first->fields[field], &x->fields.value[field]);
	text = memory_text(&x->cell);
	fputc(',', x->to);
	if (*text == '"')
		csv_put_cell(x->to, text + 1);
	else if (strcmp(text, "#null") != 0)
		fputs(text + 1, x->to);
}

static int events_csv_add(const struct call *call, void *context)
{
	struct events_csv *x = context;
	bool first = !x->fields.metadata;
	struct group *thread;

	event_fields_read(&x->fields, call->chunk, call->event);
	if (first)
		events_csv_head(x, x->fields.first);
	x->p.chunk = call->chunk;
	fprintf(x->to, "%" PRId64 ",", call->start);
	if (x->fields.first->duration >= 0)
		fprintf(x->to, "%" PRId64, call->duration);
	fputc(',', x->to);
	if (x->fields.first->thread >= 0) {
		thread = export_thread(&x->names, call);
		thread->count++;
		fprintf(x->to, "%" PRIu64 ",", thread->mark);
		csv_put_cell(x->to, thread->name);
	} else {
		fputc(',', x->to);
	}
	for (uint32_t i = 0; i < x->fields.first->count; i++)
		if (events_csv_has(x->fields.first, i))
			events_csv_put(x, i);
	fputs("\r\n", x->to);
	return ferror(x->to) ? -EIO : 0;
}

void export_events(struct jfr_file *file, const char *type, struct call_filter *filter, FILE *to)
{
	const struct trace_ops ops = {.call = events_csv_add, .call_type = type};
	struct events_csv x = {.to = to};

	printer_init(&x.p, -1);
	bytes_init(&x.cell);
	export_names_init(&x.names, false);
	trace_read_all(file, &(struct trace_reader){&ops, &x, filter}, 1);
	if (!x.fields.metadata)
		events_csv_head(&x, NULL);
	event_fields_release(&x.fields);
	export_names_release(&x.names);
	printer_release(&x.p);
	bytes_release(&x.cell);
}
