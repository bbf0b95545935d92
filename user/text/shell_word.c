// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/shell_word.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool word_is_plain(const char *path)
{
	for (const char *s = path; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("_./,:@%+-=", *s) && !(*s & 0x80))
			return false;
	return *path;
}

static bool has_control(const char *path)
{
	for (const char *s = path; *s; s++)
		if (iscntrl((unsigned char)*s))
			return true;
	return false;
}

/* Write one character between quotes: '...' or, with `control`, $'...' (POSIX.1-2024, 2.2.4; bash and zsh). */
static int shell_put_quoted(char *out, size_t size, char c, bool control)
{
	if (control && iscntrl((unsigned char)c))
		return snprintf(out, size, "\\%03o", (unsigned char)c);
	if (control && (c == '\'' || c == '\\'))
		return snprintf(out, size, "\\%c", c);
	return c == '\'' ? snprintf(out, size, "'\\''") : snprintf(out, size, "%c", c);
}

void shell_word_write(char *out, size_t size, const char *path)
{
	const char *before = path[0] == '-' ? "./" : "";
	bool control = has_control(path);
	size_t length;

	if (word_is_plain(path)) {
		snprintf(out, size, "%s%s", before, path);
		return;
	}
	length = snprintf(out, size, "%s'%s", control ? "$" : "", before);
	for (; *path && length + SHELL_WORD_EXTRA < size; path++)
		length += shell_put_quoted(out + length, size - length, *path, control);
	snprintf(out + length, size - length, "'");
}
