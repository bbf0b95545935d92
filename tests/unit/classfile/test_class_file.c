// SPDX-License-Identifier: BSD-2-Clause
/* The parser of class files: what it finds, and what it refuses. */
#include "tests/lib/class_builder.h"
#include "tests/lib/test.h"

#include "format/classfile/class_file_internal.h"

struct parsed {
	uint8_t *bytes;
	size_t size;
	void *memory;
	struct class_file c;
	enum class_status status;
};

/* A copy of exactly that size, so that the sanitizer detects reads past the end. */
static struct parsed parse(const uint8_t *bytes, size_t size)
{
	struct parsed p = {.size = size};
	struct arena a = {.left = 1 << 20};

	p.bytes = malloc(size ? size : 1);
	memcpy(p.bytes, bytes, size);
	p.memory = a.at = malloc(a.left);
	p.status = class_parse(&p.c, p.bytes, size, &a);
	return p;
}

static void release(struct parsed *p)
{
	free(p->bytes);
	free(p->memory);
}

/* An annotation whose values nest: @A(x = {@B(y = 1), @B(y = 2)}, e = E.F) */
static void put_nested_annotation(struct class_builder *b, struct grow *g)
{
	unsigned name = builder_utf8(b, "x");
	int i;

	grow_u2(g, builder_utf8(b, "LNested;"));
	grow_u2(g, 2);
	grow_u2(g, name);
	grow_u1(g, '[');
	grow_u2(g, 2);
	for (i = 0; i < 2; i++) {
		grow_u1(g, '@');
		grow_u2(g, name);
		grow_u2(g, 1);
		grow_u2(g, name);
		grow_u1(g, 'I');
		grow_u2(g, name);
	}
	grow_u2(g, name);
	grow_u1(g, 'e');
	grow_u2(g, name);
	grow_u2(g, name);
}

static void put_annotations(struct class_builder *b, struct grow *to, unsigned *count)
{
	struct grow g = {0};

	grow_u2(&g, 2);
	put_nested_annotation(b, &g);
	grow_u2(&g, builder_utf8(b, "LLast;"));
	grow_u2(&g, 0);
	grow_u2(to, builder_utf8(b, "RuntimeVisibleAnnotations"));
	grow_u4(to, (uint32_t)g.size);
	grow_bytes(to, g.bytes, g.size);
	grow_release(&g);
	++*count;
}

/* All kinds of constants, a method with code, one without, annotations. */
static uint8_t *sample(size_t *size)
{
	struct code_spec s = {.max_stack = 1, .max_locals = 1};
	struct class_builder b;

	builder_init(&b, 65, "a/b/Sample", "a/b/Parent");
	grow_bytes(&b.pool, "\5\0\0\0\0\0\0\0\1\6\0\0\0\0\0\0\0\1\4\0\0\0\0\x8\0\1", 26); /* Long Double Float String */
	b.constants += 6;
	grow_bytes(&b.pool, "\xf\6\0\1\x10\0\1\x11\0\0\0\1\x12\0\0\0\1\x13\0\1\x14\0\1",
		   23); /* MethodHandle to Package */
	b.constants += 6;
	grow_bytes(&s.code, "\xb1", 1);
	builder_method(&b, 0x9, "run", "(J[Ljava/lang/String;)V", &s);
	builder_method(&b, 0x401, "none", "()V", NULL);
	put_annotations(&b, &b.attributes, &b.attribute_count);
	return builder_finish(&b, size);
}

CASE(class_is_parsed)
{
	size_t size;
	uint8_t *bytes = sample(&size);
	struct parsed p = parse(bytes, size);

	assert_int_equal(p.status, CLASS_OK);
	assert_int_equal(p.c.major, 65);
	assert_true(slice_is(p.c.name, "a/b/Sample"));
	assert_true(slice_is(p.c.super, "a/b/Parent"));
	assert_int_equal(p.c.methods, 2);
	assert_true(slice_is(p.c.method[0].name, "run"));
	assert_true(slice_is(p.c.method[0].descriptor, "(J[Ljava/lang/String;)V"));
	assert_int_equal(p.c.method[0].access, 0x9);
	assert_int_equal(p.c.method[0].code_length, 1);
	assert_int_equal(p.c.method[1].code_offset, 0);
	release(&p);
	free(bytes);
}

static struct grow local(struct class_builder *b, unsigned start, const char *name, unsigned slot)
{
	struct grow g = {0};

	grow_u2(&g, 2);
	for (int i = 0; i < 2; i++) { /* another variable that begins later */
		grow_u2(&g, i ? start : 1);
		grow_u2(&g, 1);
		grow_u2(&g, builder_utf8(b, i ? name : "later"));
		grow_u2(&g, builder_utf8(b, "I"));
		grow_u2(&g, i ? slot : 7);
	}
	return g;
}

