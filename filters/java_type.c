// SPDX-License-Identifier: BSD-2-Clause
#include "filters/java_type.h"

#include <stdio.h>

const char *java_primitive(char letter)
{
	switch (letter) {
	case 'B': return "byte";
	case 'C': return "char";
	case 'D': return "double";
	case 'F': return "float";
	case 'I': return "int";
	case 'J': return "long";
	case 'S': return "short";
	case 'V': return "void";
	case 'Z': return "boolean";
	}
	return NULL;
}

const char *java_type_next(const char *descriptor, struct java_type *type)
{
	const char *at = descriptor + strspn(descriptor, "["), *primitive = java_primitive(*at);

	*type = (struct java_type){.letter = *at, .arrays = at - descriptor};
	if (*at == 'L') {
		type->name = (struct slice){at + 1, strcspn(at + 1, ";")};
		at += 1 + type->name.length;
		return *at ? at + 1 : NULL;
	}
	if (!primitive || *at == 'V') {
		primitive = "<unknown-descriptor-type>";
		type->letter = 0;
	}
	type->name = slice_of(primitive);
	return *at && *at != ')' ? at + 1 : NULL;
}

void java_type_put(struct bytes *out, const struct java_type *type, bool package, const char *size)
{
	struct slice name = type->name;

	for (size_t i = name.length; !package && i > 0; i--) {
		if (name.at[i - 1] == '/' || name.at[i - 1] == '.') {
			name = (struct slice){name.at + i, name.length - i};
			break;
		}
	}
	for (size_t i = 0; i < name.length; i++)
		bytes_put_u8(out, name.at[i] == '/' ? '.' : name.at[i]);
	for (unsigned int i = 0; i < type->arrays; i++, size = "") {
		bytes_put_u8(out, '[');
		bytes_put(out, size, strlen(size));
		bytes_put_u8(out, ']');
	}
}

bool java_types_put(struct bytes *out, const char *descriptor)
{
	size_t before = out->size;
	const char *at = *descriptor == '(' ? descriptor + 1 : NULL;
	struct java_type type;
	bool known = true;

	while (at && *at != ')') {
		at = java_type_next(at, &type);
		if (!at)
			break;
		if (out->size > before)
			bytes_put(out, ", ", 2);
		java_type_put(out, &type, false, "");
		known &= type.letter != 0;
	}
	if (!at)
		out->size = before;
	return at && known;
}

void java_name_dots(char *name)
{
	for (; *name; name++)
		if (*name == '/')
			*name = '.';
}

void java_name_print(const char *name, const char *descriptor, char *out, size_t size)
{
	struct bytes types;

	bytes_init(&types);
	if (java_types_put(&types, descriptor) && !types.failed)
		snprintf(out, size, "%s(%s)", name, bytes_text(&types));
	else
		snprintf(out, size, "%s%s", name, descriptor);
	bytes_release(&types);
}
