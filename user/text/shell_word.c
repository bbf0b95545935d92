// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/shell_word.h"

#include <ctype.h>
#include <stdbool.h>
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

/* Append one character between quotes: '...' or, with `control`, $'...' (POSIX.1-2024, 2.2.4; bash and zsh). */
static void shell_put_quoted(struct bytes *out, char c, bool control)
{
	if (control && iscntrl((unsigned char)c))
		bytes_printf(out, "\\%03o", (unsigned char)c);
	else if (control && (c == '\'' || c == '\\'))
		bytes_printf(out, "\\%c", c);
	else if (c == '\'')
		bytes_printf(out, "'\\''");
	else
		bytes_put_u8(out, c);
}

void put_shell_word(struct bytes *out, const char *path)
{
	const char *before = path[0] == '-' ? "./" : "";
	bool control = has_control(path);

	if (word_is_plain(path)) {
		bytes_printf(out, "%s%s", before, path);
		return;
	}
	bytes_printf(out, "%s'%s", control ? "$" : "", before);
	for (; *path; path++)
		shell_put_quoted(out, *path, control);
	bytes_put_u8(out, '\'');
}
