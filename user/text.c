// SPDX-License-Identifier: BSD-2-Clause
#include "user/text.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The character at `at`, which is UTF-8, and its length. */
static unsigned int character(const unsigned char *at, size_t *length)
{
	unsigned int c = *at;

	*length = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (*length > 1)
		c &= 0xff >> (*length + 1);
	for (size_t i = 1; i < *length; i++)
		c = c << 6 | (at[i] & 0x3f);
	return c;
}

static bool is_obeyed(unsigned int c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

void text_print(FILE *to, const char *text)
{
	size_t size = strlen(text), length, n;
	unsigned char *utf8 = malloc(3 * size + 1);

	length = utf8 ? utf8_from_java((char *)utf8, text, size) : 0;
	for (size_t i = 0; i < length; i += n) {
		unsigned int c = character(utf8 + i, &n);

		if (is_obeyed(c))
			fprintf(to, "\\u%04x", c);
		else
			fwrite(utf8 + i, 1, n, to);
	}
	free(utf8);
}
