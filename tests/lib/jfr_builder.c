// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/jfr_builder.h"

#include <assert.h>
#include <stdio.h>

#define HEADER 68

static struct chunk_element *add_element(struct chunk_builder *b, const char *name, int depth)
{
	struct chunk_element *e = &b->element[b->elements++];

	assert(b->elements <= sizeof(b->element) / sizeof(b->element[0]));
	*e = (struct chunk_element){.name = name, .depth = depth};
	return e;
}

void chunk_attribute(struct chunk_builder *b, const char *name, const char *value)
{
	struct chunk_element *e = &b->element[b->elements - 1];

	e->attribute[e->attributes].name = name;
	snprintf(e->attribute[e->attributes++].value, sizeof(e->attribute[0].value), "%s", value);
}

static void number_attribute(struct chunk_builder *b, const char *name, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	chunk_attribute(b, name, text);
}

void chunk_class(struct chunk_builder *b, const char *name, int id, const char *super)
{
	add_element(b, "class", 2);
	chunk_attribute(b, "name", name);
	number_attribute(b, "id", id);
	if (super)
		chunk_attribute(b, "superType", super);
}

void chunk_simple(struct chunk_builder *b, const char *name, int id)
{
	chunk_class(b, name, id, NULL);
	chunk_attribute(b, "simpleType", "true");
}

void chunk_field(struct chunk_builder *b, const char *name, int type, int flags)
{
	add_element(b, "field", 3);
	chunk_attribute(b, "name", name);
	number_attribute(b, "class", type);
	if (flags & B_ARRAY)
		chunk_attribute(b, "dimension", "1");
	if (flags & B_CONSTANT)
		chunk_attribute(b, "constantPool", "true");
}

static void annotate(struct chunk_builder *b, int depth, int annotation, const char *value)
{
	add_element(b, "annotation", depth);
	number_attribute(b, "class", annotation);
	if (value)
		chunk_attribute(b, annotation == B_CATEGORY ? "value-0" : "value", value);
}

void chunk_annotate_field(struct chunk_builder *b, int annotation, const char *value)
{
	annotate(b, 4, annotation, value);
}

void chunk_annotate_class(struct chunk_builder *b, int annotation, const char *value)
{
	annotate(b, 3, annotation, value);
}

void chunk_event(struct chunk_builder *b, const char *name, int id)
{
	chunk_class(b, name, id, "jdk.jfr.Event");
	chunk_field(b, "startTime", B_LONG, 0);
	chunk_annotate_field(b, B_TIMESTAMP, "TICKS");
}

void chunk_span(struct chunk_builder *b, const char *name)
{
	chunk_field(b, name, B_LONG, 0);
	chunk_annotate_field(b, B_TIMESPAN, "TICKS");
}

void chunk_stacks(struct chunk_builder *b, int method, int frame, int stack)
{
	chunk_class(b, "jdk.types.StackFrame", frame, NULL);
	chunk_field(b, "method", method, B_CONSTANT);
	chunk_field(b, "lineNumber", B_INT, 0);
	chunk_class(b, "jdk.types.StackTrace", stack, NULL);
	chunk_field(b, "truncated", B_BOOLEAN, 0);
	chunk_field(b, "frames", frame, B_ARRAY);
}

void chunk_init(struct chunk_builder *b)
{
	static const char *const names[] = {
		[B_BOOLEAN] = "boolean",
		[B_BYTE] = "byte",
		[B_CHAR] = "char",
		[B_SHORT] = "short",
		[B_INT] = "int",
		[B_LONG] = "long",
		[B_FLOAT] = "float",
		[B_DOUBLE] = "double",
		[B_STRING] = "java.lang.String",
		[B_TIMESPAN] = "jdk.jfr.Timespan",
		[B_TIMESTAMP] = "jdk.jfr.Timestamp",
		[B_UNSIGNED] = "jdk.jfr.Unsigned",
		[B_PERCENTAGE] = "jdk.jfr.Percentage",
		[B_DATA_AMOUNT] = "jdk.jfr.DataAmount",
		[B_FREQUENCY] = "jdk.jfr.Frequency",
		[B_ADDRESS] = "jdk.jfr.MemoryAddress",
		[B_CONTENT_TYPE] = "jdk.jfr.ContentType",
		[B_CATEGORY] = "jdk.jfr.Category",
		[B_CONTEXTUAL] = "jdk.jfr.Contextual",
	};

	memset(b, 0, sizeof(*b));
	add_element(b, "root", 0);
	add_element(b, "metadata", 1);
	for (int id = B_BOOLEAN; id < B_FIRST_FREE; id++) {
		chunk_class(b, names[id], id, id > B_STRING ? "java.lang.annotation.Annotation" : NULL);
		if (id == B_TIMESPAN || id == B_TIMESTAMP || id == B_DATA_AMOUNT)
			chunk_field(b, "value", B_STRING, 0);
		if (id == B_CATEGORY)
			chunk_field(b, "value", B_STRING, B_ARRAY);
		if (id >= B_TIMESPAN && id <= B_ADDRESS)
			chunk_annotate_class(b, B_CONTENT_TYPE, NULL);
	}
}

