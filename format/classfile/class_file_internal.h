/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants, descriptors and annotations inside a parsed class file: for the class-file code itself. */
#ifndef FORMAT_CLASSFILE_CLASS_FILE_INTERNAL_H
#define FORMAT_CLASSFILE_CLASS_FILE_INTERNAL_H

#include "format/classfile/class_bytes.h"
#include "format/classfile/class_file.h"

/* JVMS 4.4, those that we look into */
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

/* What stands behind the tag of a constant; NULL when there is no such constant or it has another tag. */
const uint8_t *class_constant(const struct class_file *c, uint32_t index, uint8_t tag);

/* The text of a Utf8; the name of a Class (of an array: its descriptor). False when it is none. */
bool class_utf8(const struct class_file *c, uint32_t index, struct class_text *t);
bool class_name(const struct class_file *c, uint32_t index, struct class_text *t);

/* Take the first field type (JVMS 4.3.2) off `left`: "I", "Ljava/lang/String;", "[[J". False when none begins there. */
bool class_descriptor_next(struct class_text *left, struct class_text *type);

/* Go over an annotation (JVMS 4.7.16) from its num_element_value_pairs on. Sets in->bad on what it cannot read. */
void class_skip_annotation(struct cursor *in);

#endif
