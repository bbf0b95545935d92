// SPDX-License-Identifier: BSD-2-Clause
#include "filters/caret.h"
#include "filters/lex.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS 72 /* maximum characters of the text that are shown */

static size_t character_length(const char *text, size_t at, size_t length)
{
	size_t n = 1;

	if (lex_utf8(text + at, 1) == 1)
		return 1;
	while (n < 4 && at + n <= length && lex_utf8(text + at, n) != n)
		n++;
	return at + n <= length && lex_utf8(text + at, n) == n ? n : 1;
}

/* Write a character or its substitute; returns its length in `text`. */
static size_t caret_show_character(const char *text, size_t at, size_t length, FILE *out)
{
	size_t n = character_length(text, at, length);
	unsigned char c = (unsigned char)text[at];
	/* U+0080 to U+009F are control characters, too */
	int control = c < 0x20 || c == 0x7f || (n == 1 && c >= 0x80) ||
		      (n == 2 && c == 0xc2 && (unsigned char)text[at + 1] < 0xa0);

	if (lex_space(text, at, length))
		fputc(' ', out);
	else if (control)
		fputc('?', out);
	else
		fwrite(text + at, 1, n, out);
	return n;
}

static size_t columns_to(const char *text, size_t length, size_t at)
{
	size_t columns = 0;

	for (size_t i = 0; i < at; i += character_length(text, i, length))
		columns++;
	return columns;
}

static size_t skip_columns(const char *text, size_t length, size_t columns)
{
	size_t i = 0;

	while (columns-- && i < length)
		i += character_length(text, i, length);
	return i;
}

void caret_show(const char *text, size_t length, size_t at, char *out, size_t size)
{
	size_t fault = columns_to(text, length, at), total = columns_to(text, length, length);
	size_t first = total > COLUMNS && fault > COLUMNS / 2 ? fault - COLUMNS / 2 : 0;
	size_t i = skip_columns(text, length, first), shown;
	FILE *f = fmemopen(out, size, "w");

	if (!f) {
		out[0] = 0;
		return;
	}
	fputs(first ? "  ..." : "  ", f);
	for (shown = 0; shown < COLUMNS && i < length; shown++)
		i += caret_show_character(text, i, length, f);
	fprintf(f, "%s\n%*s^", i < length ? "..." : "", (int)(fault - first + (first ? 5 : 2)), "");
	fclose(f);
	out[size - 1] = 0;
}
