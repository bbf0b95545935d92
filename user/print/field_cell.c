// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/field_cell.h"
#include "user/trace/jfr_names.h"
#include "user/text/java_number.h"
#include "user/text/java_time.h"
#include "user/print/value_text.h"

#include <math.h>

static bool field_is_named(const struct meta_field *f)
{
	return f->type->role == META_THREAD || f->type->role == META_CLASS || f->type->role == META_METHOD;
}

static bool field_is_number(const struct meta_field *f)
{
	return f->type->kind >= META_BYTE && f->type->kind <= META_DOUBLE && f->type->kind != META_CHAR;
}

bool field_has_cell(const struct meta_field *f)
{
	return !f->array && (f->type->kind != META_STRUCT || f->type->simple || field_is_named(f));
}

void field_cell_columns(struct table_column columns[2], const char *label, const struct meta_field *f)
{
	columns[0] = (struct table_column){.label = label, .kind = TABLE_TEXT};
	columns[1] = (struct table_column){.key = label, .kind = TABLE_TYPED};
	if (f->type->role == META_METHOD)
		columns[0].kind = TABLE_METHOD;
	else if (field_is_number(f))
		columns[0].kind = TABLE_NUMBER;
	else if (f->type->kind == META_BOOLEAN)
		columns[0].kind = TABLE_WORDS;
}

static void put_name_of_thread(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *thread)
{
	struct jfr_value name = jfr_field(chunk, thread, "javaName");

	if (name.kind != VALUE_TEXT)
		name = jfr_field(chunk, thread, "osName");
	put_value_text(out, &name);
}

static void put_class_alone(struct bytes *out, struct printer *p, const struct jfr_value *class)
{
	struct jfr_value name = jfr_field(p->chunk, class, "name");
	size_t size;

	if (name.kind == VALUE_TEXT)
		put_class_name(out, p->chunk, printer_text(p, &name, &size), "");
	else
		put_text(out, "N/A");
}

/* False: it has no name. */
static bool put_role_name(struct bytes *out, struct printer *p, const struct jfr_value *v)
{
	switch (v->type->role) {
	case META_THREAD: put_name_of_thread(out, p->chunk, v); return true;
	case META_CLASS: put_class_alone(out, p, v); return true;
	case META_METHOD: put_method(out, p->chunk, v); return true;
	default: return false;
	}
}

/* Control characters become spaces: a row is a line. */
static void put_one_line(struct bytes *out, const struct cursor_text *text)
{
	size_t begin = out->size;

	bytes_put_decoded(out, text);
	for (size_t i = begin; !out->failed && i < out->size; i++)
		if (out->data[i] < ' ')
			out->data[i] = ' ';
}

void field_put_text(struct bytes *out, struct printer *p, const struct meta_field *f, const struct jfr_value *value)
{
	struct jfr_value v = *value;

	jfr_resolve(p->chunk, &v);
	if (v.kind == VALUE_TEXT) {
		put_one_line(out, &v.text);
	} else if (v.kind != VALUE_STRUCT || !put_role_name(out, p, &v)) {
		bytes_clear(&p->out);
		value_text_put(p, &v, f);
		bytes_put(out, p->out.data, p->out.size);
	}
}

static bool field_is_missing(const struct jfr_value *v, const struct meta_field *f)
{
	return !f->is_unsigned && ((v->type->kind == META_INT && v->number == INT32_MIN) ||
				   (v->type->kind == META_LONG && v->number == INT64_MIN));
}

static void put_typed_number(struct bytes *out, struct printer *p, const struct meta_field *f,
			     const struct jfr_value *v)
{
	int64_t n = jfr_value_widened(v, f);
	struct java_time t;

	if (field_is_missing(v, f)) {
		put_text(out, "#null");
	} else if (f->timestamp && java_timestamp(&t, p->chunk, f, n)) {
		bytes_put_u8(out, '"');
		put_moment_iso(out, &t, 0);
	} else {
		bytes_put_u8(out, '#');
		if (f->timespan == META_TICKS)
			put_integer(out, jfr_timebase_span(&p->chunk->clock, n));
		else if (f->is_unsigned)
			put_unsigned(out, n);
		else
			put_integer(out, n);
	}
}

static void put_typed_real(struct bytes *out, const struct jfr_value *v)
{
	bytes_put_u8(out, '#');
	if (!isfinite(v->real))
		put_text(out, "null");
	else if (v->type->kind == META_FLOAT)
		put_float(out, v->real);
	else
		put_double(out, v->real);
}

void field_put_typed(struct bytes *out, struct printer *p, const struct meta_field *f, const struct jfr_value *value)
{
	struct jfr_value v = *value;

	jfr_resolve(p->chunk, &v);
	if (v.kind == VALUE_BOOLEAN) {
		put_text(out, v.number ? "#true" : "#false");
	} else if (v.kind == VALUE_NUMBER && v.type->kind != META_CHAR) {
		put_typed_number(out, p, f, &v);
	} else if (v.kind == VALUE_REAL) {
		put_typed_real(out, &v);
	} else if (v.kind == VALUE_NULL) {
		put_text(out, "#null");
	} else {
		bytes_put_u8(out, '"');
		if (v.kind == VALUE_TEXT)
			bytes_put_decoded(out, &v.text);
		else
			field_put_text(out, p, f, &v);
	}
}
