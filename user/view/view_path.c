// SPDX-License-Identifier: BSD-2-Clause
/* The longest calls with their critical paths, or what the paths of all calls went through. */
#include "user/text/java_number.h"
#include "user/text/json.h"
#include "user/text/memory.h"
#include "user/trace/jfr_names.h"
#include "user/trace/sum.h"
#include "user/trace/user_values.h"
#include "user/view/paths_merged.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN	   5
#define PARTS_MOST 16384 /* of a path; frtrace writes no more */
#define OPEN_MOST  64	 /* paths whose parts are mixed with each other, as in a merged file */

struct path {
	struct path_part *part; /* with one reference to their chunk */
	size_t count, capacity;
	uint64_t number;	/* of those that have been seen; 0: not in use */
	struct path_part first; /* the part that was read first; its chunk may be gone if no part is kept */
	int64_t known;		/* time of all parts that have been read */
	char *title;		/* of its call; NULL: it has none */
};

/* The longest ones, the longest first, and the one that is being read. */
struct path_list {
	struct path *path;
	size_t count, capacity, most;
	struct path reading[OPEN_MOST];
	struct event_reader reader;
	struct call_filter *filter; /* by method; NULL: all */
	uint64_t seen;		    /* paths that have begun */
	bool merges;
	struct paths_merged merged;
	struct path **by_start; /* of `path`, the earliest call first; made before the second pass */
};

static void path_release(struct path *p)
{
	if (p->count)
		jfr_chunk_put(p->part[0].chunk);
	free(p->part);
	free(p->title);
	*p = (struct path){0};
}

/* When its call began. */
static int64_t path_begin(const struct path *p)
{
	return p->part[0].start - p->part[0].offset;
}

static int64_t path_duration(const struct path *p)
{
	return p->part[0].call_duration;
}

static int order_parts(const void *a, const void *b)
{
	int64_t x = ((const struct path_part *)a)->offset, y = ((const struct path_part *)b)->offset;

	return (x > y) - (x < y);
}

/* No part of the path is to come. */
static void path_list_close(struct path_list *l, struct path *reading)
{
	struct path p = *reading;
	size_t i = l->count;

	*reading = (struct path){.number = 0};
	if (!p.count)
		return;
	qsort(p.part, p.count, sizeof(*p.part), order_parts);
	while (i && path_duration(&l->path[i - 1]) < path_duration(&p))
		i--;
	if (i == l->most) {
		path_release(&p);
		return;
	}
	if (l->count == l->most)
		path_release(&l->path[--l->count]);
	memory_reserve(&l->path, &l->capacity, l->count + 1);
	for (size_t k = l->count++; k > i; k--)
		l->path[k] = l->path[k - 1];
	l->path[i] = p;
}

static void path_extend(struct path *p, const struct path_part *part)
{
	if (p->count == PARTS_MOST)
		return;
	if (!p->count)
		jfr_chunk_get(part->chunk);
	memory_reserve(&p->part, &p->capacity, p->count + 1);
	p->part[p->count++] = *part;
}

/* The path of a part: a new one, in place of the oldest if there is no room, unless some of it has been read. */
static struct path *path_list_find(struct path_list *l, const struct path_part *part)
{
	struct path *oldest = l->reading;

	for (struct path *p = l->reading; p < l->reading + OPEN_MOST; p++) {
		if (p->number && path_part_is_of_same(part, &p->first))
			return p;
		if (p->number < oldest->number)
			oldest = p;
	}
	path_list_close(l, oldest);
	oldest->number = ++l->seen;
	oldest->first = *part;
	return oldest;
}

static int path_list_add(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct path_list *l = context;
	struct path_part part = path_part_read(&l->reader, chunk, e);
	struct path *p;

	if (l->filter && !call_filter_has_method(l->filter, chunk, &part.method))
		return 0;
	p = path_list_find(l, &part);
	if (l->merges)
		paths_merged_add(&l->merged, &part, p->number);
	else
		path_extend(p, &part);
	sum_add(&p->known, part.duration);
	if (p->known >= part.call_duration)
		path_list_close(l, p);
	return 0;
}

static void path_list_begin(void *state, const struct view_request *request)
{
	struct path_list *l = state;

	l->most = request->top ?: SHOWN;
	l->merges = request->merged;
	l->filter = request->filter;
}

/* For JSON, the methods of a stack, innermost first; of a thread that ran, its call. */
static void put_path_frames(struct table *table, const struct path_part *part)
{
	struct jfr_value stack = part->stack, frames, frame;
	struct jfr_chunk *chunk = part->chunk;
	char *text = NULL, *method;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	struct cursor c;
	struct json j;

	memory_need(to);
	json_init(&j, to);
	json_array(&j, NULL);
	jfr_resolve(chunk, &stack);
	frames = jfr_field(chunk, &stack, "frames");
	if (frames.kind == VALUE_ARRAY)
		c = jfr_enter(chunk, &frames);
	for (uint64_t i = 0; frames.kind == VALUE_ARRAY && i < frames.place.count && cursor_ok(&c); i++) {
		jfr_take_element(&c, &frames, &frame);
		method = method_text(chunk, jfr_field(chunk, &frame, "method"));
		json_string(&j, NULL, method);
		free(method);
	}
	method = frames.kind == VALUE_ARRAY ? NULL : path_part_call(part);
	if (method)
		json_string(&j, NULL, method);
	free(method);
	json_end(&j);
	if (fclose(to))
		memory_exhausted();
	bytes_put_u8(&table->cells, '#');
	bytes_put(&table->cells, text, size - 1); /* without the end of the line */
	free(text);
	table_cell(table);
}

