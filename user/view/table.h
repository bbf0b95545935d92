/* SPDX-License-Identifier: BSD-2-Clause */
/* A table laid out as `jfr view` of JDK 25 does it. Texts are UTF-8, one character a column. */
#ifndef USER_VIEW_TABLE_H
#define USER_VIEW_TABLE_H

#include "format/bytes.h"

struct table_column {
	const char *label;
	bool left;   /* aligned, and wider when there is room; else on the right */
	bool method; /* parameters become "..." before anything is cut */
};

struct table_layout {
	unsigned int width;	  /* 0: as wide as needed, 80 to 120 */
	unsigned int cell_height; /* lines of a cell at most; 1 */
	bool cut_beginning;	  /* what is too long loses its beginning, not its end */
	bool json;		  /* not as a table: see table_print_json() */
};

#define TABLE_COLUMNS 12

struct table {
	const char *title;
	const struct table_column *columns;
	unsigned int count;
	struct bytes cells; /* texts with their NUL, row after row */
	size_t filled;	    /* cells so far */
};

void table_init(struct table *t, const char *title, const struct table_column *columns, unsigned int count);
void table_release(struct table *t);

/* The next cell, left to right and down: what was appended to t->cells since the one before. */
void table_cell(struct table *t);
void table_put(struct table *t, const char *text);

/* False: no memory. "No events found" when it has no rows. */
bool table_print(const struct table *t, const struct table_layout *layout, struct bytes *out);

/* A line {"view":TITLE,"rows":[{LABEL:CELL,...},...]}: whole numbers as such, other cells as the table has them. */
bool table_print_json(const struct table *t, struct bytes *out);

#endif
