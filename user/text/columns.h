/* SPDX-License-Identifier: BSD-2-Clause */
/* Fits text into a number of terminal columns. Control characters are escaped as by term_print(). */
#ifndef USER_TEXT_COLUMNS_H
#define USER_TEXT_COLUMNS_H

#include <stdio.h>

#define COLUMNS_ALL 0u

/* Print at most `width` columns. A longer text is cut at its end, with a mark. COLUMNS_ALL: no limit. */
void columns_put(FILE *to, const char *text, unsigned int width);

/* The same, but cut at the beginning: the end of a name says more. */
void columns_put_end(FILE *to, const char *text, unsigned int width);

#endif
