/* SPDX-License-Identifier: BSD-2-Clause */
/* An interval as a person or a program reads it. */
#ifndef USER_LIVE_INTERVAL_TABLE_H
#define USER_LIVE_INTERVAL_TABLE_H

#include "user/live/interval.h"

#include <stdio.h>

#define INTERVAL_TABLE_ROWS 20 /* unless told otherwise */

struct interval_table_setup {
	const struct segment *segment;
	uint64_t top;	      /* rows at most; 0: INTERVAL_TABLE_ROWS in a table, all in JSON */
	unsigned int width;   /* columns; 0: lines are as long as they have to be */
	unsigned int height;  /* lines; 0: any number */
	int64_t realtime;     /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	int64_t ticks_offset; /* of the target's CLOCK_MONOTONIC to ours, ns */
	uint64_t lost;	      /* since the start */
};

/*
 * What it all adds up to, the titles, a row for each method, and how many are
 * not shown. Where there is little room, columns are left out, and the
 * beginnings of names. Returns the lines printed.
 */
unsigned int interval_table_print(FILE *to, const struct interval *i, const struct interval_table_setup *setup);

/* One object in one line; its fields are in docs/reading.md. */
void interval_json(FILE *to, const struct interval *i, const struct interval_table_setup *setup);

#endif
