// SPDX-License-Identifier: BSD-2-Clause
/*
 * A binary heap that moves its entries exactly as java.util.PriorityQueue does. `jfr print` uses one, so events with
 * equal times come out in the same order as there.
 */
#include "user/trace/sorter.h"
#include "user/text/memory.h"

#include <stdlib.h>

void sorter_release(struct sorter *o)
{
	for (size_t i = 0; i < o->count; i++)
		jfr_chunk_put(o->heap[i].chunk);
	free(o->heap);
	*o = (struct sorter){0};
}

static bool is_before(const struct sorter_entry *a, const struct sorter_entry *b)
{
	return a->time != b->time ? a->time < b->time : a->tie < b->tie;
}

void sorter_add(struct sorter *o, const struct sorter_entry *e)
{
	size_t i = o->count;

	memory_reserve(&o->heap, &o->capacity, o->count + 1);
	for (; i && is_before(e, &o->heap[(i - 1) / 2]); i = (i - 1) / 2)
		o->heap[i] = o->heap[(i - 1) / 2];
	o->heap[i] = *e;
	o->count++;
	jfr_chunk_get(e->chunk);
}

bool sorter_take(struct sorter *o, struct sorter_entry *e)
{
	struct sorter_entry last;
	size_t i = 0, child;

	if (!o->count)
		return false;
	*e = o->heap[0];
	last = o->heap[--o->count];
	while ((child = 2 * i + 1) < o->count) {
		if (child + 1 < o->count && is_before(&o->heap[child + 1], &o->heap[child]))
			child++;
		if (!is_before(&o->heap[child], &last))
			break;
		o->heap[i] = o->heap[child];
		i = child;
	}
	if (o->count)
		o->heap[i] = last;
	return true;
}
