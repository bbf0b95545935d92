// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/table.h"
#include "format/vec.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/name_fit.h"
#include "user/text/term.h"

#include <stdio.h>
#include <stdlib.h>

#define TEXT_LEAST 12	/* columns that a text keeps if there is too little room */
#define LEAST_MOST 1000 /* columns: one long name would make every row as long */
#define ELLIPSIS   "..."

struct cell {
	unsigned int natural, least; /* width without the space after the column; 0: the column is dropped */
	unsigned int width;
	const char *text;
	size_t length;		/* in characters */
	struct bytes shortened; /* the shortened name, or the escaped text */
};

struct layout {
	const struct table *table;
	const struct table_layout *wanted;
	struct cell *cell;
	unsigned int last; /* last column that is not dropped */
	unsigned int width;
	const char **overload; /* sorted names of methods that need their parameters to be told apart */
	size_t overloads;
};

void table_init(struct table *t, const char *title, const struct table_column *columns, unsigned int count)
{
	*t = (struct table){.title = title, .columns = columns, .count = count};
}

void table_release(struct table *t)
{
	bytes_release(&t->cells);
	free(t->number);
	t->number = NULL;
}

/* A name may have a NUL, which would end the cell: it becomes U+FFFD. */
static void table_clean(struct table *t)
{
	size_t size = t->cells.failed ? 0 : t->cells.size - t->complete;
	const unsigned char *text = t->cells.data + t->complete;
	struct bytes copy;

	if (!size || !memchr(text, 0, size))
		return;
	bytes_init(&copy);
	for (size_t i = 0; i < size; i++)
		bytes_put(&copy, text[i] ? (const char *)text + i : "\xef\xbf\xbd", text[i] ? 1 : 3);
	t->cells.size = t->complete;
	bytes_put(&t->cells, copy.data, copy.size);
	t->cells.failed |= copy.failed;
	bytes_release(&copy);
}

static void table_add(struct table *t, int64_t number)
{
	table_clean(t);
	bytes_put_u8(&t->cells, 0);
	t->complete = t->cells.size;
	if (vec_reserve(&t->number, &t->capacity, t->filled + 1)) {
		t->cells.failed = true;
		return;
	}
	t->number[t->filled++] = number;
}

void table_cell(struct table *t)
{
	table_add(t, TABLE_UNKNOWN);
}

void table_put(struct table *t, const char *text)
{
	put_text(&t->cells, text);
	table_cell(t);
}

void table_put_count(struct table *t, int64_t n)
{
	put_text(&t->cells, n == TABLE_UNKNOWN ? "N/A" : log_count(n));
	table_add(t, n);
}

void table_put_time(struct table *t, int64_t ns)
{
	put_text(&t->cells, ns == TABLE_UNKNOWN ? "N/A" : log_time(ns > 0 ? ns : 0));
	table_add(t, ns);
}

void table_put_amount(struct table *t, int64_t bytes)
{
	put_text(&t->cells, bytes == TABLE_UNKNOWN ? "N/A" : log_amount(bytes > 0 ? bytes : 0));
	table_add(t, bytes);
}

void table_put_share(struct table *t, int64_t ns, int64_t all)
{
	char text[32] = "N/A";

	if (ns != TABLE_UNKNOWN && all > 0)
		snprintf(text, sizeof(text), "%.0f %%", 100.0 * ns / all);
	put_text(&t->cells, text);
	table_add(t, ns);
}

/* For each row, where its cells begin; NULL: no memory. */
static size_t *row_begins(const struct table *t)
{
	const char *text = (char *)t->cells.data;
	size_t *begin = calloc(t->filled / t->count + 1, sizeof(*begin));

	for (size_t i = 0; begin && i < t->filled; i++, text += strlen(text) + 1)
		if (i % t->count == t->count - 1)
			begin[i / t->count + 1] = text + strlen(text) + 1 - (char *)t->cells.data;
	return begin;
}

