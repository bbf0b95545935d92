// SPDX-License-Identifier: BSD-2-Clause
/* The longest calls with their critical paths. */
#include "user/text/java_number.h"
#include "user/text/json.h"
#include "user/text/memory.h"
#include "user/trace/event_members.h"
#include "user/trace/jfr_names.h"
#include "user/trace/wait_place.h"
#include "user/view/views.h"

#include <stdlib.h>

#define SHOWN 5

struct path_part {
	struct jfr_chunk *chunk; /* one reference for all parts of a call */
	struct jfr_value thread, stack, inside, state, end, waiter, waited, method, call_thread;
	int64_t start, duration, offset, depth, call_start, call_duration;
};

struct path {
	struct path_part *part;
	size_t count, capacity;
};

/* The longest ones, the longest first, and the one that is being read. */
struct path_list {
	struct path *path;
	size_t count, capacity, most;
	uint64_t seen;
	struct path reading;
	struct event_reader reader;
};

static const struct event_member path_fields[] = {
#define VALUE(n, m)	   {n, EVENT_VALUE, offsetof(struct path_part, m), META_OTHER, META_NO_UNIT}
#define NUMBER(n, m, unit) {n, EVENT_NUMBER, offsetof(struct path_part, m), META_OTHER, unit}
	VALUE("inside", inside),
	VALUE("state", state),
	VALUE("end", end),
	VALUE("waiter", waiter),
	VALUE("waited", waited),
	VALUE("method", method),
	VALUE("callThread", call_thread),
	NUMBER("offset", offset, META_NANOSECONDS),
	NUMBER("depth", depth, META_NO_UNIT),
	NUMBER("callDuration", call_duration, META_NANOSECONDS),
};

static const struct event_table path_table = {path_fields, sizeof(path_fields) / sizeof(path_fields[0]),
					      offsetof(struct path_part, thread), offsetof(struct path_part, stack)};

static void path_release(struct path *p)
{
	if (p->count)
		jfr_chunk_put(p->part[0].chunk);
	free(p->part);
	*p = (struct path){0};
}

static int64_t path_duration(const struct path *p)
{
	return p->part[0].call_duration;
}

/* The path that has been read is complete. */
static void path_list_close(struct path_list *l)
{
	struct path p = l->reading;
	size_t i = l->count;

	l->reading = (struct path){0};
	if (!p.count)
		return;
	l->seen++;
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

/* The parts of a path are written in one piece, the last one first. */
static int path_list_add(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct path_list *l = context;
	struct path *p = &l->reading;
	struct jfr_span span = jfr_event_span(chunk, e);
	struct path_part part = {.chunk = chunk, .start = span.start, .duration = span.duration};
	uint64_t seen;

	event_members_read(&l->reader, &path_table, chunk, e, &part, &seen);
	if (p->count && (p->part[0].chunk != chunk || part.offset >= p->part[p->count - 1].offset ||
			 part.offset + part.duration != p->part[p->count - 1].offset))
		path_list_close(l);
	if (!p->count)
		jfr_chunk_get(chunk);
	memory_reserve(&p->part, &p->capacity, p->count + 1);
	p->part[p->count++] = part;
	return 0;
}

static void path_list_begin(void *state, const struct view_request *request)
{
	struct path_list *l = state;

	l->most = request->top ?: SHOWN;
}

/* The call of a thread that ran. */
static char *path_call(const struct path_part *part)
{
	return part->inside.kind == VALUE_KEY && part->inside.key ? method_text(part->chunk, part->inside) : NULL;
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
	method = frames.kind == VALUE_ARRAY ? NULL : path_call(part);
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

/* The innermost frame that is not the JDK's, or else the thread's call. */
static void put_where(struct table *table, const struct path_part *part)
{
	struct jfr_value stack = part->stack, frames, frame;
	struct jfr_chunk *chunk = part->chunk;
	bool shown = false;
	char *method;
	struct cursor c;

	jfr_resolve(chunk, &stack);
	frames = jfr_field(chunk, &stack, "frames");
	if (frames.kind == VALUE_ARRAY)
		c = jfr_enter(chunk, &frames);
	for (uint64_t i = 0; !shown && frames.kind == VALUE_ARRAY && i < frames.place.count && cursor_ok(&c); i++) {
		jfr_take_element(&c, &frames, &frame);
		method = method_text(chunk, jfr_field(chunk, &frame, "method"));
		shown = !frame_is_of_jdk(method);
		if (shown)
			put_text(&table->cells, method);
		free(method);
	}
	method = shown ? NULL : path_call(part);
	if (method)
		put_text(&table->cells, method);
	free(method);
	table_cell(table);
}

/* Why this thread is on the path, and why nobody follows: "ended a wait of "main" (futex)". */
static void put_why(struct table *table, const struct path_part *part)
{
	if (part->depth > 0) {
		put_text(&table->cells, "ended a wait of ");
		put_thread_name(&table->cells, part->chunk, part->waiter, "an unknown thread");
		put_text(&table->cells, " (");
		if (part->waited.kind == VALUE_TEXT)
			put_value_text(&table->cells, &part->waited);
		bytes_put_u8(&table->cells, ')');
	}
	if (part->end.kind == VALUE_TEXT) {
		put_text(&table->cells, part->depth > 0 ? "; " : "");
		put_value_text(&table->cells, &part->end);
	}
	table_cell(table);
}

static void put_path_part(struct table *table, size_t call, const struct path *p, const struct path_part *part)
{
	const struct path_part *first = &p->part[p->count - 1];

	table_put_count(table, call);
	view_put_method(table, part->chunk, part->method);
	view_put_iso(table, first->start - first->offset);
	table_put_time(table, part->call_duration);
	table_put_time(table, part->offset);
	table_put_time(table, part->duration);
	put_thread_name(&table->cells, part->chunk, part->thread, "");
	table_cell(table);
	put_value_text(&table->cells, &part->state);
	table_cell(table);
	put_where(table, part);
	put_why(table, part);
	put_path_frames(table, part);
	table_put_count(table, part->depth);
}

static void path_list_put(void *state, const struct view_request *request, struct bytes *out)
{
	static const struct table_column columns[] = {
		{"Call", "call", TABLE_NUMBER, 0},	 {"Method", "method", TABLE_METHOD, 1},
		{NULL, "startTime", TABLE_TEXT, 0},	 {"Total", "totalNs", TABLE_NUMBER, 0},
		{"Offset", "offsetNs", TABLE_NUMBER, 0}, {"Duration", "durationNs", TABLE_NUMBER, 0},
		{"Thread", "thread", TABLE_TEXT, 0},	 {"State", "state", TABLE_TEXT, 0},
		{"Where", NULL, TABLE_METHOD, 2},	 {"Why", "why", TABLE_TEXT, 3},
		{NULL, "frames", TABLE_TYPED, 0},	 {NULL, "depth", TABLE_NUMBER, 0},
	};
	struct path_list *l = state;
	struct table table;

	path_list_close(l);
	table_init(&table, "Critical Paths", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < l->count; i++)
		for (size_t k = l->path[i].count; k-- > 0;)
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
	path_release(&l->reading);
	free(l->path);
}

static const struct trace_event path_events[] = {{"frtrace.PathSegment", path_list_add}, {NULL, NULL}};

const struct view_pass view_path = {.size = sizeof(struct path_list),
				    .ops = {.events = path_events},
				    .begin = path_list_begin,
				    .put = path_list_put,
				    .release = path_list_release};
