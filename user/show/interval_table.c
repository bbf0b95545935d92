// SPDX-License-Identifier: BSD-2-Clause
#include "user/show/interval_table.h"
#include "user/text/log.h"
#include "user/segment/segment_names.h"
#include "user/text/columns.h"
#include "user/text/java_number.h"
#include "user/text/name_fit.h"
#include "user/text/wall_time.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAME_TEXT   2048
#define CELL_TEXT   32
#define AROUND	    4  /* lines besides the rows: summary, titles, rows not shown, cursor */
#define HINT_HEIGHT 11 /* smaller terminals do not show the keys */
#define BOLD	    "\033[1m"
#define RED	    "\033[31m"
#define PLAIN	    "\033[m"
#define NAME_COLUMN 20 /* minimum width of names while there are columns to drop */

static const char *const titles[INTERVAL_COLUMNS] = {"calls", "errors", "avg",	   "p50",	 "p99",
						     "max",   "total",	"outer",   "self",	 "alloc",
						     "cpu",   "runq",	"blocked", "worst wait", "open"};

/* Widths of columns; 0: dropped. */
struct layout {
	unsigned int width[INTERVAL_COLUMNS];
	unsigned int name; /* COLUMNS_ALL: unlimited */
	char (*names)[NAME_TEXT];
	uint32_t first, rows;
	enum interval_column order;
	bool marked, colours;
};

static void cell_time(const struct interval_row *r, bool known, uint64_t ns, char *out)
{
	snprintf(out, CELL_TEXT, "%s", r->calls && known ? log_time(ns) : "-");
}

static void cell_bytes(const struct interval_row *r, uint64_t bytes, char *out)
{
	snprintf(out, CELL_TEXT, "%s", r->calls && bytes != INTERVAL_UNKNOWN ? log_amount(bytes) : "-");
}

static void cell_share(const struct interval_row *r, uint64_t part, char *out)
{
	snprintf(out, CELL_TEXT, r->split.duration ? "%.0f %%" : "-", 100.0 * part / r->split.duration);
}

static void cell(const struct interval_row *r, enum interval_column c, char out[CELL_TEXT])
{
	switch (c) {
	case INTERVAL_CALLS: snprintf(out, CELL_TEXT, "%s", log_count(r->calls)); break;
	case INTERVAL_ERRORS: snprintf(out, CELL_TEXT, "%s", log_count(r->thrown)); break;
	case INTERVAL_AVERAGE: cell_time(r, true, r->average, out); break;
	case INTERVAL_P50: cell_time(r, r->bucketed, r->p50, out); break;
	case INTERVAL_P99: cell_time(r, r->bucketed, r->p99, out); break;
	case INTERVAL_MAXIMUM: cell_time(r, true, r->maximum, out); break;
	case INTERVAL_TOTAL: cell_time(r, true, r->total, out); break;
	case INTERVAL_OUTERMOST: cell_time(r, r->outermost != INTERVAL_UNKNOWN, r->outermost, out); break;
	case INTERVAL_SELF: cell_time(r, r->self != INTERVAL_UNKNOWN, r->self, out); break;
	case INTERVAL_ALLOCATED: cell_bytes(r, r->allocated, out); break;
	case INTERVAL_CPU: cell_share(r, breakdown_sum_cpu(&r->split), out); break;
	case INTERVAL_RUN_QUEUE: cell_share(r, r->split.run_queue, out); break;
	case INTERVAL_BLOCKED: cell_share(r, r->split.blocked, out); break;
	case INTERVAL_WORST: snprintf(out, CELL_TEXT, "%s", r->split.worst ? log_time(r->split.worst) : "-"); break;
	case INTERVAL_OPEN: snprintf(out, CELL_TEXT, "%s", log_count(r->open)); break;
	case INTERVAL_COLUMNS: break;
	}
}

static void interval_table_measure(struct layout *l, const struct interval *i)
{
	char text[CELL_TEXT];

	for (enum interval_column c = 0; c < INTERVAL_COLUMNS; c++)
		l->width[c] = interval_has_column(i, c) ? strlen(titles[c]) : 0;
	for (uint32_t n = 0; n < l->rows; n++)
		for (enum interval_column c = 0; c < INTERVAL_COLUMNS; c++) {
			cell(&i->row[l->first + n], c, text);
			if (l->width[c] && strlen(text) > l->width[c])
				l->width[c] = strlen(text);
		}
}

static unsigned int interval_table_taken(const struct layout *l)
{
	unsigned int sum = 0;

	for (enum interval_column c = 0; c < INTERVAL_COLUMNS; c++)
		sum += l->width[c] ? l->width[c] + 2 : 0;
	return sum;
}