bool table_order(struct table *t, const size_t *row, size_t rows)
{
	struct table ordered = {.title = t->title, .columns = t->columns, .count = t->count, .more = t->more};

	ordered.drops_alike = t->drops_alike;
	size_t *begin = t->count ? row_begins(t) : NULL;

	if (!t->filled || t->cells.failed || !begin ||
	    vec_reserve(&ordered.number, &ordered.capacity, rows * t->count + 1)) {
		free(begin);
		return !t->filled && !t->cells.failed;
	}
	for (size_t i = 0; i < rows; i++) {
		bytes_put(&ordered.cells, t->cells.data + begin[row[i]], begin[row[i] + 1] - begin[row[i]]);
		memcpy(&ordered.number[ordered.filled], &t->number[row[i] * t->count], t->count * sizeof(*t->number));
		ordered.filled += t->count;
	}
	ordered.complete = ordered.cells.size;
	free(begin);
	table_release(t);
	*t = ordered;
	return !t->cells.failed;
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

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of the sorted names, keep those that are overloads of a neighbour. */
static void keep_overloads(struct layout *l, size_t count)
{
	const char *before = "", **name = l->overload;
	bool kept = false;

	for (size_t i = 0; i < count; i++) {
		const char *text = name[i];

		if (strcmp(before, text) == 0)
			continue;
		if (name_is_overload(before, text)) {
			if (!kept)
				name[l->overloads++] = before;
			name[l->overloads++] = text;
			kept = true;
		} else {
			kept = false;
		}
		before = text;
	}
}

/* False: no memory. */
static bool find_overloads(struct layout *l)
{
	const struct table *t = l->table;
	const char *text = (char *)t->cells.data;
	size_t n = 0;

	l->overload = calloc(t->filled + 1, sizeof(*l->overload));
	for (size_t i = 0; l->overload && i < t->filled; i++, text += strlen(text) + 1)
		if (t->columns[i % t->count].kind == TABLE_METHOD)
			l->overload[n++] = text;
	if (!l->overload)
		return false;
	qsort(l->overload, n, sizeof(*l->overload), compare_texts);
	keep_overloads(l, n);
	return true;
}

static bool is_overloaded(const struct layout *l, const char *name)
{
	return bsearch(&name, l->overload, l->overloads, sizeof(*l->overload), compare_texts) != NULL;
}

static unsigned int table_columns_of(const struct table *t, enum table_kind kind)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->count; i++)
		n += t->columns[i].kind == kind;
	return n;
}

/* The parameters of overloads take columns from others, but names do not get more than five eighths of the table. */
static unsigned int table_name_least(const struct layout *l, const char *name)
{
	size_t least = name_essential(name, false), whole, most;

	if (!is_overloaded(l, name))
		return least;
	whole = name_essential(name, true);
	most = l->wanted->width * 5 / 8 / table_columns_of(l->table, TABLE_METHOD);
	most = most > least ? most : least;
	return whole < most ? whole : most;
}

/* Values get half of the table before other columns are shown. */
static unsigned int table_value_least(const struct layout *l)
{
	unsigned int most = l->wanted->width / 2 / table_columns_of(l->table, TABLE_VALUE);

	return most > TEXT_LEAST ? most : TEXT_LEAST;
}

static void table_measure(struct layout *l, unsigned int column, const char *text)
{
	enum table_kind kind = l->table->columns[column].kind;
	struct cell *c = &l->cell[column];
	unsigned int length = table_length_of(text), least = length;

	if (!l->table->columns[column].label)
		return;
	if (kind == TABLE_METHOD)
		least = table_name_least(l, text);
	else if (kind == TABLE_TEXT && length > TEXT_LEAST)
		least = TEXT_LEAST;
	else if (kind == TABLE_VALUE && length > table_value_least(l))
		least = table_value_least(l);
	least = least < LEAST_MOST ? least : LEAST_MOST;
	c->natural = length > c->natural ? length : c->natural;
	c->least = least > c->least ? least : c->least;
}

