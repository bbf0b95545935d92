// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/otlp.h"
#include "format/slice.h"
#include "user/trace/user_values.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPANS_IN_A_LINE 256 /* about 150 KB: a receiver takes some MB at once */
#define KIND_INTERNAL	1
#define KIND_SERVER	2
#define KIND_CLIENT	3
#define STATUS_ERROR	2

/* A value in memory: this, the name with its zero, and the text. */
struct otlp_value {
	enum otlp_kind kind;
	uint32_t name_size, text_size; /* in bytes */
};

void otlp_init(struct otlp *o, FILE *to, const struct otlp_resource *resource)
{
	*o = (struct otlp){.resource = *resource};
	json_init(&o->json, to);
}

char *otlp_service_name(const char *jvm_arguments)
{
	static const char option[] = "-Dotel.service.name=";
	const char *at = strstr(jvm_arguments, option);

	at = at ? at + sizeof(option) - 1 : "";
	return *at && *at != ' ' ? strndup(at, strcspn(at, " ")) : strdup(OTLP_SERVICE_UNKNOWN);
}

void otlp_put_value(struct bytes *values, enum otlp_kind kind, const char *name, const struct bytes *text)
{
	struct otlp_value v = {kind, strlen(name) + 1, text->size};

	values->failed |= text->failed;
	bytes_put(values, &v, sizeof(v));
	bytes_put(values, name, v.name_size);
	bytes_put(values, text->data, v.text_size);
}

void otlp_put_event_value(struct bytes *values, const char *event, enum otlp_kind kind, const char *field,
			  const struct bytes *text)
{
	const char *name = user_values_attribute(event, field) ?: field;
	struct bytes part = *text;
	const unsigned char *query;

	query = !strcmp(name, "url.path") && text->size ? memchr(text->data, '?', text->size) : NULL;
	if (query) {
		part.size = text->data + text->size - query - 1;
		part.data = (unsigned char *)query + 1;
		otlp_put_value(values, kind, "url.query", &part);
		part.size = query - text->data;
		part.data = text->data;
	}
	otlp_put_value(values, kind, name, &part);
}

void otlp_put_number(struct bytes *values, const char *name, int64_t number)
{
	struct bytes text;

	if (number == INT64_MIN)
		return;
	bytes_init(&text);
	bytes_printf(&text, "%" PRId64, number);
	otlp_put_value(values, OTLP_INTEGER, name, &text);
	bytes_release(&text);
}

static void put_decimal_text(struct json *j, const char *key, int64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, n);
	json_string(j, key, text);
}

static void put_id(struct json *j, const char *key, const struct otlp_id *id, bool long_one)
{
	char text[33];

	if (long_one)
		snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64, id->high, id->low);
	else
		snprintf(text, sizeof(text), "%016" PRIx64, id->low);
	json_string(j, key, text);
}

/* Begin an attribute; its value follows, and then end_attribute(). */
static void begin_attribute(struct json *j, const char *key)
{
	json_object(j, NULL);
	json_string(j, "key", key);
	json_object(j, "value");
}

static void end_attribute(struct json *j)
{
	json_end(j);
	json_end(j);
}

static void put_text_attribute(struct json *j, const char *key, const char *text)
{
	begin_attribute(j, key);
	json_string(j, "stringValue", text);
	end_attribute(j);
}

static void put_number_attribute(struct json *j, const char *key, int64_t n)
{
	begin_attribute(j, key);
	put_decimal_text(j, "intValue", n);
	end_attribute(j);
}

static void put_known_attribute(struct json *j, const char *key, int64_t n)
{
	if (n != INT64_MIN)
		put_number_attribute(j, key, n);
}

/* Java's names of what is no number are those of Protobuf's JSON. */
static void put_real(struct json *j, const char *number)
{
	double real = strtod(number, NULL);

	if (isfinite(real))
		json_real(j, "doubleValue", real);
	else
		json_string(j, "doubleValue", number);
}