/* True if another row has an overload of the method. */
static bool row_is_overloaded(const struct layout *l, uint32_t n)
{
	for (uint32_t k = 0; k < l->rows; k++)
		if (name_is_overload(l->names[n], l->names[k]))
			return true;
	return false;
}

/*
 * The width that names need at least: class and method of each row, and the parameters of overloads. One long name does
 * not take the columns of all rows: it gets five eighths of the screen.
 */
static unsigned int name_needed(const struct layout *l, unsigned int width)
{
	size_t needed = NAME_COLUMN;

	for (uint32_t n = 0; n < l->rows; n++) {
		size_t essential = name_essential(l->names[n], row_is_overloaded(l, n));

		needed = essential > needed ? essential : needed;
	}
	if (needed > width * 5 / 8)
		needed = width * 5 / 8;
	return needed > NAME_COLUMN ? needed : NAME_COLUMN;
}

/*
 * Drop columns, the least important first, until a row fits. `calls`, `total`, and the one by which rows are sorted,
 * stay.
 */
static void fit(struct layout *l, unsigned int width)
{
	static const enum interval_column dispensable[] = {
		INTERVAL_OPEN,	  INTERVAL_RUN_QUEUE, INTERVAL_WORST,	 INTERVAL_ERRORS, INTERVAL_P50,
		INTERVAL_MAXIMUM, INTERVAL_OUTERMOST, INTERVAL_AVERAGE,	 INTERVAL_P99,	  INTERVAL_CPU,
		INTERVAL_SELF,	  INTERVAL_BLOCKED,   INTERVAL_ALLOCATED};
	unsigned int needed;
	size_t next = 0;

	l->name = COLUMNS_ALL;
	if (!width)
		return;
	needed = name_needed(l, width);
	for (; interval_table_taken(l) + needed > width && next < sizeof(dispensable) / sizeof(dispensable[0]); next++)
		if (dispensable[next] != l->order)
			l->width[dispensable[next]] = 0;
	l->name = width > interval_table_taken(l) ? width - interval_table_taken(l) : 1;
}

/* Right-aligned, as the numbers below it; in capital letters if the rows are sorted by it. */
static void print_title(FILE *to, const struct layout *l, enum interval_column c)
{
	bool here = l->marked && c == l->order;

	fprintf(to, "%*s%s", (int)(l->width[c] - strlen(titles[c])), "", here && l->colours ? BOLD : "");
	for (const char *letter = titles[c]; *letter; letter++)
		putc(here ? toupper((unsigned char)*letter) : *letter, to);
	fprintf(to, "%s  ", here && l->colours ? PLAIN : "");
}

static void print_titles(FILE *to, const struct layout *l)
{
	for (enum interval_column c = 0; c < INTERVAL_COLUMNS; c++)
		if (l->width[c])
			print_title(to, l, c);
	columns_put(to, "method", l->name);
	putc('\n', to);
}

/*
 * True if `other` is the same method of the same class in another loader. Equal strings of the segment have the same
 * number.
 */
static bool is_twin(const struct segment *s, const struct frt_method *m, uint32_t other)
{
	const struct frt_method *o = segment_method(s, other);
	const struct frt_class *a = segment_class(s, m->class_id), *b = o ? segment_class(s, o->class_id) : NULL;

	return a && b && m->class_id != o->class_id && m->name == o->name && m->descriptor == o->descriptor &&
	       a->name == b->name;
}

static void row_name(const struct interval *i, uint32_t n, const struct segment *s, char name[NAME_TEXT])
{
	const struct frt_method *m = segment_method(s, i->row[n].method);
	const struct frt_class *c = m ? segment_class(s, m->class_id) : NULL;
	struct bytes text = {.size = 0};
	bool twice = false;

	segment_put_method(&text, s, i->row[n].method);
	for (uint32_t k = 0; c && k < i->rows && !twice; k++)
		twice = is_twin(s, m, i->row[k].method);
	if (twice) {
		put_text(&text, " (loader ");
		segment_put_loader(&text, s, c->loader);
		put_text(&text, ")");
	}
	snprintf(name, NAME_TEXT, "%s", bytes_text(&text));
	bytes_release(&text);
}