static void table_measure_all(struct layout *l)
{
	const char *text = (char *)l->table->cells.data;

	for (size_t i = 0; i < l->table->filled; i++, text += strlen(text) + 1)
		table_measure(l, i % l->table->count, text);
	for (unsigned int i = 0; i < l->table->count; i++)
		table_measure(l, i, l->table->columns[i].label ?: "");
}

/* The width of all columns with a space after each, if each gets its least width. */
static unsigned int table_least(const struct layout *l)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < l->table->count; i++)
		sum += l->cell[i].natural ? l->cell[i].least + 1 : 0;
	return sum;
}

/* Drop the column with the highest rank. False: none is left. */
static bool drop_column(struct layout *l)
{
	unsigned int found = 0;

	for (unsigned int i = 1; i < l->table->count; i++)
		if (l->cell[i].natural && l->table->columns[i].rank > l->table->columns[found].rank)
			found = i;
	if (!l->cell[found].natural || !l->table->columns[found].rank)
		return false;
	l->cell[found] = (struct cell){0};
	return true;
}

/* Drop columns of a table with several rows that say nothing, the highest rank first, until all the rest fits. */
static void table_drop_alike(struct layout *l)
{
	const struct table *t = l->table;
	const char **first = calloc(t->count, sizeof(*first)), *text = (char *)t->cells.data;
	unsigned int natural = 0, found;

	for (size_t i = 0; first && i < t->filled; i++, text += strlen(text) + 1) {
		const char **of = &first[i % t->count];

		if (i < t->count)
			*of = t->columns[i].rank ? text : NULL;
		else if (*of && strcmp(*of, text) != 0)
			*of = NULL;
	}
	for (unsigned int i = 0; i < t->count; i++)
		natural += l->cell[i].natural ? l->cell[i].natural + 1 : 0;
	while (first && t->filled > t->count && natural > l->wanted->width + 1) {
		found = t->count;
		for (unsigned int i = 0; i < t->count; i++)
			if (first[i] && l->cell[i].natural &&
			    (found == t->count || t->columns[i].rank > t->columns[found].rank))
				found = i;
		if (found == t->count)
			break;
		natural -= l->cell[found].natural + 1;
		l->cell[found] = (struct cell){0};
	}
	free(first);
}

/* Give the room that is left to columns that want more, one character each in turn. */
static void table_grow(struct layout *l, bool values)
{
	for (bool grown = true; grown && l->width < l->wanted->width;) {
		grown = false;
		for (unsigned int i = 0; i < l->table->count && l->width < l->wanted->width; i++) {
			if ((values && l->table->columns[i].kind != TABLE_VALUE) ||
			    l->cell[i].width >= l->cell[i].natural)
				continue;
			l->cell[i].width++;
			l->width++;
			grown = true;
		}
	}
}

/* Columns are dropped until class and method of each row fit. What is left goes to the texts that want more. */
static void lay_out(struct layout *l)
{
	table_measure_all(l);
	if (l->table->drops_alike)
		table_drop_alike(l);
	while (table_least(l) > l->wanted->width + 1 && drop_column(l))
		;
	for (unsigned int i = 0; i < l->table->count; i++) {
		l->cell[i].width = l->cell[i].least;
		l->last = l->cell[i].natural ? i : l->last;
	}
	l->width = table_least(l) - 1;
	table_grow(l, true);
	table_grow(l, false);
}

/* The name in its shortened form, in c->shortened. */
static const char *shorten(struct layout *l, struct cell *c, const char *text)
{
	bytes_clear(&c->shortened);
	name_fit(&c->shortened, text, (size_t)c->width * l->wanted->cell_height, is_overloaded(l, text));
	bytes_put_u8(&c->shortened, 0);
	return c->shortened.failed ? text : (char *)c->shortened.data;
}

/* The text without line ends, in c->shortened: a row is a line. */
static const char *table_shown(struct cell *c, const char *text)
{
	bytes_clear(&c->shortened);
	text_show_name(&c->shortened, text, strlen(text));
	bytes_put_u8(&c->shortened, 0);
	return c->shortened.failed ? "" : (char *)c->shortened.data;
}

