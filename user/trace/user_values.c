// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/user_values.h"

#include <string.h>

/* No other type than those of -e has a method in it. */
bool user_values_type(const struct meta_type *t)
{
	static const char *const others[] = {"jdk.", "frtrace.", "profiler."};
	bool has_method = false;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strncmp(t->name, others[i], strlen(others[i])) == 0)
			return false;
	for (uint32_t i = 0; i < t->count; i++)
		has_method |= t->fields[i].type->role == META_METHOD;
	return t->event && t->stack >= 0 && t->thread >= 0 && has_method;
}

uint32_t user_values_first(const struct meta_type *t)
{
	return user_values_type(t) ? (uint32_t)t->stack + 1 : 0;
}

uint32_t user_values_end(const struct meta_type *t)
{
	uint32_t end = user_values_first(t);

	while (end && end < t->count && t->fields[end].type->role != META_METHOD)
		end++;
	return end;
}

/* The thread of an event, not resolved. */
static struct jfr_value user_values_thread(struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct jfr_value event = jfr_event_value(e), v = {.kind = VALUE_NULL};
	struct cursor c = jfr_enter(chunk, &event);

	for (int i = 0; i <= e->type->thread; i++)
		jfr_take(&c, &e->type->fields[i], &v);
	return v;
}

static bool user_values_row_is_of(const struct user_values_row *row, const struct jfr_value *thread, int64_t start,
				  int64_t duration)
{
	return row->count && row->start == start && row->duration == duration && row->thread.kind == VALUE_KEY &&
	       thread->kind == VALUE_KEY && row->thread.key == thread->key;
}

void user_values_note(struct user_values_row *row, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct jfr_value thread;
	struct jfr_span span;

	if (!user_values_type(e->type)) {
		row->count = 0;
		return;
	}
	thread = user_values_thread(chunk, e);
	span = jfr_event_span(chunk, e);
	if (!user_values_row_is_of(row, &thread, span.start, span.duration))
		*row = (struct user_values_row){
			.at = e->at, .thread = thread, .start = span.start, .duration = span.duration};
	row->count++;
}

void user_values_take(struct user_values_row *row, struct call *call)
{
	bool beside = user_values_row_is_of(row, &call->thread, call->start, call->duration);

	if (call->event->type->calls && user_values_type(call->event->type)) {
		call->values_at = call->event->at;
		call->values = 1;
	} else if (beside) {
		call->values_at = row->at;
		call->values = row->count;
	}
	row->count = 0;
}

static void user_values_each_of(struct jfr_chunk *chunk, const struct jfr_event *e, user_value_visit *visit,
				void *context)
{
	struct jfr_value event = jfr_event_value(e), v;
	struct cursor c = jfr_enter(chunk, &event);

	visit(e->type, NULL, NULL, context);
	for (uint32_t i = 0, first = user_values_first(e->type), end = user_values_end(e->type); i < end; i++) {
		jfr_take(&c, &e->type->fields[i], &v);
		if (i < first)
			continue;
		jfr_resolve(chunk, &v);
		visit(e->type, &e->type->fields[i], &v, context);
	}
}

void user_values_each(const struct call *call, user_value_visit *visit, void *context)
{
	uint64_t position = call->values_at, left = call->values;
	struct jfr_event e;

	while (left && jfr_chunk_next(call->chunk, &position, &e)) {
		if (!e.type)
			continue;
		if (!user_values_type(e.type)) /* the file has changed meanwhile */
			return;
		user_values_each_of(call->chunk, &e, visit, context);
		left--;
	}
}

/* ---- events whose fields have a meaning that readers know */