/* Print the name as name_fit() shortens it; what is still too long loses its beginning. */
static void print_name(FILE *to, const struct layout *l, uint32_t n)
{
	struct bytes text;

	if (l->name == COLUMNS_ALL) {
		columns_put_end(to, l->names[n], l->name);
		return;
	}
	bytes_init(&text);
	name_fit(&text, l->names[n], l->name, row_is_overloaded(l, n));
	bytes_put_u8(&text, 0);
	columns_put_end(to, text.failed ? l->names[n] : (char *)text.data, l->name);
	bytes_release(&text);
}

static void print_row(FILE *to, const struct layout *l, const struct interval_row *r, uint32_t n)
{
	char text[CELL_TEXT];
	bool red;

	for (enum interval_column c = 0; c < INTERVAL_COLUMNS; c++) {
		if (!l->width[c])
			continue;
		cell(r, c, text);
		red = l->colours && c == INTERVAL_ERRORS && r->thrown;
		fprintf(to, "%s%*s%s  ", red ? RED : "", (int)l->width[c], text, red ? PLAIN : "");
	}
	print_name(to, l, n);
	putc('\n', to);
}

static void interval_table_print_line(FILE *to, const char *text, const struct interval_table_setup *setup)
{
	columns_put(to, text, setup->width ? setup->width : COLUMNS_ALL);
	putc('\n', to);
}

static void print_head(FILE *to, const struct interval *i, const struct interval_table_setup *setup)
{
	struct bytes line = {.size = 0};
	char time[WALL_TIME_TEXT];

	wall_time_print(i->end + setup->realtime, false, time);
	bytes_printf(&line, "%s   %s call%s in %s%s   %s thrown   %s lost   %s open", time, log_count(i->calls),
		     i->calls == 1 ? "" : "s", i->whole ? "all of " : "", log_time(i->length), log_count(i->thrown),
		     log_count(setup->lost), log_count(i->open));
	if (i->open && i->oldest_method) {
		bytes_printf(&line, ", oldest %s in ", log_time(i->oldest_age));
		segment_put_method(&line, setup->segment, i->oldest_method);
	}
	interval_table_print_line(to, bytes_text(&line), setup);
	bytes_release(&line);
}

/* The keys are named below a table that leaves room for them. */
static bool has_hint(const struct interval *i, const struct interval_table_setup *setup)
{
	return setup->keys && !i->whole && setup->height > HINT_HEIGHT;
}

uint32_t interval_table_rows(const struct interval *i, const struct interval_table_setup *setup)
{
	uint64_t most = setup->top ? setup->top : INTERVAL_TABLE_ROWS;
	unsigned int around = AROUND + has_hint(i, setup);

	if (setup->height && most > (setup->height > around ? setup->height - around : 0))
		most = setup->height > around ? setup->height - around : 0;
	return i->rows < most ? i->rows : most;
}

static void print_hint(FILE *to, const struct interval *i, const struct interval_table_setup *setup)
{
	char text[128];

	snprintf(text, sizeof(text), "q ends   s, left, right: sorted by %s   up, down: scroll", titles[i->order]);
	interval_table_print_line(to, text, setup);
}

static unsigned int print_more(FILE *to, const struct interval *i, uint32_t rows,
			       const struct interval_table_setup *setup)
{
	uint32_t more = i->rows - rows;
	char text[128];

	if (!more)
		return 0;
	if (setup->keys && !i->whole)
		snprintf(text, sizeof(text), "rows %s to %s of %s", log_count(setup->first + 1),
			 log_count(setup->first + rows), log_count(i->rows));
	else
		snprintf(text, sizeof(text), "and %s more method%s", log_count(more), more == 1 ? "" : "s");
	interval_table_print_line(to, text, setup);
	return 1;
}

unsigned int interval_table_print(FILE *to, const struct interval *i, const struct interval_table_setup *setup)
{
	struct layout l = {.first = setup->first,
			   .rows = interval_table_rows(i, setup),
			   .order = i->order,
			   .marked = setup->keys,
			   .colours = setup->colours};
	unsigned int lines = 1;

	print_head(to, i, setup);
	l.names = l.rows ? calloc(l.rows, sizeof(*l.names)) : NULL;
	if (l.names) {
		for (uint32_t n = 0; n < l.rows; n++)
			row_name(i, l.first + n, setup->segment, l.names[n]);
		interval_table_measure(&l, i);
		fit(&l, setup->width);
		print_titles(to, &l);
		for (uint32_t n = 0; n < l.rows; n++)
			print_row(to, &l, &i->row[l.first + n], n);
		free(l.names);
		lines += 1 + l.rows + print_more(to, i, l.rows, setup);
	}
	if (has_hint(i, setup)) {
		print_hint(to, i, setup);
		lines++;
	}
	return lines;
}
