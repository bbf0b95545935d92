// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/wait_resources.h"
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/trace/sum.h"
#include "user/print/table.h"

#include <stdlib.h>

#define SHOWN 20

void wait_resources_release(struct wait_resources *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->row[i].ns);
	free(w->row);
	map_release(&w->rows);
	texts_release(&w->texts);
}

/* The number of a text, which is freed. */
static uint32_t wait_resources_text(struct wait_resources *w, char *text)
{
	uint32_t number = texts_number(&w->texts, text);

	free(text);
	return number;
}

static void wait_resource_add_process(struct wait_resource *row, uint32_t process, uint32_t container)
{
	if (!process || row->differ)
		return;
	row->differ = row->process && (row->process != process || row->container != container);
	row->process = row->differ ? 0 : process;
	row->container = row->differ ? 0 : container;
}

void wait_resources_add(struct wait_resources *w, const struct thread_wait *wait, const char *reason)
{
	uint32_t first = wait_resources_text(w, thread_wait_resource(wait));
	uint32_t second = texts_number(&w->texts, reason), *number;
	struct wait_resource *row;

	if (!first)
		return;
	number = memory_map_at(&w->rows, first, second);
	if (!*number) {
		memory_reserve(&w->row, &w->capacity, w->count + 1);
		w->row[w->count++] = (struct wait_resource){.name = first, .reason = second};
		*number = w->count;
	}
	row = &w->row[*number - 1];
	row->service = wait_resources_text(w, thread_wait_service(wait)) ?: row->service;
	wait_resource_add_process(row, wait_resources_text(w, thread_wait_process(wait)),
				  wait_resources_text(w, thread_wait_container(wait)));
	memory_reserve(&row->ns, &row->capacity, row->count + 1);
	row->ns[row->count++] = wait->duration;
	sum_add(&row->total, wait->duration);
}

/* Most time first. */
static int wait_resource_compare(const void *a, const void *b, void *texts)
{
	const struct wait_resource *x = a, *y = b;
	char *const *text = ((const struct texts *)texts)->text;

	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	return strcmp(text[x->name], text[y->name]) ?: strcmp(text[x->reason], text[y->reason]);
}

static int wait_resource_compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The time that this share of the waits did not exceed. */
static int64_t wait_resource_quantile(const struct wait_resource *row, unsigned int per_mille)
{
	return row->ns[(row->count * per_mille + 999) / 1000 - 1];
}

static void wait_resource_put_name(struct table *table, const char *name)
{
	put_text(&table->cells, name[0] ? "\"" : "#null");
	put_text(&table->cells, name);
	table_cell(table);
}

/* "127.0.0.1:5432 (postgresql, postgres)" for people, and the parts for JSON. */
static void wait_resource_put(struct table *table, const struct texts *texts, const struct wait_resource *row)
{
	const char *service = texts->text[row->service], *process = texts->text[row->process],
		   *container = texts->text[row->container];

	put_text(&table->cells, texts->text[row->name]);
	wait_put_peer_names(&table->cells, service, process, container);
	table_cell(table);
	table_put(table, texts->text[row->name]);
	wait_resource_put_name(table, service);
	wait_resource_put_name(table, process);
	wait_resource_put_name(table, container);
}

void wait_resources_put(struct wait_resources *w, const struct view_request *request, struct bytes *out)
{
	static const struct table_column columns[] = {
		{"Resource", NULL, TABLE_VALUE, 0},	  {NULL, "resource", TABLE_VALUE, 0},
		{NULL, "service", TABLE_TYPED, 0},	  {NULL, "process", TABLE_TYPED, 0},
		{NULL, "container", TABLE_TYPED, 0},	  {"Reason", "reason", TABLE_TEXT, 0},
		{"Waits", "waits", TABLE_NUMBER, 0},	  {"Total", "totalNs", TABLE_NUMBER, 0},
		{"P50", "p50Ns", TABLE_NUMBER, 2},	  {"P99", "p99Ns", TABLE_NUMBER, 1},
		{"Longest", "longestNs", TABLE_NUMBER, 0}};
	struct view_request shown = *request;
	struct table table;

	shown.top = request->top ?: SHOWN;
	table_init(&table, "Waits by Resource", columns, sizeof(columns) / sizeof(columns[0]));
	if (w->count)
		qsort_r(w->row, w->count, sizeof(*w->row), wait_resource_compare, &w->texts);
	for (size_t i = 0; i < w->count && i < shown.top; i++) {
		const struct wait_resource *row = &w->row[i];

		qsort(row->ns, row->count, sizeof(*row->ns), wait_resource_compare_ns);
		wait_resource_put(&table, &w->texts, row);
		table_put(&table, w->texts.text[row->reason]);
		table_put_count(&table, row->count);
		table_put_time(&table, row->total);
		table_put_time(&table, wait_resource_quantile(row, 500));
		table_put_time(&table, wait_resource_quantile(row, 990));
		table_put_time(&table, wait_resource_quantile(row, 1000));
	}
	view_put_table(&table, w->count, &shown, out);
}