static void set_cell(struct layout *l, unsigned int column, const char *text)
{
	struct cell *c = &l->cell[column];

	if (l->table->columns[column].kind == TABLE_METHOD && c->width)
		text = shorten(l, c, text);
	else
		text = table_shown(c, text);
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
	unsigned int pad = c->width - c->length;
	bool left = l->table->columns[column].kind != TABLE_NUMBER;

	put_spaces(out, left ? 0 : pad);
	put_text(out, c->text);
	put_spaces(out, left ? pad : 0);
}

/* Append line `line` of a text that is wrapped within its cell. */
static void table_put_part(struct bytes *out, const struct layout *l, const struct cell *c, unsigned int line)
{
	unsigned int width = c->width;
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

	if (c->length <= c->width && line == 0)
		put_aligned(out, l, column);
	else if (c->length <= c->width)
		put_spaces(out, c->width);
	else
		table_put_part(out, l, c, line);
}

/* Append the row that was set with set_cell(). */
static void table_put_row(struct bytes *out, const struct layout *l)
{
	unsigned int lines = 1;

	for (unsigned int i = 0; i < l->table->count; i++) {
		unsigned int width = l->cell[i].width, own = width ? (l->cell[i].length + width - 1) / width : 0;

		own = own > l->wanted->cell_height ? l->wanted->cell_height : own;
		lines = own > lines ? own : lines;
	}
	for (unsigned int line = 0; line < lines; line++)
		for (unsigned int i = 0; i <= l->last; i++) {
			if (!l->cell[i].width)
				continue;
			put_line(out, l, i, line);
			bytes_put_u8(out, i < l->last ? ' ' : '\n');
		}
}

static void table_put_head(struct bytes *out, struct layout *l)
{
	size_t title = table_length_of(l->table->title);
	unsigned int i;

	bytes_put_u8(out, '\n');
	put_spaces(out, l->width > title ? (l->width - title) / 2 : 0);
	text_show_name(out, l->table->title, strlen(l->table->title));
	put_text(out, "\n\n");
	for (i = 0; i < l->table->count; i++)
		set_cell(l, i, l->table->columns[i].label ?: "");
	table_put_row(out, l);
	for (i = 0; i <= l->last; i++) {
		if (!l->cell[i].width)
			continue;
		for (unsigned int j = 0; j < l->cell[i].width; j++)
			bytes_put_u8(out, '-');
		bytes_put_u8(out, i < l->last ? ' ' : '\n');
	}
}

static void table_put_rows(struct bytes *out, struct layout *l)
{
	const struct table *t = l->table;
	const char *text = (char *)t->cells.data;

	for (size_t i = 0; i < t->filled; i++, text += strlen(text) + 1) {
		set_cell(l, i % t->count, text);
		if (i % t->count == t->count - 1)
			table_put_row(out, l);
	}
	if (t->more) {
		put_text(out, "and ");
		put_text(out, log_count(t->more));
		put_text(out, " more\n");
	}
}

bool table_print(const struct table *t, const struct table_layout *wanted, struct bytes *out)
{
	struct layout l = {.table = t, .wanted = wanted};
	bool good;

	if (t->cells.failed)
		return false;
	if (wanted->json)
		return table_print_json(t, out);
	if (wanted->html)
		return table_print_html(t, out);
	if (!t->filled) {
		put_text(out, "\nNo events found for '");
		put_text(out, t->title);
		put_text(out, "'.\n");
		return true;
	}
	l.cell = calloc(t->count, sizeof(*l.cell));
	good = l.cell && find_overloads(&l);
	if (good) {
		lay_out(&l);
		table_put_head(out, &l);
		table_put_rows(out, &l);
	}
	for (unsigned int i = 0; l.cell && i < t->count; i++)
		bytes_release(&l.cell[i].shortened);
	free(l.cell);
	free(l.overload);
	return good;
}
