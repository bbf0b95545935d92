// SPDX-License-Identifier: BSD-2-Clause
#include "user/report/activity.h"
#include "format/vec.h"
#include "user/trace/sum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPANS_MOST 4096 /* of a thread: a call that contains more than that counts some of them twice */

void activity_init(struct activity *a, const struct grid *grid, const uint32_t *numbers, size_t count)
{
	memset(a, 0, sizeof(*a));
	a->grid = grid;
	for (a->count = 0; a->count < count && a->count < ACTIVITY_THREADS; a->count++)
		a->thread[a->count].number = numbers[a->count];
}

void activity_release(struct activity *a)
{
	for (size_t i = 0; i < a->count; i++)
		free(a->thread[i].span);
	a->count = 0;
}

/* Add the span's times to its columns, or take them away again: in proportion to what lies in each. */
static void activity_spread(struct activity *a, struct activity_thread *t, const struct activity_span *span, int sign)
{
	int64_t all = span->part[ACTIVITY_ALL], width = a->grid->width << ACTIVITY_SHIFT, end = span->start + all;
	unsigned int column = grid_column(a->grid, span->start) >> ACTIVITY_SHIFT;
	unsigned int last = grid_column(a->grid, end) >> ACTIVITY_SHIFT;

	for (; column <= last; column++) {
		int64_t from = a->grid->start + column * width, to = from + width;
		int64_t inside = (end < to ? end : to) - (span->start > from ? span->start : from);

		for (int p = 0; p < ACTIVITY_PARTS && inside > 0 && all > 0; p++)
			sum_add(&t->column[column][p], sign * (int64_t)((double)span->part[p] * inside / all));
	}
}

int activity_add(struct activity *a, uint32_t thread, const struct activity_span *span)
{
	struct activity_thread *t = a->thread, *end = t + a->count;

	while (t < end && t->number != thread)
		t++;
	if (t == end || span->part[ACTIVITY_ALL] <= 0)
		return 0;
	while (t->count && t->span[t->count - 1].start >= span->start)
		activity_spread(a, t, &t->span[--t->count], -1);
	if (t->count >= SPANS_MOST) {
		t->count /= 2;
		memmove(t->span, t->span + t->count, t->count * sizeof(*t->span));
	}
	if (vec_reserve(&t->span, &t->capacity, t->count + 1))
		return -ENOMEM;
	t->span[t->count++] = *span;
	activity_spread(a, t, span, 1);
	return 0;
}
