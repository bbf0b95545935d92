/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One method with hooks, for tests that compare bytes. Code is written in hexadecimal with blanks. ?? in an
 * expected text matches any byte: the number of a constant.
 */
#ifndef TESTS_LIB_EDITED_H
#define TESTS_LIB_EDITED_H

#include "tests/lib/class_builder.h"

#include "format/classfile/class_file_internal.h"
#include "format/classfile/class_edit.h"

extern const struct class_hooks edited_hooks; /* Hook.enter, leave, thrown */

/* The id of edited methods; it is pushed with one byte, 04. */
enum { ID = 1 };

struct edited {
	uint8_t *bytes; /* the original */
	size_t size;
	void *memory;
	const uint8_t *out;
	size_t out_size;
	enum class_status status;
	struct method_edit edit;
	struct class_file c; /* the parsed result */
	/* of the first method in the result */
	struct cursor code, exceptions, attributes;
	unsigned max_stack, max_locals, attribute_count;
};

struct method {
	struct class_builder b;
	struct code_spec s;
};

/* class C { static int run(int) } of version 52, not yet added. */
struct method method_of(const char *code);
void method_attach(struct method *m, const char *name, const char *content);
void put_hex(struct grow *g, const char *hex);

/* Finish the class, edit its first method (with that id, or ID), and find the parts of the result. */
struct edited edited_with(struct class_builder *b, struct method_edit edit);
struct edited edited_by(struct class_builder *b, uint32_t id);
struct edited edited_class(struct class_builder *b);
struct edited edited_method(struct method *m);
void edited_release(struct edited *e);

/* The content of the Code attribute with that name in the result; empty if there is none. */
struct cursor edited_attribute(const struct edited *e, const char *name);

/* Assert that the method was refused for that reason and the class is unchanged, then release it. */
void assert_unchanged(struct edited *e, enum edit_result result);
void assert_hex(const struct cursor *c, const char *hex);

#endif
