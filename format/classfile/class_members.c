// SPDX-License-Identifier: BSD-2-Clause
/* Fields by name, and parameters by number and by name (JVMS 4.5, 4.7.13, 4.7.24). */
#include "format/classfile/class_file_internal.h"

static bool members_attribute(const struct class_file *c, struct cursor *in, struct slice *name, struct cursor *content)
{
	uint32_t length;

	if (!class_utf8(c, cursor_be16(in), name))
		return false;
	length = cursor_be32(in);
	if (!cursor_has(in, length))
		return false;
	*content = cursor_at(in->data, in->at, in->at + length);
	cursor_take(in, length);
	return true;
}

bool class_find_field(const struct class_file *c, struct slice name, uint16_t *access, struct slice *descriptor)
{
	struct cursor in = cursor_at(c->bytes, c->interfaces_offset, c->size), content;
	struct slice found, ignored;
	uint32_t n;

	cursor_take(&in, cursor_be16(&in) * 2u);
	n = cursor_be16(&in);
	while (n-- && cursor_ok(&in)) {
		*access = cursor_be16(&in);
		if (!class_utf8(c, cursor_be16(&in), &found) || !class_utf8(c, cursor_be16(&in), descriptor))
			return false;
		if (slice_equal(found, name))
			return true;
		for (uint32_t i = cursor_be16(&in); i && cursor_ok(&in); i--)
			if (!members_attribute(c, &in, &ignored, &content))
				return false;
	}
	return false;
}

bool class_parameter(const struct class_method *m, uint32_t number, struct slice *type, uint16_t *slot)
{
	struct slice left = m->descriptor;
	uint32_t at = m->access & CLASS_STATIC ? 0 : 1;

	if (!left.length || left.at[0] != '(')
		return false;
	left.at++;
	left.length--;
	for (; class_descriptor_next(&left, type); number--) {
		*slot = at;
		if (!number)
			return true;
		at += type->at[0] == 'J' || type->at[0] == 'D' ? 2 : 1;
	}
	return false;
}

/* The number of the parameter in a slot; -1: none begins there. */
static int members_number_of(const struct class_method *m, uint16_t slot)
{
	struct slice type;
	uint16_t at;

	for (int n = 0; class_parameter(m, n, &type, &at) && at <= slot; n++)
		if (at == slot)
			return n;
	return -1;
}

/* From MethodParameters, or -1. */
static int members_declared(const struct class_file *c, struct cursor in, struct slice name)
{
	uint8_t n = cursor_u8(&in);
	struct slice found;

	for (int i = 0; i < n && cursor_ok(&in); i++) {
		uint16_t index = cursor_be16(&in);

		cursor_take(&in, 2);
		if (cursor_ok(&in) && class_utf8(c, index, &found) && slice_equal(found, name))
			return i;
	}
	return -1;
}

/* From a LocalVariableTable, or -1: parameters are the variables that are there from the first bytecode on. */
static int members_local(const struct class_file *c, const struct class_method *m, struct cursor in, struct slice name)
{
	uint16_t n = cursor_be16(&in);
	struct slice found;

	for (uint16_t i = 0; i < n && cursor_ok(&in); i++) {
		uint16_t start = cursor_be16(&in), index, slot;

		cursor_take(&in, 2);
		index = cursor_be16(&in);
		cursor_take(&in, 2);
		slot = cursor_be16(&in);
		if (cursor_ok(&in) && !start && class_utf8(c, index, &found) && slice_equal(found, name))
			return members_number_of(m, slot);
	}
	return -1;
}

static int members_in_code(const struct class_file *c, const struct class_method *m, struct cursor in,
			   struct slice name)
{
	struct cursor content;
	struct slice attribute;
	int number = -1;

	cursor_take(&in, 4); /* max_stack, max_locals */
	cursor_take(&in, cursor_be32(&in));
	cursor_take(&in, cursor_be16(&in) * 8u);
	for (uint32_t n = cursor_be16(&in); n && number < 0 && cursor_ok(&in); n--) {
		if (!members_attribute(c, &in, &attribute, &content))
			return -1;
		if (slice_is(attribute, "LocalVariableTable"))
			number = members_local(c, m, content, name);
	}
	return number;
}

int class_parameter_named(const struct class_file *c, const struct class_method *m, struct slice name)
{
	struct cursor in = cursor_at(c->bytes, m->offset + 6, m->offset + m->size), content;
	struct slice attribute;
	int number = -1;

	for (uint32_t n = cursor_be16(&in); n && number < 0 && cursor_ok(&in); n--) {
		if (!members_attribute(c, &in, &attribute, &content))
			return -1;
		if (slice_is(attribute, "MethodParameters"))
			number = members_declared(c, content, name);
		else if (slice_is(attribute, "Code"))
			number = members_in_code(c, m, content, name);
	}
	return number;
}
