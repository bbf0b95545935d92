/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts in so many columns of a terminal; what steers it is printed as term_print() does. */
#ifndef USER_TEXT_COLUMNS_H
#define USER_TEXT_COLUMNS_H

#include <stdio.h>

#define COLUMNS_ALL 0u

/* In at most `width` columns; what is too long has its end cut off, with a mark for it. COLUMNS_ALL: not cut. */
void columns_put(FILE *to, const char *text, unsigned int width);

/* The same, but what is cut off is the beginning: a name's end tells more. */
void columns_put_end(FILE *to, const char *text, unsigned int width);

#endif
