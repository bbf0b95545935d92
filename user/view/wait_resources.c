// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/wait_resources.h"
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/trace/sum.h"
#include "user/view/table.h"

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

void wait_resources_add(struct wait_resources *w, const struct thread_wait *wait, const char *reason)
{
	char *name = thread_wait_resource(wait), *service = thread_wait_service(wait);
	uint32_t first = texts_number(&w->texts, name), second = texts_number(&w->texts, reason), *number;
	uint32_t known = texts_number(&w->texts, service);
	struct wait_resource *row;

	free(name);
	free(service);
	if (!first)
		return;
	number = memory_map_at(&w->rows, first, second);
	if (!*number) {
		memory_reserve(&w->row, &w->capacity, w->count + 1);
		w->row[w->count++] = (struct wait_resource){.name = first, .reason = second};
		*number = w->count;
	}
	row = &w->row[*number - 1];
	row->service = known ?: row->service;
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

/* "10.0.0.7:5432 (postgresql)" for people, and both parts for JSON. */
static void wait_resource_put(struct table *table, const struct texts *texts, const struct wait_resource *row)
{
	struct bytes text;

	bytes_init(&text);
	put_text(&text, texts->text[row->name]);
	if (row->service) {
		put_text(&text, " (");
		put_text(&text, texts->text[row->service]);
		put_text(&text, ")");
	}
	table_put(table, memory_text(&text));
	table_put(table, texts->text[row->name]);
	bytes_clear(&text);
	put_text(&text, row->service ? "\"" : "#null");
	put_text(&text, row->service ? texts->text[row->service] : "");
	table_put(table, memory_text(&text));
	bytes_release(&text);
}

void wait_resources_put(struct wait_resources *w, const struct view_request *request, struct bytes *out)
{
	static const struct table_column columns[] = {
		{"Resource", NULL, TABLE_VALUE, 0},	  {NULL, "resource", TABLE_VALUE, 0},
		{NULL, "service", TABLE_TYPED, 0},	  {"Reason", "reason", TABLE_TEXT, 0},
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