void chunk_release(struct chunk_builder *b)
{
	bytes_release(&b->body);
}

/* Sizes take four bytes, so that they can be filled in later. */
static size_t begin_sized(struct chunk_builder *b, int type)
{
	size_t start = b->body.size;

	bytes_put_be32(&b->body, 0);
	bytes_put_leb(&b->body, type);
	return start;
}

static void end_sized(struct chunk_builder *b, size_t start)
{
	bytes_patch_leb(&b->body, start, b->body.size - start);
}

void chunk_begin_pool(struct chunk_builder *b, int type, unsigned int count)
{
	uint64_t at = HEADER + b->body.size;

	b->checkpoint_start = begin_sized(b, 1);
	bytes_put_leb(&b->body, BUILDER_T0);
	bytes_put_leb(&b->body, 0);
	bytes_put_leb(&b->body, b->checkpoint ? b->checkpoint - at : 0);
	bytes_put_u8(&b->body, 0);
	bytes_put_leb(&b->body, 1);
	bytes_put_leb(&b->body, type);
	bytes_put_leb(&b->body, count);
	b->checkpoint = at;
}

void chunk_end_pool(struct chunk_builder *b)
{
	end_sized(b, b->checkpoint_start);
}

void chunk_begin_event(struct chunk_builder *b, int type, int64_t after)
{
	b->checkpoint_start = begin_sized(b, type);
	bytes_put_leb(&b->body, BUILDER_T0 + after);
}

void chunk_end_event(struct chunk_builder *b)
{
	end_sized(b, b->checkpoint_start);
}

void chunk_put_integers(struct chunk_builder *b, int type, int64_t after, const int64_t *values, size_t count)
{
	chunk_begin_event(b, type, after);
	for (size_t i = 0; i < count; i++)
		bytes_put_leb(&b->body, values[i]);
	chunk_end_event(b);
}

static unsigned int count_children(const struct chunk_builder *b, unsigned int parent)
{
	unsigned int n = 0;

	for (unsigned int i = parent + 1; i < b->elements && b->element[i].depth > b->element[parent].depth; i++)
		n += b->element[i].depth == b->element[parent].depth + 1;
	return n;
}

/* Each name and value becomes a string of its own: the table need not be compact, only valid. */
static void put_tree(struct chunk_builder *b, struct bytes *strings, struct bytes *elements)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < b->elements; i++) {
		const struct chunk_element *e = &b->element[i];

		bytes_put_text(strings, e->name, 1000);
		bytes_put_leb(elements, count++);
		bytes_put_leb(elements, e->attributes);
		for (unsigned int a = 0; a < e->attributes; a++) {
			bytes_put_text(strings, e->attribute[a].name, 1000);
			bytes_put_text(strings, e->attribute[a].value, 1000);
			bytes_put_leb(elements, count++);
			bytes_put_leb(elements, count++);
		}
		bytes_put_leb(elements, count_children(b, i));
	}
	bytes_put_leb(&b->body, count);
	bytes_put(&b->body, strings->data, strings->size);
	bytes_put(&b->body, elements->data, elements->size);
}

static void put_metadata(struct chunk_builder *b)
{
	size_t start = begin_sized(b, 0);
	struct bytes strings, elements;

	bytes_init(&strings);
	bytes_init(&elements);
	bytes_put_leb(&b->body, BUILDER_T0);
	bytes_put_leb(&b->body, 0);
	bytes_put_leb(&b->body, 77);
	add_element(b, "region", 1);
	chunk_attribute(b, "gmtOffset", "3600000");
	put_tree(b, &strings, &elements);
	b->elements--;
	end_sized(b, start);
	bytes_release(&strings);
	bytes_release(&elements);
}

void chunk_finish(struct chunk_builder *b, struct bytes *file)
{
	size_t metadata = HEADER + b->body.size;

	put_metadata(b);
	bytes_put_be32(file, 0x464c5200);
	bytes_put_be16(file, 2);
	bytes_put_be16(file, 0);
	bytes_put_be64(file, HEADER + b->body.size);
	bytes_put_be64(file, b->checkpoint);
	bytes_put_be64(file, metadata);
	bytes_put_be64(file, BUILDER_NANOS);
	bytes_put_be64(file, 1000000000);
	bytes_put_be64(file, BUILDER_T0);
	bytes_put_be64(file, 1000000000);
	bytes_put_be32(file, 1);
	bytes_put(file, b->body.data, b->body.size);
	bytes_clear(&b->body);
	b->checkpoint = 0;
}
