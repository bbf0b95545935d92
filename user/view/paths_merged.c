// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/paths_merged.h"
#include "user/text/java_number.h"
#include "user/trace/jfr_names.h"
#include "user/trace/sum.h"

#include <stdio.h>
#include <stdlib.h>

#define SHOWN 20

static uint32_t merged_text(struct paths_merged *m, struct bytes *text)
{
	uint32_t number = texts_number(&m->texts, memory_text(text));

	bytes_release(text);
	return number;
}

static uint32_t merged_method(struct paths_merged *m, const struct path_part *part)
{
	char *name = method_text(part->chunk, part->method);
	uint32_t number = texts_number(&m->texts, name);

	free(name);
	return number;
}

static uint32_t merged_thread(struct paths_merged *m, const struct path_part *part)
{
	uint32_t thread = threads_named(&m->threads, part->chunk, &part->thread);

	return texts_number(&m->texts, thread ? m->threads.thread[thread - 1].group : "unknown");
}

static uint32_t merged_value(struct paths_merged *m, const struct jfr_value *value)
{
	struct bytes text;

	bytes_init(&text);
	if (value->kind == VALUE_TEXT)
		put_value_text(&text, value);
	return merged_text(m, &text);
}

static uint32_t merged_place(struct paths_merged *m, const struct path_part *part)
{
	struct bytes text;

	bytes_init(&text);
	path_part_put_place(&text, part);
	return merged_text(m, &text);
}

void paths_merged_add(struct paths_merged *m, const struct path_part *part, uint64_t call)
{
	struct merged_part add = {.method = merged_method(m, part),
				  .thread = merged_thread(m, part),
				  .state = merged_value(m, &part->state),
				  .resource = merged_value(m, &part->resource),
				  .place = merged_place(m, part)};
	struct merged_part *to;
	uint32_t number;
	char kind[80];

	snprintf(kind, sizeof(kind), "%u %u %u %u %u", add.method, add.thread, add.state, add.resource, add.place);
	number = texts_number(&m->kinds, kind);
	memory_extend(&m->part, &m->count, &m->capacity, (size_t)number + 1);
	memory_extend(&m->whole, &m->wholes, &m->whole_capacity, (size_t)add.method + 1);
	to = &m->part[number];
	add.total = to->total;
	add.calls = to->calls + (to->last != call);
	add.last = call;
	*to = add;
	sum_add(&to->total, part->duration);
	sum_add(&m->whole[add.method], part->duration);
}

/* The most time first. */
static int merged_compare(const void *a, const void *b)
{
	const struct merged_part *x = a, *y = b;

	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	return (x->last > y->last) - (x->last < y->last);
}

static void merged_put_row(struct table *table, const struct paths_merged *m, const struct merged_part *part)
{
	table_put_share(table, part->total, m->whole[part->method]);
	table_put_time(table, part->total);
	table_put_count(table, part->calls);
	table_put(table, m->texts.text[part->method]);
	table_put(table, m->texts.text[part->thread]);
	table_put(table, m->texts.text[part->state]);
	table_put(table, m->texts.text[part->resource]);
	table_put(table, m->texts.text[part->place]);
}

void paths_merged_put(struct paths_merged *m, const struct view_request *request, struct bytes *out)
{
	static const struct table_column columns[] = {
		{"Share", NULL, TABLE_NUMBER, 0},	 {"Time", "durationNs", TABLE_NUMBER, 0},
		{"Calls", "calls", TABLE_NUMBER, 0},	 {"Method", "method", TABLE_METHOD, 1},
		{"Thread", "thread", TABLE_TEXT, 0},	 {"State", "state", TABLE_TEXT, 0},
		{"Resource", "resource", TABLE_TEXT, 3}, {"Where", "where", TABLE_METHOD, 2},
	};
	size_t shown = request->top ?: request->layout.json ? SIZE_MAX : SHOWN, rows = 0;
	struct table table;

	if (m->count)
		qsort(m->part, m->count, sizeof(*m->part), merged_compare);
	table_init(&table, "What Critical Paths Went Through", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < m->count && m->part[i].calls; i++, rows++)
		if (i < shown)
			merged_put_row(&table, m, &m->part[i]);
	view_put_table(&table, rows, request, out);
}

void paths_merged_release(struct paths_merged *m)
{
	free(m->part);
	free(m->whole);
	threads_release(&m->threads);
	texts_release(&m->texts);
	texts_release(&m->kinds);
}
