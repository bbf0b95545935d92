// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/path_part.h"
#include "user/text/java_number.h"
#include "user/trace/jfr_names.h"
#include "user/trace/sum.h"
#include "user/trace/task.h"
#include "user/trace/wait_place.h"

#include <stdlib.h>
#include <string.h>

#define CHAIN_KINDS 500u /* a forged file may have any number */

static const struct event_member path_fields[] = {
#define VALUE(n, m)	   {n, EVENT_VALUE, offsetof(struct path_part, m), META_OTHER, META_NO_UNIT}
#define NUMBER(n, m, unit) {n, EVENT_NUMBER, offsetof(struct path_part, m), META_OTHER, unit}
	VALUE("inside", inside),
	VALUE("task", task),
	VALUE("state", state),
	VALUE("resource", resource),
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

/* Times are cut as by jfr_event_span(), so that the call's begin, and its middle, are in range. */
static int64_t part_cut(int64_t n, int64_t most)
{
	return n < 0 ? 0 : n < most ? n : most;
}

struct path_part path_part_read(struct event_reader *reader, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct jfr_span span = jfr_event_span(chunk, e);
	struct path_part part = {.chunk = chunk, .start = span.start, .duration = span.duration};
	uint64_t seen;

	event_members_read(reader, &path_table, chunk, e, &part, &seen);
	part.offset = part_cut(part.offset, part.start);
	part.call_duration = part_cut(part.call_duration, JFR_LATEST);
	return part;
}

/* The beginnings differ by what the file's ticks are rounded to. */
#define BEGIN_NEAR_NS 1000

bool path_part_is_of_same(const struct path_part *a, const struct path_part *b)
{
	int64_t apart = a->start - a->offset - (b->start - b->offset);

	return a->chunk == b->chunk && a->call_duration == b->call_duration && a->method.kind == b->method.kind &&
	       a->method.key == b->method.key && a->call_thread.kind == b->call_thread.kind &&
	       a->call_thread.key == b->call_thread.key && apart >= -BEGIN_NEAR_NS && apart <= BEGIN_NEAR_NS;
}

char *path_part_call(const struct path_part *part)
{
	return part->inside.kind == VALUE_KEY && part->inside.key ? method_text(part->chunk, part->inside) : NULL;
}

void path_part_put_place(struct bytes *out, const struct path_part *part)
{
	struct jfr_value stack = part->stack, frames, frame;
	bool shown = false;
	char *method;
	struct cursor c;

	jfr_resolve(part->chunk, &stack);
	frames = jfr_field(part->chunk, &stack, "frames");
	if (frames.kind == VALUE_ARRAY)
		c = jfr_enter(part->chunk, &frames);
	for (uint64_t i = 0; !shown && frames.kind == VALUE_ARRAY && i < frames.place.count && cursor_ok(&c); i++) {
		jfr_take_element(&c, &frames, &frame);
		method = method_text(part->chunk, jfr_field(part->chunk, &frame, "method"));
		shown = !frame_is_of_jdk(method);
		if (shown)
			put_text(out, method);
		free(method);
	}
	method = shown ? NULL : path_part_call(part);
	if (method)
		put_text(out, method);
	free(method);
}

/* The text of a value that is one. */
static bool path_text_is(const struct jfr_value *value, const char *text)
{
	struct bytes is;
	bool same;

	bytes_init(&is);
	if (value->kind == VALUE_TEXT)
		put_value_text(&is, value);
	same = !strcmp(memory_text(&is), text);
	bytes_release(&is);
	return same;
}

static void put_path_link(struct bytes *out, const struct path_part *part)
{
	bool owned = path_text_is(&part->waited, "monitor"), task = path_text_is(&part->waited, "task");

	if (task || path_text_is(&part->waited, "request")) {
		put_text(out, task ? "ran the last task of " : "ended the request of ");
		put_thread_name(out, part->chunk, part->waiter, "an unknown thread");
		return;
	}
	put_text(out, owned ? "had the monitor that was wanted by " : "ended a wait of ");
	put_thread_name(out, part->chunk, part->waiter, "an unknown thread");
	if (owned || part->waited.kind != VALUE_TEXT)
		return;
	put_text(out, " (");
	put_value_text(out, &part->waited);
	bytes_put_u8(out, ')');
}

/* Of other threads; what the call's own thread was running is the call's own task. */
static void put_path_task(struct bytes *out, const struct path_part *part)
{
	const struct task task = {.chunk = part->chunk, .task_class = part->task};

	if (part->task.kind != VALUE_KEY || !part->task.key)
		return;
	put_text(out, " in task ");
	put_task_class(out, &task);
}

void path_part_put_why(struct bytes *out, const struct path_part *part)
{
	if (part->depth > 0) {
		put_path_link(out, part);
		put_path_task(out, part);
	}
	if (part->end.kind == VALUE_TEXT) {
		put_text(out, part->depth > 0 ? "; " : "");
		put_value_text(out, &part->end);
	}
}

uint32_t path_part_name(struct texts *texts, const struct path_part *part, const char *thread)
{
	struct bytes text, place;
	uint32_t number;

	bytes_init(&text);
	bytes_init(&place);
	bytes_put_u8(&text, '"');
	if (thread)
		put_text(&text, thread);
	else
		put_thread_name(&text, part->chunk, part->thread, "an unknown thread");
	put_text(&text, "\", ");
	put_value_text(&text, &part->state);
	if (part->resource.kind == VALUE_TEXT) {
		bytes_put_u8(&text, ' ');
		put_value_text(&text, &part->resource);
	}
	path_part_put_place(&place, part);
	if (place.size) {
		put_text(&text, " in ");
		put_text(&text, memory_text(&place));
	}
	number = texts_number(texts, memory_text(&text));
	bytes_release(&place);
	bytes_release(&text);
	return number;
}

struct chain_kind *chain_end_add(struct chain_end *e, struct texts *texts, const struct path_part *part,
				 const char *thread)
{
	uint32_t what;
	size_t i = 0;

	if (part->state.kind != VALUE_TEXT || path_text_is(&part->state, "unknown"))
		return NULL;
	if (part->depth < (path_text_is(&part->state, "cpu") || path_text_is(&part->state, "runQueue") ? 2 : 1))
		return NULL;
	what = path_part_name(texts, part, thread);
	while (i < e->count && e->kind[i].what != what)
		i++;
	if (i == CHAIN_KINDS)
		return NULL;
	memory_extend(&e->kind, &e->count, &e->capacity, i + 1);
	e->kind[i].what = what;
	sum_add(&e->kind[i].total, part->duration);
	return &e->kind[i];
}

void chain_kind_keep_stack(struct chain_kind *k, const struct path_part *part)
{
	if (k->chunk && k->longest >= part->duration)
		return;
	jfr_chunk_get(part->chunk);
	if (k->chunk)
		jfr_chunk_put(k->chunk);
	k->chunk = part->chunk;
	k->stack = part->stack;
	k->longest = part->duration;
}

void chain_end_release(struct chain_end *e)
{
	for (size_t i = 0; i < e->count; i++)
		if (e->kind[i].chunk)
			jfr_chunk_put(e->kind[i].chunk);
	free(e->kind);
}

const struct chain_kind *chain_end_longest(const struct chain_end *e)
{
	const struct chain_kind *longest = NULL;

	for (size_t i = 0; i < e->count; i++)
		if (!longest || e->kind[i].total > longest->total)
			longest = &e->kind[i];
	return longest;
}
