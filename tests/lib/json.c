// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/json.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TEXT 512

/* The end of the value, or of the key with its colon, at p. */
static const char *json_skip(const char *p)
{
	int depth = 0;

	do {
		if (*p == '"')
			for (p++; *p && *p != '"'; p++)
				p += *p == '\\' && p[1];
		depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
		p += !!*p;
	} while (*p && (depth > 0 || !strchr(":,}] \n\r", *p)));
	return p;
}

const char *json_at(const char *p, const char *path)
{
	size_t length = strcspn(path, ".");

	for (p++; *p && *p != '}';) {
		bool found;

		p += strspn(p, ", \n\r");
		found = *p == '"' && !strncmp(p + 1, path, length) && p[1 + length] == '"';
		p = json_skip(p);
		p += strspn(p, ": ");
		if (found)
			return path[length] ? json_at(p, path + length + 1) : p;
		p = json_skip(p);
		p += strspn(p, " \n\r");
	}
	return NULL;
}

static size_t utf8_put(char *out, unsigned int code)
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t i, n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (i = n; i-- > 1; code >>= 6)
		out[i] = 0x80 | (code & 0x3f);
	out[0] = lead[n] | code;
	return n;
}

static const char *json_element(const char *p)
{
	p += strspn(p, ", \n\r");
	return *p && *p != ']' ? p : NULL;
}

const char *json_first(const char *p)
{
	return p && *p == '[' ? json_element(p + 1) : NULL;
}

const char *json_next(const char *p)
{
	return json_element(json_skip(p));
}

/* A number, true, false, null. */
static const char *json_word(char *out, const char *p)
{
	snprintf(out, TEXT, "%.*s", (int)strcspn(p, ",}] \n\r"), p);
	return out;
}

const char *json_text(const char *p, const char *path)
{
	static char out[TEXT];
	size_t n = 0;
	unsigned int code, low;

	p = json_at(p, path);
	if (!p || *p != '"')
		return p ? json_word(out, p) : "(missing)";
	for (p++; *p && *p != '"' && n < sizeof(out) - 8; p++) {
		if (*p != '\\') {
			out[n++] = *p;
		} else if (*++p == 'u') {
			sscanf(p + 1, "%4x", &code);
			p += 4;
			if (code >= 0xd800 && code < 0xdc00 && sscanf(p + 1, "\\u%4x", &low) == 1) {
				code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
				p += 6;
			}
			n += utf8_put(out + n, code);
		} else {
			out[n++] = *p;
		}
	}
	out[n] = 0;
	return out;
}