static const struct {
	const char *event, *field, *attribute;
	bool title, asks; /* asks: the call is one of another service, or of the disk */
} meanings[] = {
	{"http.Request", "httpMethod", "http.request.method", true, false},
	{"http.Request", "url", "url.path", true, false},
	{"http.Request", "status", "http.response.status_code", false, false},
	{"http.Call", "httpMethod", "http.request.method", true, true},
	{"http.Call", "url", "url.full", true, true},
	{"http.Call", "status", "http.response.status_code", false, false},
	{"sql.Statement", "sql", "db.query.text", true, true},
	{"grpc.Request", "grpcMethod", "rpc.method", true, false},
	{"grpc.Call", "grpcMethod", "rpc.method", true, true},
	{"jms.Message", "destination", "messaging.destination.name", true, false},
	{"jms.Send", "destination", "messaging.destination.name", true, true},
	{"mail.Send", "host", "server.address", true, true},
	{"job.Run", "job", NULL, true, false},
	{"file.Sync", "path", "file.path", true, true},
};

const struct user_values_group user_values_groups[] = {
	{"http.Request", "url"}, {"sql.Statement", "sql"}, {"http.Call", "url"}, {NULL, NULL}};

#define MEANINGS (sizeof(meanings) / sizeof(meanings[0]))

static size_t meaning_of(const char *event, const char *field)
{
	size_t i = 0;

	while (i < MEANINGS && (strcmp(meanings[i].event, event) || strcmp(meanings[i].field, field)))
		i++;
	return i;
}

bool user_values_titles(const struct meta_type *event, const struct meta_field *f, const struct jfr_value *v)
{
	size_t i = meaning_of(event->name, f->name);

	return i < MEANINGS && meanings[i].title && v->kind == VALUE_TEXT && v->text.size;
}

static void asks_on_value(const struct meta_type *event, const struct meta_field *f, struct jfr_value *v, void *context)
{
	size_t i = f ? meaning_of(event->name, f->name) : MEANINGS;

	if (i < MEANINGS && meanings[i].asks)
		*(bool *)context = true;
}

bool user_values_asks(const struct call *call)
{
	bool asks = false;

	if (call->values)
		user_values_each(call, asks_on_value, &asks);
	return asks;
}

const char *user_values_attribute(const char *event, const char *field)
{
	size_t i = meaning_of(event, field);

	return i < MEANINGS ? meanings[i].attribute : NULL;
}

static void title_on_value(const struct meta_type *event, const struct meta_field *f, struct jfr_value *v,
			   void *context)
{
	struct bytes *out = context;

	if (!f || !user_values_titles(event, f, v))
		return;
	if (out->size)
		bytes_put_u8(out, ' ');
	bytes_put_decoded(out, &v->text);
}

bool user_values_put_title(struct bytes *out, const struct call *call)
{
	struct bytes text = {.size = 0};
	bool found;

	if (call->values)
		user_values_each(call, title_on_value, &text);
	for (size_t i = 0; i < text.size; i++)
		text.data[i] = text.data[i] < ' ' ? ' ' : text.data[i];
	found = text.size;
	bytes_put(out, text.data, text.size);
	out->failed |= text.failed;
	bytes_release(&text);
	return found;
}

#define ID_LEAST 8 /* characters of a hexadecimal one */

/* Is this part of a path a number, a UUID or a hash? */
static bool is_id(const char *part, size_t size)
{
	size_t digits = 0, letters = 0;

	for (size_t i = 0; i < size; i++) {
		digits += part[i] >= '0' && part[i] <= '9';
		letters += strchr("abcdefABCDEF-", part[i]) != NULL;
	}
	return digits && digits + letters == size && (!letters || size >= ID_LEAST);
}

bool user_values_put_place(struct bytes *out, const struct call *call)
{
	struct bytes title;
	const char *at;
	bool found;

	bytes_init(&title);
	found = user_values_put_title(&title, call);
	for (at = memory_text(&title); *at;) {
		size_t size = strcspn(at + 1, "/ ");

		bytes_put_u8(out, *at);
		if (*at == '/' && is_id(at + 1, size))
			bytes_put_u8(out, '*');
		else
			bytes_put(out, at + 1, size);
		at += 1 + size;
	}
	bytes_release(&title);
	return found;
}