static void put_path_part(struct table *table, size_t call, const struct path *p, const struct path_part *part)
{
	table_put_count(table, call);
	if (p->title)
		put_text(&table->cells, p->title);
	table_cell(table);
	view_put_method(table, part->chunk, part->method);
	view_put_iso(table, path_begin(p));
	table_put_time(table, part->call_duration);
	table_put_time(table, part->offset);
	table_put_time(table, part->duration);
	put_thread_name(&table->cells, part->chunk, part->thread, "");
	table_cell(table);
	put_value_text(&table->cells, &part->state);
	table_cell(table);
	if (part->resource.kind == VALUE_TEXT)
		put_value_text(&table->cells, &part->resource);
	table_cell(table);
	path_part_put_place(&table->cells, part);
	table_cell(table);
	path_part_put_why(&table->cells, part);
	table_cell(table);
	put_path_frames(table, part);
	table_put_count(table, part->depth);
}

static int compare_path_starts(const void *a, const void *b)
{
	int64_t x = path_begin(*(struct path *const *)a), y = path_begin(*(struct path *const *)b);

	return (x > y) - (x < y);
}

/* All parts have been read. Calls that have titles may stand anywhere. */
static bool path_list_sort(void *state)
{
	struct path_list *l = state;

	if (l->merges || l->by_start) /* the second pass is over */
		return false;
	for (size_t i = 0; i < OPEN_MOST; i++)
		path_list_close(l, &l->reading[i]);
	l->by_start = memory_need(calloc(l->count + 1, sizeof(struct path *)));
	for (size_t i = 0; i < l->count; i++)
		l->by_start[i] = &l->path[i];
	qsort(l->by_start, l->count, sizeof(*l->by_start), compare_path_starts);
	return l->count > 0;
}

/* The path is of this call, as far as times tell. */
static bool path_is_of(const struct path *p, const struct call *call)
{
	int64_t duration = call->request > call->duration ? call->request : call->duration;

	return llabs(path_begin(p) - call->start) <= PATH_STAMPS_DIFFER &&
	       llabs(path_duration(p) - duration) <= PATH_STAMPS_DIFFER;
}

static void path_take_title(struct path *p, const struct call *call)
{
	struct bytes title;

	if (p->title ||
	    thread_number(p->part[0].chunk, p->part[0].call_thread) != thread_number(call->chunk, call->thread))
		return;
	bytes_init(&title);
	if (user_values_put_title(&title, call))
		p->title = memory_need(strdup(memory_text(&title)));
	bytes_release(&title);
}

static int path_list_on_call(const struct call *call, void *context)
{
	struct path_list *l = context;
	int64_t from = call->start - PATH_STAMPS_DIFFER, until = call->start + PATH_STAMPS_DIFFER;

	for (size_t i = lower_bound(k, l->count, path_begin(l->by_start[k]) >= from);
	     i < l->count && path_begin(l->by_start[i]) <= until; i++)
		if (path_is_of(l->by_start[i], call))
			path_take_title(l->by_start[i], call);
	return 0;
}

enum { TITLE_COLUMN = 1 };

static void path_list_put(void *state, const struct view_request *request, struct bytes *out)
{
	struct table_column columns[] = {
		{"Call", "call", TABLE_NUMBER, 0},
		{NULL, "title", TABLE_TEXT, 1},
		{"Method", "method", TABLE_METHOD, 1},
		{NULL, "startTime", TABLE_TEXT, 0},
		{"Total", "totalNs", TABLE_NUMBER, 0},
		{"Offset", "offsetNs", TABLE_NUMBER, 0},
		{"Duration", "durationNs", TABLE_NUMBER, 0},
		{"Thread", "thread", TABLE_TEXT, 0},
		{"State", "state", TABLE_TEXT, 0},
		{"Resource", "resource", TABLE_TEXT, 4},
		{"Where", NULL, TABLE_METHOD, 2},
		{"Why", "why", TABLE_TEXT, 3},
		{NULL, "frames", TABLE_TYPED, 0},
		{NULL, "depth", TABLE_NUMBER, 0},
	};
	struct path_list *l = state;
	struct table table;

	if (l->merges) {
		paths_merged_put(&l->merged, request, out);
		return;
	}
	for (size_t i = 0; i < l->count; i++)
		if (l->path[i].title)
			columns[TITLE_COLUMN].label = "Title";
	table_init(&table, "Critical Paths", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < l->count; i++)
		for (size_t k = 0; k < l->path[i].count; k++)
			put_path_part(&table, i + 1, &l->path[i], &l->path[i].part[k]);
	view_put_table(&table, 0, request, out);
	if (!request->layout.json && !request->layout.html)
		view_put_more(out, l->seen, l->count, "call");
}

static void path_list_release(void *state)
{
	struct path_list *l = state;

	for (size_t i = 0; i < l->count; i++)
		path_release(&l->path[i]);
	for (size_t i = 0; i < OPEN_MOST; i++)
		path_release(&l->reading[i]);
	free(l->path);
	free(l->by_start);
	paths_merged_release(&l->merged);
}

static const struct trace_event path_events[] = {{PATH_EVENT, path_list_add}, {NULL, NULL}};

const struct view_pass view_path = {.size = sizeof(struct path_list),
				    .ops = {.events = path_events},
				    .between = path_list_sort,
				    .again = {.call = path_list_on_call},
				    .begin = path_list_begin,
				    .put = path_list_put,
				    .release = path_list_release};
