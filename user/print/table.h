/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays out tables. Texts are UTF-8, one column per character. */
#ifndef USER_PRINT_TABLE_H
#define USER_PRINT_TABLE_H

#include "format/bytes.h"

enum table_kind {
	TABLE_TEXT = 0, /* left-aligned */
	TABLE_VALUE,	/* the same, but cut last of all: others are dropped and shortened first */
	TABLE_WORDS,	/* left-aligned, never cut */
	TABLE_METHOD,	/* left-aligned, shortened by name_fit() before it is cut */
	TABLE_NUMBER,	/* right-aligned, never cut */
	TABLE_TYPED,	/* in JSON only: '"' and a string, or '#' and a number or word of JSON, such as null */
};

struct table_column {
	const char *label; /* NULL: in JSON only */
	const char *key;   /* NULL: not in JSON, where numbers are plain: times in ns, with a key that ends in Ns */
	enum table_kind kind;
	unsigned int rank; /* 0: always shown; of the others, the highest goes first where a table is too wide */
};

struct table_layout {
	unsigned int width;	  /* at most, except for columns that are never cut */
	unsigned int cell_height; /* maximum lines per cell; usually 1 */
	bool cut_beginning;	  /* cut long texts at the beginning, not at the end */
	bool json;		  /* print JSON, see table_print_json() */
	bool html;		  /* print HTML, see table_print_html() */
};

#define TABLE_WIDTH   120	/* of an output that is no terminal, and has no --width */
#define TABLE_UNKNOWN INT64_MIN /* "N/A", null in JSON */

struct table {
	const char *title;
	const struct table_column *columns;
	unsigned int count;
	uint64_t more;	    /* rows that are left out: said below the table */
	bool drops_alike;   /* if it is too wide, first those columns go that are alike in all rows and have a rank */
	struct bytes cells; /* NUL-terminated texts, row by row */
	int64_t *number;    /* of the cells with a number, by cell */
	size_t filled;	    /* number of complete cells */
	size_t complete;    /* bytes of `cells` that belong to them */
	size_t capacity;    /* of `number` */
};

void table_init(struct table *t, const char *title, const struct table_column *columns, unsigned int count);
void table_release(struct table *t);

/* Complete the next cell, in row order: its text is what was appended to t->cells since the last cell. */
void table_cell(struct table *t);
void table_put(struct table *t, const char *text);

/* Cells of TABLE_NUMBER: "1,204"; nanoseconds as "31.2 ms"; bytes as "1.1 MB"; the share that `ns` has of `all`, as "3 %". */
void table_put_count(struct table *t, int64_t n);
void table_put_time(struct table *t, int64_t ns);
void table_put_amount(struct table *t, int64_t bytes);
void table_put_share(struct table *t, int64_t ns, int64_t all);

/* Keep only these rows, in this order. False: no memory. */
bool table_order(struct table *t, const size_t *row, size_t rows);

/* Append the table to `out`; "No events found" if it has no rows. False: no memory. */
bool table_print(const struct table *t, const struct table_layout *layout, struct bytes *out);

/* One line {"view":TITLE,"rows":[{KEY:CELL,...},...]}. */
bool table_print_json(const struct table *t, struct bytes *out);

/* A <table data-view=TITLE>. Cells with a number have it, as in JSON, in data-n; columns without a label are left out. */
bool table_print_html(const struct table *t, struct bytes *out);

#endif
