/* SPDX-License-Identifier: BSD-2-Clause */
/* A cell of CSV (RFC 4180). */
#ifndef USER_EXPORT_CSV_CELL_H
#define USER_EXPORT_CSV_CELL_H

#include <stdio.h>

/*
 * Print a text, in quotes if it needs them, and after an apostrophe if a spreadsheet would take it for a formula. Numbers are
 * no texts: they need none of it.
 */
void csv_put_cell(FILE *to, const char *text);

#endif
