// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/user_values_text.h"
#include "user/text/fold.h"
#include "user/text/java_number.h"
#include "user/text/json.h"
#include "user/text/memory.h"
#include "user/text/name_fit.h"
#include "user/print/field_cell.h"

#include <stdlib.h>
#include <string.h>

#define LEAST 16 /* columns; a shorter part of a value says nothing */

struct values_text {
	struct bytes *out, cell;
	struct printer p;
	struct json json;
	bool inside;	  /* an event's object is open */
	const char *only; /* this field; NULL: all */
};

static void values_text_init(struct values_text *t, struct bytes *out, const struct call *call, int64_t utc_offset)
{
	*t = (struct values_text){.out = out};
	bytes_init(&t->cell);
	printer_init(&t->p, -1);
	t->p.chunk = call->chunk;
	t->p.utc_offset = utc_offset;
}

static void values_text_release(struct values_text *t)
{
	bytes_release(&t->cell);
	printer_release(&t->p);
}

static void values_text_on_value(const struct meta_type *event, const struct meta_field *f, struct jfr_value *v,
				 void *context)
{
	struct values_text *t = context;
	bool quoted = v && (v->kind == VALUE_TEXT || (v->kind == VALUE_NUMBER && v->type->kind == META_CHAR));

	if (!f || (t->only && strcmp(t->only, f->name) != 0))
		return;
	if (!t->only && user_values_titles(event, f, v))
		return;
	put_text(t->out, t->out->size ? " " : "");
	put_text(t->out, f->name);
	put_text(t->out, quoted ? "=\"" : "=");
	field_put_text(t->out, &t->p, f, v);
	put_text(t->out, quoted ? "\"" : "");
}

static void values_put(struct bytes *out, const struct call *call, const char *only, bool title, int64_t utc_offset)
{
	struct values_text t;
	struct bytes text;

	bytes_init(&text);
	values_text_init(&t, &text, call, utc_offset);
	t.only = only;
	if (title)
		user_values_put_title(&text, call);
	user_values_each(call, values_text_on_value, &t);
	for (size_t i = 0; i < text.size; i++)
		text.data[i] = text.data[i] < ' ' ? ' ' : text.data[i];
	put_text(out, memory_text(&text));
	values_text_release(&t);
	bytes_release(&text);
}

void user_values_put(struct bytes *out, const struct call *call, const char *only, int64_t utc_offset)
{
	values_put(out, call, only, !only, utc_offset);
}

void user_values_put_rest(struct bytes *out, const struct call *call, int64_t utc_offset)
{
	values_put(out, call, NULL, false, utc_offset);
}

static void values_typed_on_value(const struct meta_type *event, const struct meta_field *f, struct jfr_value *v,
				  void *context)
{
	struct values_text *t = context;

	if (!f || t->out->size || strcmp(f->name, t->only) != 0)
		return;
	field_put_typed(t->out, &t->p, f, v);
	if (strcmp(memory_text(t->out), "#null") == 0)
		bytes_clear(t->out);
}

/* The field of the call's own event. */
static void values_read_own(struct values_text *t, const struct call *call)
{
	struct jfr_value event = jfr_event_value(call->event), v = {.kind = VALUE_NULL};
	const struct meta_type *type = call->event->type;
	struct cursor c = jfr_enter(call->chunk, &event);
	int place = meta_type_field(type, t->only);

	if (place < 0 || !field_has_cell(&type->fields[place]))
		return;
	for (int i = 0; i <= place; i++)
		jfr_take(&c, &type->fields[i], &v);
	if (cursor_ok(&c))
		values_typed_on_value(type, &type->fields[place], &v, t);
}

bool user_values_put_typed(struct bytes *out, const struct call *call, const char *field)
{
	struct values_text t;
	struct bytes text;
	bool found;

	bytes_init(&text);
	values_text_init(&t, &text, call, 0);
	t.only = field;
	user_values_each(call, values_typed_on_value, &t);
	if (!text.size)
		values_read_own(&t, call);
	values_text_release(&t);
	if (!text.size && strcmp(field, "traceId") == 0 && call_has_trace(call)) {
		bytes_put_u8(&text, '"');
		call_put_trace(call, &text);
	}
	found = text.size;
	put_text(out, memory_text(&text));
	bytes_release(&text);
	return found;
}

uint32_t user_values_method(struct method_names *names, const struct call *call, const char *field)
{
	uint32_t number = method_names_number(names, call->chunk, &call->method);
	struct bytes value;

	if (!field)
		return number;
	bytes_init(&value);
	if (user_values_put_typed(&value, call, field))
		number = method_names_valued(names, number, memory_text(&value));
	bytes_release(&value);
	return number;
}

static void values_json_on_value(const struct meta_type *event, const struct meta_field *f, struct jfr_value *v,
				 void *context)
{
	struct values_text *t = context;
	const char *text;

	if (!f) {
		if (t->inside)
			json_end(&t->json);
		json_object(&t->json, event->name);
		t->inside = true;
		return;
	}
	bytes_clear(&t->cell);
	field_put_typed(&t->cell, &t->p, f, v);
	text = memory_text(&t->cell);
	if (text[0] == '#')
		json_literal(&t->json, f->name, text + 1);
	else
		json_bytes(&t->json, f->name, text + 1, t->cell.size - 1);
}

void user_values_put_json(struct bytes *out, const struct call *call)
{
	struct values_text t;
	char *text = NULL;
	size_t size = 0;
	FILE *to;

	if (!call->values)
		return;
	to = memory_need(open_memstream(&text, &size));
	values_text_init(&t, out, call, 0);
	json_init(&t.json, to);
	json_object(&t.json, NULL);
	user_values_each(call, values_json_on_value, &t);
	if (t.inside)
		json_end(&t.json);
	json_end(&t.json);
	if (fclose(to))
		memory_exhausted();
	bytes_put(out, text, size - 1); /* without the end of the line */
	free(text);
	values_text_release(&t);
}

size_t user_values_share(struct bytes *values, size_t left)
{
	size_t wanted = values->size ? name_columns(memory_text(values)) + 1 : 0;

	return wanted < left / 2 ? wanted : left / 2;
}

void user_values_put_beside(struct bytes *out, struct bytes *values, size_t width)
{
	size_t used = fold_columns(out) + 1, left = width > used ? width - used : 0;
	size_t wanted = values->size ? name_columns(memory_text(values)) : 0;

	if (!wanted || left < (wanted < LEAST ? wanted : LEAST))
		return;
	bytes_put_u8(out, ' ');
	name_cut(out, memory_text(values), left);
}

void user_values_put_line(struct bytes *out, struct bytes *values, size_t indent, size_t width)
{
	if (!values->size)
		return;
	put_spaces(out, indent);
	name_cut(out, memory_text(values), width > indent + LEAST ? width - indent : LEAST);
	bytes_put_u8(out, '\n');
}

void user_values_put_call(struct bytes *out, const struct call *call, int64_t utc_offset, size_t indent, size_t width)
{
	struct bytes values;

	bytes_init(&values);
	user_values_put_rest(&values, call, utc_offset);
	user_values_put_line(out, &values, indent, width);
	bytes_release(&values);
}
