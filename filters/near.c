// SPDX-License-Identifier: BSD-2-Clause
#include "filters/near.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LETTERS 64 /* compared per name */
#define BEST	3
#define ALL	8

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

int near_distance(const char *a, size_t a_length, const char *b, size_t b_length, int limit)
{
	int rows[3][LETTERS + 1], *before = rows[0], *last = rows[1], *row = rows[2], *swap;

	if (a_length > LETTERS || b_length > LETTERS || abs((int)a_length - (int)b_length) > limit)
		return NEAR_FAR;
	memset(rows, 0, sizeof(rows));
	for (size_t j = 0; j <= b_length; j++)
		last[j] = (int)j;
	for (size_t i = 1; i <= a_length; i++) {
		int best = row[0] = (int)i;

		for (size_t j = 1; j <= b_length; j++) {
			int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);

			row[j] = smaller(smaller(last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				row[j] = smaller(row[j], before[j - 2] + 1);
			best = smaller(best, row[j]);
		}
		if (best > limit)
			return NEAR_FAR;
		swap = before;
		before = last;
		last = row;
		row = swap;
	}
	return last[b_length] <= limit ? last[b_length] : NEAR_FAR;
}

/* True if one is at the beginning or the end of the other. */
static bool near_contains(const char *a, const char *b)
{
	size_t a_length = strlen(a), b_length = strlen(b);

	if (a_length < b_length)
		return near_contains(b, a);
	return b_length > 1 && (strncasecmp(a, b, b_length) == 0 || strcasecmp(a + a_length - b_length, b) == 0);
}

static int near_rank(const char *wanted, const char *name)
{
	size_t length = strlen(wanted);
	int distance = near_distance(wanted, length, name, strlen(name), length < 3 ? 1 : length < 6 ? 2 : 3);

	if (distance == NEAR_FAR && near_contains(wanted, name))
		return LETTERS;
	/* of a short word, too few letters would be the same */
	return distance < NEAR_FAR && distance >= (int)length ? NEAR_FAR : distance;
}

static void near_put_list(struct bytes *out, const char *head, const char *const *name, size_t count, size_t most)
{
	for (size_t i = 0; i < count && i < most; i++)
		bytes_printf(out, "%s%s", i ? ", " : head, name[i]);
	if (count > most)
		bytes_printf(out, " and %zu more", count - most);
}

void near_put(struct bytes *out, const char *wanted, const char *const *name, size_t count)
{
	const char *best[BEST + 1];
	int rank[BEST + 1];
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		int own = near_rank(wanted, name[i]);
		size_t at = found;

		if (own == NEAR_FAR)
			continue;
		for (; at > 0 && rank[at - 1] > own; at--) {
			rank[at] = rank[at - 1];
			best[at] = best[at - 1];
		}
		rank[at] = own;
		best[at] = name[i];
		found += found < BEST;
	}
	if (found)
		near_put_list(out, "; near: ", best, found, BEST);
	else
		near_put_list(out, "; it has ", name, count, ALL);
}
