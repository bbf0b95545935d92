/* SPDX-License-Identifier: BSD-2-Clause */
/* Access to constants, descriptors and annotations of a parsed class file, for the class-file code only. */
#ifndef FORMAT_CLASSFILE_CLASS_FILE_INTERNAL_H
#define FORMAT_CLASSFILE_CLASS_FILE_INTERNAL_H

#include "format/classfile/class_bytes.h"
#include "format/classfile/class_file.h"

/* JVMS 4.4, the tags that this code reads */
enum {
	CONSTANT_UTF8 = 1,
	CONSTANT_INTEGER = 3,
	CONSTANT_LONG = 5,
	CONSTANT_DOUBLE = 6,
	CONSTANT_CLASS = 7,
	CONSTANT_FIELDREF = 9,
	CONSTANT_METHODREF = 10,
	CONSTANT_INTERFACE_METHODREF = 11,
	CONSTANT_NAME_AND_TYPE = 12,
	CONSTANT_DYNAMIC = 17,
	CONSTANT_INVOKE_DYNAMIC = 18,
};

/* The bytes after a constant's tag. NULL if there is no such constant or its tag differs. */
const uint8_t *class_constant(const struct class_file *c, uint32_t index, uint8_t tag);

/* The text of a Utf8, or the name of a Class (for an array its descriptor). Returns false for other constants. */
bool class_utf8(const struct class_file *c, uint32_t index, struct slice *t);
bool class_name(const struct class_file *c, uint32_t index, struct slice *t);

/* Skip an annotation (JVMS 4.7.16) from its num_element_value_pairs on. Sets !cursor_ok(in) if it is malformed. */
void class_skip_annotation(struct cursor *in);

#endif
