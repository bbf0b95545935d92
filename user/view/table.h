/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays out tables as JDK 25's `jfr view` does. Texts are UTF-8, one column per character. */
#ifndef USER_VIEW_TABLE_H
#define USER_VIEW_TABLE_H

#include "format/bytes.h"

struct table_column {
	const char *label;
	bool left;   /* left-aligned, gets spare width; else right-aligned */
	bool method; /* parameters are shortened to "..." before the text is cut */
};

struct table_layout {
	unsigned int width;	  /* 0: as needed, 80 to 120 */
	unsigned int cell_height; /* maximum lines per cell; usually 1 */
	bool cut_beginning;	  /* cut long texts at the beginning, not at the end */
	bool json;		  /* print JSON, see table_print_json() */
};

#define TABLE_COLUMNS 12

struct table {
	const char *title;
	const struct table_column *columns;
	unsigned int count;
	struct bytes cells; /* NUL-terminated texts, row by row */
	size_t filled;	    /* number of complete cells */
};

void table_init(struct table *t, const char *title, const struct table_column *columns, unsigned int count);
void table_release(struct table *t);

/* Complete the next cell, in row order: its text is what was appended to t->cells since the last cell. */
void table_cell(struct table *t);
void table_put(struct table *t, const char *text);

/* Append the table to `out`; "No events found" if it has no rows. False: no memory. */
bool table_print(const struct table *t, const struct table_layout *layout, struct bytes *out);

/* One line {"view":TITLE,"rows":[{LABEL:CELL,...},...]}. Whole numbers become JSON numbers, other cells strings. */
bool table_print_json(const struct table *t, struct bytes *out);

#endif
