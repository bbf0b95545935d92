// SPDX-License-Identifier: BSD-2-Clause
#include "format/otel_context.h"
#include "format/proto.h"

#include <errno.h>

enum { CONTEXT_RESOURCE = 1, CONTEXT_ATTRIBUTES = 2 };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { PAIR_KEY = 1, PAIR_VALUE = 2 };
enum { ANY_STRING = 1, ANY_BOOL = 2, ANY_INT = 3, ANY_DOUBLE = 4 };

struct otel_walk {
	otel_visit *visit;
	void *context;
};

static struct cursor message_cursor(struct slice message)
{
	struct cursor c;

	cursor_init(&c, message.at, message.length);
	return c;
}

/* The kind that a field of AnyValue should be written as, or OTEL_OTHER. */
static enum otel_kind any_kind(const struct proto_field *f)
{
	switch (f->number) {
	case ANY_STRING: return f->is_data ? OTEL_STRING : OTEL_OTHER;
	case ANY_BOOL: return f->is_data ? OTEL_OTHER : OTEL_BOOL;
	case ANY_INT: return f->is_data ? OTEL_OTHER : OTEL_INT;
	case ANY_DOUBLE: return f->is_data ? OTEL_OTHER : OTEL_DOUBLE;
	default: return OTEL_OTHER;
	}
}

/* Of a oneof, the last one counts. */
static int read_any_value(struct slice message, struct otel_attribute *out)
{
	struct cursor c = message_cursor(message);
	struct proto_field f;

	out->kind = OTEL_OTHER;
	while (proto_next(&c, &f)) {
		out->kind = any_kind(&f);
		out->text = f.data;
		out->integer = out->kind == OTEL_BOOL ? !!f.integer : (int64_t)f.integer;
		memcpy(&out->real, &f.integer, sizeof(out->real));
	}
	return cursor_ok(&c) ? 0 : -EBADMSG;
}

static int read_key_value(const struct otel_walk *w, struct slice message, bool of_resource)
{
	struct otel_attribute a = {.of_resource = of_resource};
	struct cursor c = message_cursor(message);
	struct proto_field f;
	int err = 0;

	while (!err && proto_next(&c, &f)) {
		if (f.number == PAIR_KEY && f.is_data)
			a.key = f.data;
		else if (f.number == PAIR_VALUE && f.is_data)
			err = read_any_value(f.data, &a);
	}
	if (!err && !cursor_ok(&c))
		err = -EBADMSG;
	return err ?: w->visit(&a, w->context);
}

static int read_resource(const struct otel_walk *w, struct slice message)
{
	struct cursor c = message_cursor(message);
	struct proto_field f;
	int err = 0;

	while (!err && proto_next(&c, &f))
		if (f.number == RESOURCE_ATTRIBUTES && f.is_data)
			err = read_key_value(w, f.data, true);
	return err ?: cursor_ok(&c) ? 0 : -EBADMSG;
}

int otel_context_each(const void *message, size_t size, otel_visit *visit, void *context)
{
	struct cursor c = message_cursor((struct slice){message, size});
	struct otel_walk w = {visit, context};
	struct proto_field f;
	int err = 0;

	while (!err && proto_next(&c, &f)) {
		if (f.number == CONTEXT_RESOURCE && f.is_data)
			err = read_resource(&w, f.data);
		else if (f.number == CONTEXT_ATTRIBUTES && f.is_data)
			err = read_key_value(&w, f.data, false);
	}
	return err ?: cursor_ok(&c) ? 0 : -EBADMSG;
}