static void put_own_value(struct json *j, const struct otlp_value *v, const char *name, const char *text)
{
	char number[64];

	snprintf(number, sizeof(number), "%.*s", (int)v->text_size, text);
	begin_attribute(j, name);
	switch (v->kind) {
	case OTLP_INTEGER: json_string(j, "intValue", number); break;
	case OTLP_REAL: put_real(j, number); break;
	case OTLP_BOOLEAN: json_bool(j, "boolValue", number[0] == 't'); break;
	case OTLP_TEXT: json_bytes(j, "stringValue", text, v->text_size);
	}
	end_attribute(j);
}

static void put_own_values(struct json *j, const unsigned char *values, size_t size)
{
	struct otlp_value v;

	for (size_t at = 0; at < size; at += sizeof(v) + v.name_size + v.text_size) {
		const char *name = (const char *)values + at + sizeof(v);

		memcpy(&v, values + at, sizeof(v));
		put_own_value(j, &v, name, name + v.name_size);
	}
}

/* Find the text of an attribute. */
static bool values_have(const unsigned char *values, size_t size, const char *wanted, struct slice *text)
{
	struct otlp_value v;

	for (size_t at = 0; at < size; at += sizeof(v) + v.name_size + v.text_size) {
		const char *name = (const char *)values + at + sizeof(v);

		memcpy(&v, values + at, sizeof(v));
		*text = (struct slice){name + v.name_size, v.text_size};
		if (!strcmp(name, wanted))
			return true;
	}
	return false;
}

static bool resource_has(const struct otlp_resource *r, const char *wanted)
{
	struct slice text;

	return values_have(r->attributes, r->attributes_size, wanted, &text);
}

/* No two attributes have one name. */
static void put_resource(struct json *j, const struct otlp_resource *r)
{
	json_object(j, "resource");
	json_array(j, "attributes");
	if (!resource_has(r, "service.name"))
		put_text_attribute(j, "service.name", r->service);
	if (r->pid && !resource_has(r, "process.pid"))
		put_number_attribute(j, "process.pid", r->pid);
	put_own_values(j, r->attributes, r->attributes_size);
	json_end(j);
	json_end(j);
}

static void begin_line(struct otlp *o)
{
	struct json *j = &o->json;

	json_object(j, NULL);
	json_array(j, "resourceSpans");
	json_object(j, NULL);
	put_resource(j, &o->resource);
	json_array(j, "scopeSpans");
	json_object(j, NULL);
	json_object(j, "scope");
	json_string(j, "name", "frtrace");
	json_end(j);
	json_array(j, "spans");
}

void otlp_finish(struct otlp *o)
{
	if (!o->spans)
		return;
	for (unsigned int i = 0; i < 6; i++) /* what begin_line() has left open */
		json_end(&o->json);
	if (o->finished)
		o->finished(o->context, o->spans);
	o->spans = 0;
}

/* "a.b.C.m(int)" without the parameters; with `simple`, without the package, too. Returns a part of `text`. */
static const char *function_name(char *text, size_t size, const char *method, bool simple)
{
	const char *end = strchr(method, '('), *dots[2] = {method, method};
	size_t length = end ? (size_t)(end - method) : strlen(method);

	for (const char *c = method; simple && c < method + length; c++)
		if (*c == '.') {
			dots[0] = dots[1];
			dots[1] = c + 1;
		}
	length -= dots[0] - method;
	snprintf(text, size, "%.*s", length < size ? (int)length : (int)size - 1, dots[0]);
	return text;
}

static void put_span_attributes(struct json *j, const struct otlp_span *s)
{
	char name[1024];

	json_array(j, "attributes");
	put_text_attribute(j, "code.function.name", function_name(name, sizeof(name), s->method, false));
	if (s->thread_id)
		put_number_attribute(j, "thread.id", s->thread_id);
	put_text_attribute(j, "thread.name", s->thread);
	put_known_attribute(j, "frtrace.cpu_ns", s->cpu);
	put_known_attribute(j, "frtrace.run_queue_ns", s->run_queue);
	put_known_attribute(j, "frtrace.blocked_ns", s->blocked);
	put_known_attribute(j, "frtrace.pause_ns", s->pause);
	put_known_attribute(j, "frtrace.queued_ns", s->queued);
	put_own_values(j, s->values, s->values_size);
	json_end(j);
}

