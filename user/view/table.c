// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/table.h"
#include "user/text/java_number.h"

#define PREFERRED 80
#define MAX_WIDTH 120
#define ELLIPSIS  "..."

struct cell {
	unsigned int width, preferred; /* with the space after the column */
	const char *text;
	size_t length; /* in characters */
	char compact[512];
};

struct layout {
	const struct table *table;
	const struct table_layout *wanted;
	struct cell cell[TABLE_COLUMNS];
	unsigned int width, preferred;
};

void table_init(struct table *t, const char *title, const struct table_column *columns, unsigned int count)
{
	*t = (struct table){.title = title, .columns = columns, .count = count};
}

void table_release(struct table *t)
{
	bytes_release(&t->cells);
}

void table_cell(struct table *t)
{
	bytes_put_u8(&t->cells, 0);
	t->filled++;
}

void table_put(struct table *t, const char *text)
{
	put_text(&t->cells, text);
	table_cell(t);
}

static size_t table_length_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static const char *table_skip(const char *text, size_t characters)
{
	for (; *text && characters; characters--)
		do
			text++;
		while ((*text & 0xc0) == 0x80);
	return text;
}

static void table_measure(struct layout *l, unsigned int column, const char *text)
{
	unsigned int width = table_length_of(text) + 1;

	if (width > l->cell[column].preferred)
		l->cell[column].preferred = width;
}

static void table_measure_all(struct layout *l)
{
	const char *text = (char *)l->table->cells.data;

	for (size_t i = 0; i < l->table->filled; i++, text += strlen(text) + 1)
		table_measure(l, i % l->table->count, text);
	for (unsigned int i = 0; i < l->table->count; i++)
		table_measure(l, i, l->table->columns[i].label);
}

static unsigned int choose_width(const struct layout *l)
{
	unsigned int preferred = 0;

	for (unsigned int i = 0; i < l->table->count; i++)
		preferred += l->cell[i].preferred;
	if (preferred > MAX_WIDTH)
		return MAX_WIDTH;
	if (preferred < PREFERRED / 2 && l->table->count < 3)
		return PREFERRED / 2;
	return preferred < PREFERRED ? PREFERRED : preferred;
}

typedef bool wants_more(const struct layout *l, unsigned int column);

static bool is_tiny(const struct layout *l, unsigned int column)
{
	return l->cell[column].width < 2;
}

static bool is_narrow(const struct layout *l, unsigned int column)
{
	return l->cell[column].width < l->cell[column].preferred;
}

static bool is_elastic(const struct layout *l, unsigned int column)
{
	return l->table->columns[column].left;
}

static bool is_any(const struct layout *l, unsigned int column)
{
	return true;
}

/*
 * Widen each column that wants it by one character, in turn. The last round may exceed the preferred width by one, as
 * in the JDK.
 */
static void distribute(struct layout *l, wants_more *wants)
{
	unsigned int last = UINT32_MAX;

	while (l->width < l->preferred && l->width != last) {
		last = l->width;
		for (unsigned int i = 0; i < l->table->count; i++)
			if (wants(l, i)) {
				l->cell[i].width++;
				l->width++;
			}
	}
}

static void lay_out(struct layout *l)
{
	table_measure_all(l);
	l->preferred = l->wanted->width ? l->wanted->width : choose_width(l);
	distribute(l, is_tiny);
	distribute(l, is_narrow);
	distribute(l, is_elastic);
	distribute(l, is_any);
}

/* Shorten "a.b.C.m(int, long)" to "a.b.C.m(...)". */
static const char *compact(struct cell *c, const char *text)
{
	const char *open = strchr(text, '(');
	size_t before = open ? (size_t)(open - text) : 0;

	if (!open || open[1] == ')' || before + 6 > sizeof(c->compact))
		return text;
	memcpy(c->compact, text, before);
	strcpy(c->compact + before, "(...)");
	return c->compact;
}

static void set_cell(struct layout *l, unsigned int column, const char *text)
{
	struct cell *c = &l->cell[column];

	if (l->table->columns[column].method && table_length_of(text) > (c->width - 1) * l->wanted->cell_height)
		text = compact(c, text);
	c->text = text;
	c->length = table_length_of(text);
}