/* Two fields, and methods whose parameters have names in a LocalVariableTable, or in MethodParameters. */
static uint8_t *members(size_t *size)
{
	struct code_spec s = {.max_stack = 1, .max_locals = 8};
	struct class_builder b;

	builder_init(&b, 65, "A", NULL);
	builder_interface(&b, "java/lang/Runnable");
	builder_field(&b, 0x2, "size", "I");
	builder_field(&b, CLASS_STATIC, "COUNT", "[J");
	grow_bytes(&s.code, "\xb1", 1);
	code_attribute(&b, &s, "LocalVariableTable", local(&b, 0, "last", 4));
	builder_method(&b, 0x1, "locals", "(IDLa/B;)V", &s);
	grow_u2(&b.method_attributes, builder_utf8(&b, "MethodParameters"));
	grow_u4(&b.method_attributes, 9);
	grow_u1(&b.method_attributes, 2);
	grow_u2(&b.method_attributes, 0);
	grow_u2(&b.method_attributes, 0);
	grow_u2(&b.method_attributes, builder_utf8(&b, "second"));
	grow_u2(&b.method_attributes, 0);
	b.method_attribute_count++;
	builder_method(&b, 0x400 | CLASS_STATIC, "declared", "(J[I)V", NULL);
	return builder_finish(&b, size);
}

CASE(fields_are_found_by_name)
{
	size_t size;
	uint8_t *bytes = members(&size);
	struct parsed p = parse(bytes, size);
	struct slice type;
	uint16_t access;

	assert_int_equal(p.status, CLASS_OK);
	assert_true(class_find_field(&p.c, slice_of("size"), &access, &type) && slice_is(type, "I"));
	assert_true(class_find_field(&p.c, slice_of("COUNT"), &access, &type) && slice_is(type, "[J"));
	assert_true(access & CLASS_STATIC);
	assert_false(class_find_field(&p.c, slice_of("siz"), &access, &type));
	release(&p);
	free(bytes);
}

CASE(parameters_are_found_by_number_and_name)
{
	size_t size;
	uint8_t *bytes = members(&size);
	struct parsed p = parse(bytes, size);
	const struct class_method *m = p.c.method;
	struct slice type;
	uint16_t slot;

	assert_true(class_parameter(&m[0], 2, &type, &slot) && slice_is(type, "La/B;"));
	assert_int_equal(slot, 4); /* behind this, an int and a double */
	assert_false(class_parameter(&m[0], 3, &type, &slot));
	assert_true(class_parameter(&m[1], 0, &type, &slot) && slot == 0);
	assert_int_equal(class_parameter_named(&p.c, &m[0], slice_of("last")), 2);
	assert_int_equal(class_parameter_named(&p.c, &m[0], slice_of("later")), -1);
	assert_int_equal(class_parameter_named(&p.c, &m[1], slice_of("second")), 1);
	assert_int_equal(class_parameter_named(&p.c, &m[1], slice_of("first")), -1);
	release(&p);
	free(bytes);
}

CASE(members_of_any_changed_class_are_harmless)
{
	size_t size;
	uint8_t *bytes = members(&size);

	for (size_t i = 0; i < size; i++) {
		struct parsed p;
		struct slice type;
		uint16_t number;

		bytes[i] ^= 0xff;
		p = parse(bytes, size);
		bytes[i] ^= 0xff;
		if (p.status == CLASS_OK)
			class_find_field(&p.c, slice_of("none"), &number, &type);
		for (uint16_t m = 0; p.status == CLASS_OK && m < p.c.methods; m++)
			class_parameter_named(&p.c, &p.c.method[m], slice_of("none"));
		release(&p);
	}
	free(bytes);
}

CASE(whole_texts_are_compared)
{
	struct slice t = {"abc", 2};

	assert_true(slice_is(t, "ab"));
	assert_false(slice_is(t, "a"));
	assert_false(slice_is(t, "abc"));
}

CASE(annotations_are_found_after_nested_ones)
{
	size_t size;
	uint8_t *bytes = sample(&size);
	struct parsed p = parse(bytes, size);

	assert_true(class_has_annotation(&p.c, "LNested;"));
	assert_true(class_has_annotation(&p.c, "LLast;"));
	assert_false(class_has_annotation(&p.c, "LAbsent;"));
	assert_false(class_method_has_annotation(&p.c, &p.c.method[0], "LLast;"));
	release(&p);
	free(bytes);
}

CASE(annotations_too_deep_are_not_followed)
{
	uint8_t deep[2000];
	struct cursor in;
	size_t i;

	/* one pair, whose value is an array of an array of an array ... */
	memcpy(deep, "\0\1\0\1", 4);
	for (i = 4; i + 3 < sizeof(deep); i += 3)
		memcpy(deep + i, "[\0\1", 3);
	in = cursor_at(deep, 0, sizeof(deep));
	class_skip_annotation(&in);
	assert_false(cursor_ok(&in));
}