static unsigned int span_kind(const struct otlp_span *s)
{
	struct slice text;

	if (values_have(s->values, s->values_size, "url.path", &text))
		return KIND_SERVER;
	return values_have(s->values, s->values_size, "url.full", &text) ||
			       values_have(s->values, s->values_size, "db.query.text", &text)
		       ? KIND_CLIENT
		       : KIND_INTERNAL;
}

/* Of HTTP the method; a URL has too many values for a name. */
static const char *span_name(const struct otlp_span *s, char *name, size_t size)
{
	struct slice method;

	if (!values_have(s->values, s->values_size, "http.request.method", &method))
		return function_name(name, size, s->method, true);
	snprintf(name, size, "%.*s", (int)method.length, method.at);
	return name;
}

void otlp_begin_span(struct otlp *o, const struct otlp_span *s)
{
	struct json *j = &o->json;
	struct otlp_id id = {.low = s->id}, parent = {.low = s->parent};
	char name[1024];

	if (!o->spans++)
		begin_line(o);
	json_object(j, NULL);
	put_id(j, "traceId", &s->trace, true);
	put_id(j, "spanId", &id, false);
	if (s->parent)
		put_id(j, "parentSpanId", &parent, false);
	json_string(j, "name", span_name(s, name, sizeof(name)));
	json_unsigned(j, "kind", span_kind(s));
	put_decimal_text(j, "startTimeUnixNano", s->start);
	put_decimal_text(j, "endTimeUnixNano", s->end);
	put_span_attributes(j, s);
	json_array(j, "events");
}

/*
 * The semantic conventions' names, as far as the text says what it is: an address and a port, a Unix socket, a file. It always
 * has the name of our own, too.
 */
static void put_resource_attributes(struct json *j, const char *resource, const char *reason)
{
	const char *colon = strrchr(resource, ':');
	bool bracket = resource[0] == '[', numbers = colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
	char host[INET6_ADDRSTRLEN];

	put_text_attribute(j, "frtrace.resource", resource);
	if (resource[0] == '/' || resource[0] == '@') {
		if (strcmp(reason, "disk") == 0)
			put_text_attribute(j, "file.path", resource);
		else if (strcmp(reason, "socket") == 0)
			put_text_attribute(j, "server.address", resource);
	} else if (numbers && colon - resource - 2 * bracket < (ptrdiff_t)sizeof(host)) {
		snprintf(host, sizeof(host), "%.*s", (int)(colon - resource - 2 * bracket), resource + bracket);
		put_text_attribute(j, "server.address", host);
		put_number_attribute(j, "server.port", strtol(colon + 1, NULL, 10));
	}
}

static void put_peer_attributes(struct json *j, const struct otlp_peer *peer, const char *reason)
{
	put_resource_attributes(j, peer->resource, reason);
	if (peer->service[0])
		put_text_attribute(j, OTLP_PEER, peer->service);
	if (peer->process[0])
		put_text_attribute(j, "frtrace.peer.process", peer->process);
	if (peer->container[0])
		put_text_attribute(j, "frtrace.peer.container", peer->container);
}

void otlp_event(struct otlp *o, const struct otlp_event *e)
{
	struct json *j = &o->json;

	json_object(j, NULL);
	put_decimal_text(j, "timeUnixNano", e->time);
	json_string(j, "name", "frtrace.wait");
	json_array(j, "attributes");
	put_number_attribute(j, "frtrace.duration_ns", e->duration);
	put_text_attribute(j, "frtrace.reason", e->reason);
	if (e->waker[0])
		put_text_attribute(j, "frtrace.waker", e->waker);
	if (e->peer.resource[0])
		put_peer_attributes(j, &e->peer, e->reason);
	json_end(j);
	json_end(j);
}

void otlp_end_span(struct otlp *o, const struct otlp_span *s, uint32_t events_left_out)
{
	struct json *j = &o->json;

	json_end(j);
	if (events_left_out)
		json_unsigned(j, "droppedEventsCount", events_left_out);
	if (s->thrown) {
		json_object(j, "status");
		json_unsigned(j, "code", STATUS_ERROR);
		json_end(j);
	}
	json_end(j);
	if (o->spans == SPANS_IN_A_LINE)
		otlp_finish(o);
}
