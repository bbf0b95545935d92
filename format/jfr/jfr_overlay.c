// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_overlay.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>

#define MARGIN 2000 /* ns */
#define GAINED 16   /* a sixteenth of the weight */

enum { BEGINS_INSIDE = 8, REACHES_OVER = -7 };

void jfr_overlay_release(struct jfr_overlay *o)
{
	free(o->change);
	*o = (struct jfr_overlay){0};
}

static int64_t lower_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t higher_of(int64_t a, int64_t b)
{
	return a < b ? b : a;
}

static int64_t within(int64_t n, int64_t low, int64_t high)
{
	return higher_of(low, lower_of(n, high));
}

/* From shift to shift, both included. */
static int add_weight(struct jfr_overlay *o, int64_t window, int64_t from, int64_t until, int32_t weight)
{
	if (from > until)
		return 0;
	if (vec_reserve(&o->change, &o->capacity, o->changes + 2))
		return -ENOMEM;
	o->change[o->changes++] = (struct overlay_change){window, from, weight};
	o->change[o->changes++] = (struct overlay_change){window, until + 1, -weight};
	return 0;
}

int jfr_overlay_note(struct jfr_overlay *o, const struct overlay_event *e, int64_t start, int64_t end)
{
	int64_t first = start - e->start, last = end - e->start;
	int err = add_weight(o, e->window, first, last, BEGINS_INSIDE);

	return err ?: add_weight(o, e->window, higher_of(first, end - e->end + 1), last, REACHES_OVER);
}

static int by_shift(const void *a, const void *b)
{
	const struct overlay_change *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static int by_window(const void *a, const void *b)
{
	const struct overlay_change *x = a, *y = b;

	return x->window != y->window ? (x->window < y->window ? -1 : 1) : by_shift(a, b);
}

/* `near` is left only for a gain of more than 1/`least` of the weight; 0: for any. */
static struct overlay_shift best_shift(const struct overlay_change *change, size_t n, int64_t near, int64_t most,
				       int64_t least)
{
	struct overlay_shift best = {.window = change->window, .shift = near, .error = most}, stay = best;
	int64_t weight = 0, found = 0, here = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		int64_t low = within(change[i].at, near - most, near + most + 1);
		int64_t high = within(change[i + 1].at - 1, near - most - 1, near + most), margin, shift;

		weight += change[i].weight;
		if (change[i].at <= near && near < change[i + 1].at)
			here = weight;
		if (low > high || weight < found)
			continue;
		margin = lower_of((high - low) / 2, MARGIN);
		shift = within(near, low + margin, high - margin);
		if (weight > found || llabs(shift - near) < llabs(best.shift - near)) {
			best.shift = shift;
			best.error = higher_of(shift - low, high - shift);
		}
		found = weight;
	}
	return least && found - here <= found / least ? stay : best;
}

struct overlay_shift jfr_overlay_whole(struct jfr_overlay *o, int64_t near, int64_t most)
{
	if (!o->changes)
		return (struct overlay_shift){.shift = near, .error = most};
	qsort(o->change, o->changes, sizeof(*o->change), by_shift);
	return best_shift(o->change, o->changes, near, most, 0);
}

bool jfr_overlay_next(struct jfr_overlay *o, size_t *at, int64_t near, int64_t most, struct overlay_shift *out)
{
	size_t n = 1;

	if (*at == o->changes)
		return false;
	if (*at == 0)
		qsort(o->change, o->changes, sizeof(*o->change), by_window);
	while (*at + n < o->changes && o->change[*at + n].window == o->change[*at].window)
		n++;
	*out = best_shift(o->change + *at, n, near, most, GAINED);
	*at += n;
	return true;
}
