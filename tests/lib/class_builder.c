// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/class_builder.h"

#include <stdlib.h>
#include <string.h>

void grow_bytes(struct grow *g, const void *bytes, size_t size)
{
	if (g->size + size > g->capacity) {
		g->capacity = (g->size + size) * 2;
		g->bytes = realloc(g->bytes, g->capacity);
		if (!g->bytes)
			abort();
	}
	if (size)
		memcpy(g->bytes + g->size, bytes, size);
	g->size += size;
}

void grow_u1(struct grow *g, unsigned v)
{
	grow_bytes(g, &(uint8_t){(uint8_t)v}, 1);
}

void grow_u2(struct grow *g, unsigned v)
{
	grow_u1(g, v >> 8);
	grow_u1(g, v);
}

void grow_u4(struct grow *g, uint32_t v)
{
	grow_u2(g, v >> 16);
	grow_u2(g, v);
}

void grow_release(struct grow *g)
{
	free(g->bytes);
	*g = (struct grow){0};
}

unsigned builder_utf8(struct class_builder *b, const char *text)
{
	grow_u1(&b->pool, 1);
	grow_u2(&b->pool, (unsigned)strlen(text));
	grow_bytes(&b->pool, text, strlen(text));
	return b->constants++;
}

unsigned builder_class(struct class_builder *b, const char *name)
{
	unsigned utf8 = builder_utf8(b, name);

	grow_u1(&b->pool, 7);
	grow_u2(&b->pool, utf8);
	return b->constants++;
}

unsigned builder_integer(struct class_builder *b, uint32_t v)
{
	grow_u1(&b->pool, 3);
	grow_u4(&b->pool, v);
	return b->constants++;
}

static unsigned builder_pair(struct class_builder *b, unsigned tag, unsigned first, unsigned second)
{
	grow_u1(&b->pool, tag);
	grow_u2(&b->pool, first);
	grow_u2(&b->pool, second);
	return b->constants++;
}

unsigned builder_member(struct class_builder *b, unsigned tag, const char *owner, const char *name,
			const char *descriptor)
{
	unsigned class = builder_class(b, owner);
	unsigned name_utf8 = builder_utf8(b, name);
	unsigned type = builder_pair(b, 12, name_utf8, builder_utf8(b, descriptor));

	return builder_pair(b, tag, class, type);
}

void builder_init(struct class_builder *b, unsigned major, const char *name, const char *super)
{
	*b = (struct class_builder){.major = major, .access = 0x21, .constants = 1};
	b->this_class = builder_class(b, name);
	b->super_class = builder_class(b, super ? super : "java/lang/Object");
}

static void put_attribute(struct class_builder *b, struct grow *to, const char *name, struct grow *content)
{
	grow_u2(to, builder_utf8(b, name));
	grow_u4(to, (uint32_t)content->size);
	grow_bytes(to, content->bytes, content->size);
	grow_release(content);
}

void code_attribute(struct class_builder *b, struct code_spec *s, const char *name, struct grow content)
{
	put_attribute(b, &s->attributes, name, &content);
	s->attribute_count++;
}

static void put_code(struct class_builder *b, struct code_spec *s)
{
	struct grow content = {0};

	grow_u2(&content, s->max_stack);
	grow_u2(&content, s->max_locals);
	grow_u4(&content, (uint32_t)s->code.size);
	grow_bytes(&content, s->code.bytes, s->code.size);
	grow_u2(&content, (unsigned)(s->exceptions.size / 8));
	grow_bytes(&content, s->exceptions.bytes, s->exceptions.size);
	grow_u2(&content, s->attribute_count);
	grow_bytes(&content, s->attributes.bytes, s->attributes.size);
	put_attribute(b, &b->methods, "Code", &content);
	grow_release(&s->code);
	grow_release(&s->exceptions);
	grow_release(&s->attributes);
}

void builder_method(struct class_builder *b, unsigned access, const char *name, const char *descriptor,
		    struct code_spec *s)
{
	grow_u2(&b->methods, access);
	grow_u2(&b->methods, builder_utf8(b, name));
	grow_u2(&b->methods, builder_utf8(b, descriptor));
	grow_u2(&b->methods, (s ? 1 : 0) + b->method_attribute_count);
	if (s)
		put_code(b, s);
	grow_bytes(&b->methods, b->method_attributes.bytes, b->method_attributes.size);
	grow_release(&b->method_attributes);
	b->method_attribute_count = 0;
	b->method_count++;
}

void builder_interface(struct class_builder *b, const char *name)
{
	grow_u2(&b->interfaces, builder_class(b, name));
	b->interface_count++;
}

void builder_field(struct class_builder *b, unsigned access, const char *name, const char *descriptor)
{
	grow_u2(&b->fields, access);
	grow_u2(&b->fields, builder_utf8(b, name));
	grow_u2(&b->fields, builder_utf8(b, descriptor));
	grow_u2(&b->fields, 1);
	grow_u2(&b->fields, builder_utf8(b, "Deprecated"));
	grow_u4(&b->fields, 0);
	b->field_count++;
}

static void put_annotation(struct class_builder *b, struct grow *to, const char *attribute, const char *type)
{
	struct grow content = {0};

	grow_u2(&content, 1);
	grow_u2(&content, builder_utf8(b, type));
	grow_u2(&content, 0);
	put_attribute(b, to, attribute, &content);
}

void builder_annotate(struct class_builder *b, const char *attribute, const char *type)
{
	put_annotation(b, &b->attributes, attribute, type);
	b->attribute_count++;
}

void builder_annotate_method(struct class_builder *b, const char *attribute, const char *type)
{
	put_annotation(b, &b->method_attributes, attribute, type);
	b->method_attribute_count++;
}

uint8_t *builder_finish(struct class_builder *b, size_t *size)
{
	struct grow g = {0};

	grow_u4(&g, 0xcafebabe);
	grow_u4(&g, b->major);
	if (b->major == 45)
		g.bytes[5] = 3; /* 45.3 */
	grow_u2(&g, b->constants);
	grow_bytes(&g, b->pool.bytes, b->pool.size);
	grow_u2(&g, b->access);
	grow_u2(&g, b->this_class);
	grow_u2(&g, b->super_class);
	grow_u2(&g, b->interface_count);
	grow_bytes(&g, b->interfaces.bytes, b->interfaces.size);
	grow_u2(&g, b->field_count);
	grow_bytes(&g, b->fields.bytes, b->fields.size);
	grow_u2(&g, b->method_count);
	grow_bytes(&g, b->methods.bytes, b->methods.size);
	grow_u2(&g, b->attribute_count);
	grow_bytes(&g, b->attributes.bytes, b->attributes.size);
	grow_release(&b->pool);
	grow_release(&b->interfaces);
	grow_release(&b->fields);
	grow_release(&b->methods);
	grow_release(&b->attributes);
	*size = g.size;
	return g.bytes;
}
