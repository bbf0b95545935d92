/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds class files that javac does not write. Memory comes from malloc(); aborts without memory. */
#ifndef TESTS_LIB_CLASS_BUILDER_H
#define TESTS_LIB_CLASS_BUILDER_H

#include <stddef.h>
#include <stdint.h>

/* A growing array of bytes. */
struct grow {
	uint8_t *bytes;
	size_t size, capacity;
};

void grow_u1(struct grow *g, unsigned v);
void grow_u2(struct grow *g, unsigned v);
void grow_u4(struct grow *g, uint32_t v);
void grow_bytes(struct grow *g, const void *bytes, size_t size);
void grow_release(struct grow *g);

struct class_builder {
	struct grow pool, interfaces, fields, methods, attributes;
	unsigned constants, interface_count, field_count, method_count, attribute_count;
	unsigned major, access, this_class, super_class;
	struct grow method_attributes; /* of the next method */
	unsigned method_attribute_count;
};

/* A public class `name` of that version. `super` NULL: java/lang/Object. */
void builder_init(struct class_builder *b, unsigned major, const char *name, const char *super);

unsigned builder_utf8(struct class_builder *b, const char *text);
unsigned builder_class(struct class_builder *b, const char *name);
unsigned builder_integer(struct class_builder *b, uint32_t v);
/* tag: 9 Fieldref, 10 Methodref, 11 InterfaceMethodref */
unsigned builder_member(struct class_builder *b, unsigned tag, const char *owner, const char *name,
			const char *descriptor);

struct code_spec {
	unsigned max_stack, max_locals;
	struct grow code;
	struct grow exceptions; /* entries of 8 bytes */
	struct grow attributes; /* whole attribute_infos */
	unsigned attribute_count;
};

/* Append an attribute_info with that content, and free the content. */
void code_attribute(struct class_builder *b, struct code_spec *s, const char *name, struct grow content);

void builder_interface(struct class_builder *b, const char *name);

/* A field with an attribute. */
void builder_field(struct class_builder *b, unsigned access, const char *name, const char *descriptor);

/*
 * An annotation without values (its type as a descriptor) for the class, and for the next method. `attribute` is
 * RuntimeVisibleAnnotations or RuntimeInvisibleAnnotations.
 */
void builder_annotate(struct class_builder *b, const char *attribute, const char *type);
void builder_annotate_method(struct class_builder *b, const char *attribute, const char *type);

/* Add a method and free what `s` holds. NULL: without code. */
void builder_method(struct class_builder *b, unsigned access, const char *name, const char *descriptor,
		    struct code_spec *s);

/* The class file, which the caller frees. The builder is released. */
uint8_t *builder_finish(struct class_builder *b, size_t *size);

#endif
