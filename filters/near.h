/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of some known names was probably meant. */
#ifndef FILTERS_NEAR_H
#define FILTERS_NEAR_H

#include "format/bytes.h"

#define NEAR_FAR 1000

/*
 * Number of letters to insert, delete, replace or swap with a neighbour, ignoring case, in bytes. NEAR_FAR if it
 * exceeds `limit`, or if a text has more than 64 letters.
 */
int near_distance(const char *a, size_t a_length, const char *b, size_t b_length, int limit);

/*
 * Append "; near: sql, sqlText": at most three of the names, the nearest first. If none is near, append "; it has a, b" with
 * at most eight, in their order; nothing if there are no names.
 */
void near_put(struct bytes *out, const char *wanted, const char *const *name, size_t count);

#endif
