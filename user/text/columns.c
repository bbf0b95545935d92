// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/columns.h"
#include "user/text/term.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define MARK "\xe2\x80\xa6"

/* A text in its printed form, in UTF-8. */
struct printed {
	char *text;
	size_t size;
	unsigned int width;
};

/* The character at `at`, and its length in bytes; the text is valid. */
static uint32_t columns_character(const char *at, unsigned int *bytes)
{
	const unsigned char *p = (const unsigned char *)at;
	uint32_t c = *p;

	*bytes = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (*bytes > 1)
		c &= 0xff >> (*bytes + 1);
	for (unsigned int i = 1; i < *bytes; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

struct range {
	uint32_t first, last;
};

static bool is_in(uint32_t c, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/*
 * Number of columns: East Asian wide and full width, emoji and combining marks, as the large blocks of Unicode's
 * EastAsianWidth.txt.
 */
static unsigned int columns_of(uint32_t c)
{
	static const struct range wide[] = {{0x1100, 0x115f},	{0x2e80, 0xa4cf},  {0xac00, 0xd7a3}, {0xf900, 0xfaff},
					    {0xfe30, 0xfe6f},	{0xff00, 0xff60},  {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
					    {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
	static const struct range none[] = {{0x0300, 0x036f}, {0x200b, 0x200d}, {0xfe00, 0xfe0f}};

	if (c < 0x300)
		return 1;
	if (is_in(c, none, sizeof(none) / sizeof(none[0])))
		return 0;
	return is_in(c, wide, sizeof(wide) / sizeof(wide[0])) ? 2 : 1;
}

/* The end of the first `width` columns, or one less if a wide character does not fit. */
static size_t behind(const struct printed *p, unsigned int width)
{
	unsigned int used = 0, bytes;
	size_t at;

	for (at = 0; at < p->size; at += bytes) {
		used += columns_of(columns_character(p->text + at, &bytes));
		if (used > width)
			break;
	}
	return at;
}

static void columns_measure(struct printed *p)
{
	unsigned int bytes;

	for (size_t at = 0; at < p->size; at += bytes)
		p->width += columns_of(columns_character(p->text + at, &bytes));
}

/* Returns false without memory. */
static bool columns_print(struct printed *p, const char *text)
{
	FILE *to;

	*p = (struct printed){0};
	to = open_memstream(&p->text, &p->size);
	if (!to)
		return false;
	term_print(to, text);
	if (fclose(to))
		p->size = 0;
	columns_measure(p);
	return true;
}

void columns_put(FILE *to, const char *text, unsigned int width)
{
	struct printed p;

	if (!columns_print(&p, text))
		return;
	if (width == COLUMNS_ALL || p.width <= width) {
		fwrite(p.text, 1, p.size, to);
	} else {
		fwrite(p.text, 1, behind(&p, width - 1), to);
		fputs(MARK, to);
	}
	free(p.text);
}

void columns_put_end(FILE *to, const char *text, unsigned int width)
{
	unsigned int left, bytes;
	struct printed p;
	size_t from = 0;

	if (!columns_print(&p, text))
		return;
	if (width != COLUMNS_ALL && p.width > width) {
		fputs(MARK, to);
		for (left = p.width; left >= width; from += bytes)
			left -= columns_of(columns_character(p.text + from, &bytes));
	}
	fwrite(p.text + from, 1, p.size - from, to);
	free(p.text);
}