/* Append the part of a long text that fits, with dots for the rest. */
static void put_cut(struct bytes *out, const struct layout *l, const struct cell *c, unsigned int size)
{
	if (size <= strlen(ELLIPSIS)) {
		bytes_put(out, ELLIPSIS, size);
	} else if (l->wanted->cut_beginning) {
		put_text(out, ELLIPSIS);
		put_text(out, table_skip(c->text, c->length - (size - strlen(ELLIPSIS))));
	} else {
		bytes_put(out, c->text, table_skip(c->text, size - strlen(ELLIPSIS)) - c->text);
		put_text(out, ELLIPSIS);
	}
}

static void put_aligned(struct bytes *out, const struct layout *l, unsigned int column)
{
	const struct cell *c = &l->cell[column];
	unsigned int pad = c->width - 1 - c->length;
	bool left = l->table->columns[column].left;

	put_spaces(out, left ? 0 : pad);
	put_text(out, c->text);
	put_spaces(out, left ? pad : 0);
}

/* Append line `line` of a text that is wrapped within its cell. */
static void table_put_part(struct bytes *out, const struct layout *l, const struct cell *c, unsigned int line)
{
	unsigned int width = c->width - 1;
	struct bytes text;
	const char *start, *end;

	bytes_init(&text);
	if (c->length > width * l->wanted->cell_height)
		put_cut(&text, l, c, width * l->wanted->cell_height);
	else
		put_text(&text, c->text);
	bytes_put_u8(&text, 0);
	if (!text.failed) {
		start = table_skip((char *)text.data, (size_t)line * width);
		end = table_skip(start, width);
		bytes_put(out, start, end - start);
		put_spaces(out, width - (*end ? width : table_length_of(start)));
	}
	bytes_release(&text);
}

static void put_line(struct bytes *out, const struct layout *l, unsigned int column, unsigned int line)
{
	const struct cell *c = &l->cell[column];

	if (c->length <= c->width - 1 && line == 0)
		put_aligned(out, l, column);
	else if (c->length <= c->width - 1)
		put_spaces(out, c->width - 1);
	else
		table_put_part(out, l, c, line);
}

/* Append the row that was set with set_cell(). */
static void table_put_row(struct bytes *out, const struct layout *l)
{
	unsigned int lines = 1;

	for (unsigned int i = 0; i < l->table->count; i++) {
		unsigned int width = l->cell[i].width - 1, own = (l->cell[i].length + width - 1) / width;

		own = own > l->wanted->cell_height ? l->wanted->cell_height : own;
		lines = own > lines ? own : lines;
	}
	for (unsigned int line = 0; line < lines; line++)
		for (unsigned int i = 0; i < l->table->count; i++) {
			put_line(out, l, i, line);
			bytes_put_u8(out, i + 1 < l->table->count ? ' ' : '\n');
		}
}

static void table_put_head(struct bytes *out, struct layout *l)
{
	size_t title = table_length_of(l->table->title);
	unsigned int i;

	bytes_put_u8(out, '\n');
	put_spaces(out, l->width > title ? (l->width - title) / 2 : 0);
	put_text(out, l->table->title);
	put_text(out, "\n\n");
	for (i = 0; i < l->table->count; i++)
		set_cell(l, i, l->table->columns[i].label);
	table_put_row(out, l);
	for (i = 0; i < l->table->count; i++) {
		for (unsigned int j = 1; j < l->cell[i].width; j++)
			bytes_put_u8(out, '-');
		bytes_put_u8(out, i + 1 < l->table->count ? ' ' : '\n');
	}
}

bool table_print(const struct table *t, const struct table_layout *wanted, struct bytes *out)
{
	struct layout l = {.table = t, .wanted = wanted};
	const char *text = (char *)t->cells.data;

	if (t->cells.failed)
		return false;
	if (wanted->json)
		return table_print_json(t, out);
	if (!t->filled) {
		put_text(out, "\nNo events found for '");
		put_text(out, t->title);
		put_text(out, "'.\n");
		return true;
	}
	lay_out(&l);
	table_put_head(out, &l);
	for (size_t i = 0; i < t->filled; i++, text += strlen(text) + 1) {
		set_cell(&l, i % t->count, text);
		if (i % t->count == t->count - 1)
			table_put_row(out, &l);
	}
	return true;
}
