/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of some known names was probably meant. */
#ifndef FILTERS_NEAR_H
#define FILTERS_NEAR_H

#include "format/bytes.h"
#include "format/slice.h"

#define NEAR_FAR    1000
#define NEAR_BEST   3
#define NEAR_LENGTH 64 /* of a name */

/*
 * Number of letters to insert, delete, replace or swap with a neighbour, ignoring case, in bytes. NEAR_FAR if it
 * exceeds `limit`, or if a text is longer than NEAR_LENGTH.
 */
int near_distance(const char *a, size_t a_length, const char *b, size_t b_length, int limit);

/* A zeroed one with its `wanted` name, which is borrowed, has none yet. */
struct near_names {
	struct slice wanted;
	unsigned int count;
	struct {
		char text[NEAR_LENGTH + 1];
		int distance;
	} best[NEAR_BEST]; /* the nearest first */
};

/* Take a name if it is near, and not there yet. One is near if few letters differ, or if one contains the other. */
void near_names_offer(struct near_names *n, struct slice name);

/* Write "; near: a, b", or nothing if no name is near. */
void near_names_print(const struct near_names *n, char *out, size_t size);

/*
 * Append "; near: sql, sqlText": at most three of the names, the nearest first. If none is near, append "; it has a, b" with
 * at most eight of the first `listed` ones, in their order; nothing if that is 0.
 */
void near_put(struct bytes *out, const char *wanted, const char *const *name, size_t count, size_t listed);

#endif
