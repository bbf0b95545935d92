// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/jni_name.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct name {
	char *out;
	size_t length;
	bool full;
};

static __attribute__((format(printf, 2, 3))) void name_print(struct name *n, const char *format, ...)
{
	size_t room = JNI_NAME - n->length;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(n->out + n->length, room, format, args);
	va_end(args);
	n->full |= length < 0 || (size_t)length >= room;
	if (!n->full)
		n->length += length;
}

/* Decode one UTF-16 unit of modified UTF-8. Returns its bytes. */
static size_t decode_unit(const unsigned char *s, size_t left, uint16_t *unit)
{
	if (s[0] >= 0xe0 && left > 2) {
		*unit = (s[0] & 15) << 12 | (s[1] & 63) << 6 | (s[2] & 63);
		return 3;
	}
	if (s[0] >= 0xc0 && left > 1) {
		*unit = (s[0] & 31) << 6 | (s[1] & 63);
		return 2;
	}
	*unit = s[0];
	return 1;
}

static void name_mangle(struct name *n, const char *text, size_t length)
{
	uint16_t unit;

	for (size_t i = 0; i < length && !n->full;
	     i += decode_unit((const unsigned char *)text + i, length - i, &unit)) {
		decode_unit((const unsigned char *)text + i, length - i, &unit);
		if ((unit >= 'a' && unit <= 'z') || (unit >= 'A' && unit <= 'Z') || (unit >= '0' && unit <= '9'))
			name_print(n, "%c", unit);
		else if (unit == '/')
			name_print(n, "_");
		else if (unit == '_')
			name_print(n, "_1");
		else if (unit == ';')
			name_print(n, "_2");
		else if (unit == '[')
			name_print(n, "_3");
		else
			name_print(n, "_0%04x", unit);
	}
}

bool jni_name(char out[JNI_NAME], const char *prefix, const char *class_name, const char *method,
	      const char *descriptor, bool long_name)
{
	const char *end = strchr(descriptor, ')');
	struct name n = {.out = out};

	if (descriptor[0] != '(' || !end)
		return false;
	name_print(&n, "%s", prefix ? prefix : "Java_");
	name_mangle(&n, class_name, strlen(class_name));
	name_print(&n, "_");
	name_mangle(&n, method, strlen(method));
	if (long_name) {
		name_print(&n, "__");
		name_mangle(&n, descriptor + 1, end - descriptor - 1);
	}
	return !n.full;
}
