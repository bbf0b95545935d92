// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/jni_name.h"
#include "format/bytes.h"

#include <stdint.h>
#include <string.h>

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

static void name_mangle(struct bytes *n, const char *text, size_t length)
{
	uint16_t unit;

	for (size_t i = 0; i < length && n->size < JNI_NAME;) {
		i += decode_unit((const unsigned char *)text + i, length - i, &unit);
		if ((unit >= 'a' && unit <= 'z') || (unit >= 'A' && unit <= 'Z') || (unit >= '0' && unit <= '9'))
			bytes_put_u8(n, unit);
		else if (unit == '/')
			bytes_printf(n, "_");
		else if (unit == '_')
			bytes_printf(n, "_1");
		else if (unit == ';')
			bytes_printf(n, "_2");
		else if (unit == '[')
			bytes_printf(n, "_3");
		else
			bytes_printf(n, "_0%04x", unit);
	}
}

bool jni_name(char out[JNI_NAME], const char *prefix, const char *class_name, const char *method,
	      const char *descriptor, bool long_name)
{
	const char *end = strchr(descriptor, ')');
	struct bytes n = {.size = 0};
	bool fits;

	if (descriptor[0] != '(' || !end)
		return false;
	bytes_printf(&n, "%s", prefix ? prefix : "Java_");
	name_mangle(&n, class_name, strlen(class_name));
	bytes_printf(&n, "_");
	name_mangle(&n, method, strlen(method));
	if (long_name) {
		bytes_printf(&n, "__");
		name_mangle(&n, descriptor + 1, end - descriptor - 1);
	}
	fits = !n.failed && n.size < JNI_NAME;
	if (fits)
		memcpy(out, bytes_text(&n), n.size + 1);
	bytes_release(&n);
	return fits;
}
