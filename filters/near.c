// SPDX-License-Identifier: BSD-2-Clause
#include "filters/near.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ALL 8

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

int near_distance(const char *a, size_t a_length, const char *b, size_t b_length, int limit)
{
	int rows[3][NEAR_LENGTH + 1], *before = rows[0], *last = rows[1], *row = rows[2], *swap;

	if (a_length > NEAR_LENGTH || b_length > NEAR_LENGTH || abs((int)a_length - (int)b_length) > limit)
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

/* Two letters count at the beginning and the end only. */
static bool near_contains(struct slice name, struct slice part)
{
	size_t step = part.length > 2 ? 1 : name.length - part.length ?: 1;

	for (size_t i = 0; part.length > 1 && i + part.length <= name.length; i += step)
		if (!strncasecmp(name.at + i, part.at, part.length))
			return true;
	return false;
}

static int near_rank(struct slice wanted, struct slice name)
{
	int limit = wanted.length < 3 ? 1 : wanted.length < 6 ? 2 : 3;
	int distance = near_distance(wanted.at, wanted.length, name.at, name.length, limit);

	if (distance == NEAR_FAR && (near_contains(wanted, name) || near_contains(name, wanted)))
		return NEAR_LENGTH + abs((int)wanted.length - (int)name.length);
	/* of a short word, too few letters would be the same */
	return distance < NEAR_FAR && distance >= (int)wanted.length ? NEAR_FAR : distance;
}

void near_names_offer(struct near_names *n, struct slice name)
{
	int distance =
		name.length && name.length <= NEAR_LENGTH && n->wanted.length ? near_rank(n->wanted, name) : NEAR_FAR;
	unsigned int i;

	for (i = 0; i < n->count; i++)
		if (slice_is(name, n->best[i].text))
			return;
	if (distance == NEAR_FAR || (n->count == NEAR_BEST && n->best[NEAR_BEST - 1].distance <= distance))
		return;
	n->count += n->count < NEAR_BEST;
	for (i = n->count - 1; i && n->best[i - 1].distance > distance; i--)
		n->best[i] = n->best[i - 1];
	memcpy(n->best[i].text, name.at, name.length);
	n->best[i].text[name.length] = 0;
	n->best[i].distance = distance;
}

void near_names_print(const struct near_names *n, char *out, size_t size)
{
	size_t at = 0;

	*out = 0;
	for (unsigned int i = 0; i < n->count && at < size; i++)
		at += snprintf(out + at, size - at, "%s%s", i ? ", " : "; near: ", n->best[i].text);
}

void near_put(struct bytes *out, const char *wanted, const char *const *name, size_t count, size_t listed)
{
	struct near_names n = {.wanted = slice_of(wanted)};
	char near[NEAR_BEST * (NEAR_LENGTH + 8)];

	for (size_t i = 0; i < count; i++)
		near_names_offer(&n, slice_of(name[i]));
	near_names_print(&n, near, sizeof(near));
	bytes_printf(out, "%s", near);
	for (size_t i = 0; i < listed && i < ALL && !n.count; i++)
		bytes_printf(out, "%s%s", i ? ", " : "; it has ", name[i]);
	if (listed > ALL && !n.count)
		bytes_printf(out, " and %zu more", listed - ALL);
}
