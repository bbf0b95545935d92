// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_value.h"

void jfr_skip(struct cursor *c, const struct meta_type *t)
{
	switch (t->kind) {
	case META_STRUCT:
		for (uint32_t i = 0; i < t->count && cursor_ok(c); i++)
			jfr_skip_field(c, &t->fields[i]);
		break;
	case META_BOOLEAN:
	case META_BYTE: cursor_take(c, 1); break;
	case META_CHAR:
	case META_SHORT:
	case META_INT:
	case META_LONG: cursor_leb(c); break;
	case META_FLOAT: cursor_take(c, 4); break;
	case META_DOUBLE: cursor_take(c, 8); break;
	case META_STRING: cursor_text(c); break;
	}
}

static void skip_element(struct cursor *c, const struct meta_field *f)
{
	if (f->constant)
		cursor_leb(c);
	else
		jfr_skip(c, f->type);
}

static uint64_t take_count(struct cursor *c)
{
	size_t start = c->at;
	uint64_t count = cursor_leb(c);

	if (count > c->size - c->at)
		cursor_fail(c, start, "an array that is longer than its container");
	return cursor_ok(c) ? count : 0;
}

void jfr_skip_field(struct cursor *c, const struct meta_field *f)
{
	uint64_t count = f->array ? take_count(c) : 1;

	while (count-- && cursor_ok(c))
		skip_element(c, f);
}

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static double double_of(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static void value_take_text(struct cursor *c, const struct meta_type *t, struct jfr_value *v)
{
	struct cursor_text text = cursor_text(c);

	if (text.encoding == TEXT_CONSTANT) {
		v->kind = VALUE_KEY;
		v->type = t;
		v->key = text.key;
		return;
	}
	v->kind = text.encoding == TEXT_NULL ? VALUE_NULL : VALUE_TEXT;
	v->text = text;
}

static void take_struct(struct cursor *c, const struct meta_type *t, struct jfr_value *v)
{
	v->kind = VALUE_STRUCT;
	v->place.at = c->at;
	jfr_skip(c, t);
	v->place.limit = c->at;
}

static void take_number(struct cursor *c, const struct meta_type *t, struct jfr_value *v)
{
	v->kind = VALUE_NUMBER;
	switch (t->kind) {
	case META_BYTE: v->number = (int8_t)cursor_u8(c); break;
	case META_CHAR: v->number = (uint16_t)cursor_leb(c); break;
	case META_SHORT: v->number = (int16_t)cursor_leb(c); break;
	case META_INT: v->number = (int32_t)cursor_leb(c); break;
	default: v->number = (int64_t)cursor_leb(c);
	}
}

void jfr_take_pooled(struct cursor *c, const struct meta_type *t, struct jfr_value *v)
{
	if (t->kind == META_STRUCT && t->simple) {
		jfr_take(c, t->fields, v);
		return;
	}
	v->type = t;
	switch (t->kind) {
	case META_STRUCT: take_struct(c, t, v); break;
	case META_STRING: value_take_text(c, t, v); break;
	case META_FLOAT:
		v->kind = VALUE_REAL;
		v->real = float_of(cursor_be32(c));
		break;
	case META_DOUBLE:
		v->kind = VALUE_REAL;
		v->real = double_of(cursor_be64(c));
		break;
	case META_BOOLEAN:
		v->kind = VALUE_BOOLEAN;
		v->number = cursor_u8(c) != 0;
		break;
	default: take_number(c, t, v);
	}
}

static void take_one(struct cursor *c, const struct meta_field *f, struct jfr_value *v)
{
	if (f->constant) {
		v->kind = VALUE_KEY;
		v->type = f->type;
		v->key = cursor_leb(c);
	} else {
		jfr_take_pooled(c, f->type, v);
	}
	if (__builtin_expect(!cursor_ok(c), 0))
		v->kind = VALUE_NULL;
}

static void take_array(struct cursor *c, const struct meta_field *f, struct jfr_value *v)
{
	uint64_t i;

	v->kind = VALUE_ARRAY;
	v->type = f->type;
	v->place.count = take_count(c);
	v->place.field = f;
	v->place.at = c->at;
	for (i = 0; i < v->place.count && cursor_ok(c); i++)
		skip_element(c, f);
	v->place.limit = c->at;
	if (!cursor_ok(c))
		v->kind = VALUE_NULL;
}

void jfr_take(struct cursor *c, const struct meta_field *f, struct jfr_value *v)
{
	if (f->array)
		take_array(c, f, v);
	else
		take_one(c, f, v);
}

void jfr_take_element(struct cursor *c, const struct jfr_value *array, struct jfr_value *v)
{
	take_one(c, array->place.field, v);
}

int64_t jfr_value_widened(const struct jfr_value *v, const struct meta_field *f)
{
	static const uint64_t masks[] = {[META_BYTE] = 0xff, [META_SHORT] = 0xffff, [META_INT] = 0xffffffff};

	if (f->is_unsigned && v->type->kind <= META_INT && masks[v->type->kind])
		return v->number & masks[v->type->kind];
	return v->number;
}
