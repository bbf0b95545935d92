/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints an interval as a table or as JSON. */
#ifndef USER_SHOW_INTERVAL_TABLE_H
#define USER_SHOW_INTERVAL_TABLE_H

#include "user/show/interval.h"

#include <stdio.h>

#define INTERVAL_TABLE_ROWS 20 /* default number of rows */

struct interval_table_setup {
	const struct segment *segment;
	uint64_t top;	      /* rows at most; 0: INTERVAL_TABLE_ROWS in a table, all in JSON */
	unsigned int width;   /* columns; 0: unlimited */
	unsigned int height;  /* lines; 0: unlimited */
	int64_t realtime;     /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	int64_t ticks_offset; /* target's CLOCK_MONOTONIC - ours, ns */
	uint64_t lost;	      /* calls lost since the start */
	uint32_t first;	      /* rows to leave out at the top */
	bool keys;	      /* name the keys, and mark the column by which the rows are sorted */
	bool colours;
};

/*
 * Print totals, column titles, a row per method, and the number of rows not shown. In a narrow terminal names are
 * shortened (name_fit.h) and columns are dropped. Returns the number of lines.
 */
unsigned int interval_table_print(FILE *to, const struct interval *i, const struct interval_table_setup *setup);

/* How many rows such a table has. */
uint32_t interval_table_rows(const struct interval *i, const struct interval_table_setup *setup);

/* One JSON object on one line; docs/reading.md lists its fields. */
void interval_json(FILE *to, const struct interval *i, const struct interval_table_setup *setup);

#endif
