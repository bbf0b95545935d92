// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/edited.h"
#include "tests/lib/test.h"

const struct class_hooks edited_hooks = {"Hook", "enter", "leave", "thrown", "left", "threw"};

struct edited edited_with(struct class_builder *b, struct method_edit edit)
{
	struct edited e = {.edit = edit};
	struct arena a;
	struct class_file c;
	struct cursor in;
	uint32_t n;

	e.bytes = builder_finish(b, &e.size);
	a.left = class_edit_memory(e.size) * 2 + (1 << 16); /* also for parsing the result */
	e.memory = a.at = malloc(a.left);
	assert_int_equal(class_parse(&c, e.bytes, e.size, &a), CLASS_OK);
	e.status = class_edit(&c, &edited_hooks, &e.edit, 1, &a, &e.out, &e.out_size);
	assert_int_equal(class_parse(&e.c, e.out, e.out_size, &a), CLASS_OK);
	if (!e.c.method[0].code_offset)
		return e;
	in = cursor_at(e.out, e.c.method[0].code_offset + 6, (uint32_t)e.out_size);
	e.max_stack = cursor_be16(&in);
	e.max_locals = cursor_be16(&in);
	cursor_take(&in, 4);
	e.code = cursor_at(e.out, in.at, in.at + e.c.method[0].code_length);
	cursor_take(&in, e.c.method[0].code_length);
	n = cursor_be16(&in);
	e.exceptions = cursor_at(e.out, in.at, in.at + n * 8);
	in.at = e.exceptions.size;
	e.attribute_count = cursor_be16(&in);
	e.attributes = cursor_at(e.out, in.at, (uint32_t)e.out_size);
	return e;
}

struct edited edited_by(struct class_builder *b, uint32_t id)
{
	return edited_with(b, (struct method_edit){.id = id});
}

struct edited edited_class(struct class_builder *b)
{
	return edited_by(b, ID);
}

void edited_release(struct edited *e)
{
	free(e->bytes);
	free(e->memory);
}

void assert_unchanged(struct edited *e, enum edit_result result)
{
	assert_int_equal(e->status, CLASS_OK);
	assert_int_equal(e->edit.result, result);
	assert_int_equal(e->out_size, e->size);
	assert_memory_equal(e->out, e->bytes, e->size);
	edited_release(e);
}

static int hex_digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

void put_hex(struct grow *g, const char *hex)
{
	for (; *hex; hex += *hex == ' ' ? 1 : 2)
		if (*hex != ' ')
			grow_u1(g, (unsigned)(hex_digit(hex[0]) << 4 | hex_digit(hex[1])));
}

void assert_hex(const struct cursor *c, const char *hex)
{
	size_t at = c->at;

	for (; *hex; hex += *hex == ' ' ? 1 : 2) {
		if (*hex == ' ')
			continue;
		if (at == c->size)
			fail_msg("%zu bytes, more were expected: %s", c->size - c->at, hex);
		if (*hex != '?' && c->data[at] != (hex_digit(hex[0]) << 4 | hex_digit(hex[1])))
			fail_msg("byte %zu is %02x, at: %s", at - c->at, c->data[at], hex);
		at++;
	}
	if (at != c->size)
		fail_msg("%zu bytes too many", c->size - at);
}

struct cursor edited_attribute(const struct edited *e, const char *name)
{
	struct cursor in = e->attributes;
	unsigned i;

	for (i = 0; i < e->attribute_count; i++) {
		struct slice t;
		uint32_t size;

		assert_true(class_utf8(&e->c, cursor_be16(&in), &t));
		size = cursor_be32(&in);
		if (slice_is(t, name))
			return cursor_at(in.data, in.at, in.at + size);
		cursor_take(&in, size);
	}
	return cursor_at(e->out, 0, 0);
}

struct method method_of(const char *code)
{
	struct method m = {.s = {.max_stack = 2, .max_locals = 1}};

	builder_init(&m.b, 52, "C", NULL);
	put_hex(&m.s.code, code);
	return m;
}

void method_attach(struct method *m, const char *name, const char *content)
{
	struct grow g = {0};

	put_hex(&g, content);
	code_attribute(&m->b, &m->s, name, g);
}

struct edited edited_method(struct method *m)
{
	builder_method(&m->b, 9, "run", "(I)I", &m->s);
	return edited_class(&m->b);
}
