// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/event_json.h"
#include "user/text/java_number.h"
#include "user/text/java_time.h"
#include "user/print/value_text.h"

#include <math.h>

#define INDENT 2

static printer_value event_json_put_value;

static void put_unicode(struct bytes *out, uint32_t unit)
{
	static const char hex[] = "0123456789abcdef";
	char text[] = {'\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15], hex[unit >> 4 & 15], hex[unit & 15]};

	bytes_put(out, text, sizeof(text));
}

/* Append one well-formed, non-ASCII UTF-8 character; return its length in bytes. */
static size_t put_beyond(struct bytes *out, const unsigned char *p)
{
	uint32_t code;

	if (*p < 0xe0) {
		put_unicode(out, (*p & 0x1f) << 6 | (p[1] & 0x3f));
		return 2;
	}
	if (*p < 0xf0) {
		put_unicode(out, (*p & 0x0f) << 12 | (p[1] & 0x3f) << 6 | (p[2] & 0x3f));
		return 3;
	}
	code = ((*p & 0x07) << 18 | (p[1] & 0x3f) << 12 | (p[2] & 0x3f) << 6 | (p[3] & 0x3f)) - 0x10000;
	put_unicode(out, 0xd800 + (code >> 10));
	put_unicode(out, 0xdc00 + (code & 0x3ff));
	return 4;
}

static void put_escape(struct bytes *out, unsigned char c)
{
	static const char letters[] = "\bb\nn\tt\ff\rr\"\"\\\\//";

	for (const char *l = letters; *l && c; l += 2)
		if ((unsigned char)*l == c) {
			bytes_put_u8(out, '\\');
			bytes_put_u8(out, l[1]);
			return;
		}
	put_unicode(out, c);
}

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x80 && c != '"' && c != '\\' && c != '/';
}

static void event_json_put_string(struct bytes *out, const char *text, size_t size)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + size, *start;

	bytes_put_u8(out, '"');
	while (p < end) {
		for (start = p; p < end && is_plain(*p); p++)
			;
		bytes_put(out, start, p - start);
		if (p == end)
			break;
		if (*p < 0x80)
			put_escape(out, *p++);
		else
			p += put_beyond(out, p);
	}
	bytes_put_u8(out, '"');
}

static void put_name(struct printer *p, const char *name)
{
	put_spaces(&p->out, p->indent);
	event_json_put_string(&p->out, name, strlen(name));
	put_text(&p->out, ": ");
}

static void open_object(struct printer *p)
{
	put_text(&p->out, "{\n");
	p->indent += INDENT;
}

static void close_object(struct printer *p)
{
	p->indent -= INDENT;
	bytes_put_u8(&p->out, '\n');
	put_spaces(&p->out, p->indent);
	bytes_put_u8(&p->out, '}');
}

static void event_json_put_struct(struct printer *p, const struct jfr_value *v)
{
	struct cursor c = jfr_enter(p->chunk, v);

	open_object(p);
	for (uint32_t i = 0; i < v->type->count; i++) {
		const struct meta_field *f = &v->type->fields[i];
		struct jfr_value field;

		if (i)
			put_text(&p->out, ", \n");
		put_name(p, f->name);
		jfr_take(&c, f, &field);
		printer_put(p, &field, f, 0, event_json_put_value);
	}
	printer_check(p, &c);
	close_object(p);
}

static void event_json_put_array(struct printer *p, const struct jfr_value *v, const struct meta_field *f)
{
	struct cursor c = jfr_enter(p->chunk, v);
	uint64_t count = v->place.count;

	if (v->type->role == META_STACK_FRAME && count > p->stack_depth)
		count = p->stack_depth;
	bytes_put_u8(&p->out, '[');
	for (uint64_t i = 0; i < count; i++) {
		struct jfr_value element;

		if (i)
			put_text(&p->out, ", ");
		jfr_take_element(&c, v, &element);
		printer_put(p, &element, f, 0, event_json_put_value);
	}
	bytes_put_u8(&p->out, ']');
}

/* Print a timestamp or a duration. False: a plain number, nothing printed. */
static bool event_json_put_time(struct printer *p, int64_t value, const struct meta_field *f)
{
	struct java_time t;
	bool span = f->timespan != META_NO_UNIT;

	if (span ? !java_timespan(&t, p->chunk, f, value) : !java_timestamp(&t, p->chunk, f, value))
		return false;
	bytes_put_u8(&p->out, '"');
	if (span)
		put_duration_iso(&p->out, &t);
	else
		put_moment_iso(&p->out, &t, p->utc_offset);
	bytes_put_u8(&p->out, '"');
	return true;
}

static void event_json_put_character(struct printer *p, uint16_t unit)
{
	bytes_put_u8(&p->out, '"');
	if (is_plain(unit) && unit < 0x80)
		bytes_put_u8(&p->out, unit);
	else if (unit < ' ' || unit == '"' || unit == '\\' || unit == '/')
		put_escape(&p->out, unit);
	else
		put_unicode(&p->out, unit);
	bytes_put_u8(&p->out, '"');
}

static void event_json_put_number(struct printer *p, const struct jfr_value *v, const struct meta_field *f)
{
	int64_t n = jfr_value_widened(v, f);

	if (event_json_put_time(p, n, f))
		return;
	if (v->type->kind == META_CHAR)
		event_json_put_character(p, n);
	else if (f->is_unsigned)
		put_unsigned(&p->out, n);
	else
		put_integer(&p->out, n);
}

static void event_json_put_real(struct printer *p, const struct jfr_value *v)
{
	if (!isfinite(v->real))
		put_text(&p->out, "null");
	else if (v->type->kind == META_FLOAT)
		put_float(&p->out, v->real);
	else
		put_double(&p->out, v->real);
}

static void event_json_put_value(struct printer *p, const struct jfr_value *v, const struct meta_field *f)
{
	const char *text;
	size_t size;

	switch (v->kind) {
	case VALUE_BOOLEAN: put_text(&p->out, v->number ? "true" : "false"); break;
	case VALUE_NUMBER: event_json_put_number(p, v, f); break;
	case VALUE_REAL: event_json_put_real(p, v); break;
	case VALUE_TEXT:
		text = printer_text(p, v, &size);
		event_json_put_string(&p->out, text, size);
		break;
	case VALUE_STRUCT: event_json_put_struct(p, v); break;
	case VALUE_ARRAY: event_json_put_array(p, v, f); break;
	default: put_text(&p->out, "null");
	}
}

void event_json_begin(struct printer *p)
{
	open_object(p);
	put_name(p, "recording");
	open_object(p);
	put_name(p, "events");
	bytes_put_u8(&p->out, '[');
}

void event_json_put(struct printer *p, struct jfr_chunk *chunk, const struct jfr_event *e, bool first)
{
	struct jfr_value v = jfr_event_value(e);

	printer_begin(p, chunk, e);
	if (!first)
		put_text(&p->out, ", ");
	open_object(p);
	put_name(p, "type");
	event_json_put_string(&p->out, e->type->name, strlen(e->type->name));
	put_text(&p->out, ", \n");
	put_name(p, "values");
	event_json_put_struct(p, &v);
	close_object(p);
}

void event_json_end(struct printer *p)
{
	bytes_put_u8(&p->out, ']');
	close_object(p);
	close_object(p);
}