CASE(every_truncated_class_is_refused)
{
	size_t size, i;
	uint8_t *bytes = sample(&size);

	for (i = 0; i < size; i++) {
		struct parsed p = parse(bytes, i);

		assert_int_equal(p.status, CLASS_MALFORMED);
		release(&p);
	}
	free(bytes);
}

CASE(bytes_after_the_class_are_refused)
{
	size_t size;
	uint8_t *bytes = sample(&size);
	uint8_t *longer = malloc(size + 1);
	struct parsed p;

	memcpy(longer, bytes, size);
	longer[size] = 0;
	p = parse(longer, size + 1);
	assert_int_equal(p.status, CLASS_MALFORMED);
	release(&p);
	free(longer);
	free(bytes);
}

CASE(any_changed_byte_is_harmless)
{
	size_t size, i;
	uint8_t *bytes = sample(&size);

	for (i = 0; i < size; i++) {
		uint8_t old = bytes[i];
		struct parsed p;

		bytes[i] = (uint8_t)~old;
		p = parse(bytes, size);
		if (!p.status)
			class_has_annotation(&p.c, "LLast;");
		release(&p);
		bytes[i] = old;
	}
	free(bytes);
}

static enum class_status status_with(size_t at, unsigned byte)
{
	size_t size;
	uint8_t *bytes = sample(&size);
	struct parsed p;

	bytes[at] = (uint8_t)byte;
	p = parse(bytes, size);
	release(&p);
	free(bytes);
	return p.status;
}

CASE(unknown_constants_and_old_versions_are_reported)
{
	assert_int_equal(status_with(10, 2), CLASS_UNSUPPORTED);  /* there is no constant with tag 2 */
	assert_int_equal(status_with(10, 21), CLASS_UNSUPPORTED); /* nor with 21 yet */
	assert_int_equal(status_with(7, 44), CLASS_UNSUPPORTED);
	assert_int_equal(status_with(7, 45), CLASS_UNSUPPORTED); /* 45.0: another Code attribute */
	assert_int_equal(status_with(7, 46), CLASS_OK);
	assert_int_equal(status_with(7, 99), CLASS_OK);
	assert_int_equal(status_with(0, 0), CLASS_MALFORMED);
}

CASE(exhausted_arena_is_reported)
{
	size_t size, capacity;
	uint8_t *bytes = sample(&size);
	enum class_status status = CLASS_NO_MEMORY;

	for (capacity = 0; capacity < 4096 && status; capacity++) {
		unsigned char *memory = malloc(capacity + 1);
		struct arena a = {memory, capacity};
		struct class_file c;

		status = class_parse(&c, bytes, size, &a);
		assert_true(status == CLASS_NO_MEMORY || status == CLASS_OK);
		free(memory);
	}
	assert_int_equal(status, CLASS_OK);
	assert_true(capacity > 100);
	free(bytes);
}

CASE(empty_finalizer_is_recognised)
{
	struct code_spec empty = {.max_locals = 1}, busy = {.max_locals = 1};
	struct class_builder b;
	struct parsed p;
	uint8_t *bytes;
	size_t size;

	builder_init(&b, 52, "F", NULL);
	grow_u1(&empty.code, 0xb1);
	builder_method(&b, 4, "finalize", "()V", &empty);
	grow_bytes(&busy.code, "\0\xb1", 2);
	builder_method(&b, 4, "finalize", "()V", &busy);
	bytes = builder_finish(&b, &size);
	p = parse(bytes, size);
	assert_true(class_method_is_empty_finalizer(&p.c, &p.c.method[0]));
	assert_false(class_method_is_empty_finalizer(&p.c, &p.c.method[1]));
	release(&p);
	free(bytes);
}

CASE(descriptors_are_split)
{
	struct slice left = {"J[[IL;LA;[LB;X", 14}, type;

	assert_true(class_descriptor_next(&left, &type) && slice_is(type, "J"));
	assert_true(class_descriptor_next(&left, &type) && slice_is(type, "[[I"));
	assert_true(class_descriptor_next(&left, &type) && slice_is(type, "L;"));
	assert_true(class_descriptor_next(&left, &type) && slice_is(type, "LA;"));
	assert_true(class_descriptor_next(&left, &type) && slice_is(type, "[LB;"));
	assert_false(class_descriptor_next(&left, &type));
	left = (struct slice){"[[", 2};
	assert_false(class_descriptor_next(&left, &type));
	left = (struct slice){"LA", 2};
	assert_false(class_descriptor_next(&left, &type));
}
