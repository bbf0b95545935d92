// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/aggregate.h"
#include "user/text/memory.h"
#include "user/trace/sum.h"

#include <stdlib.h>

static void group_release(struct group *group)
{
	free((char *)group->name);
	free((char *)group->other);
}

void aggregate_release(struct aggregate *g)
{
	for (size_t i = 0; i < g->count; i++)
		group_release(&g->group[i]);
	free(g->group);
	map_release(&g->lookup);
	*g = (struct aggregate){0};
}

struct group *aggregate_of(struct aggregate *g, uint64_t first, uint64_t second)
{
	uint32_t *number = memory_map_at(&g->lookup, first, second);

	if (!*number) {
		memory_reserve(&g->group, &g->capacity, g->count + 1);
		g->group[g->count++] = (struct group){.first = first, .second = second};
		*number = g->count;
	}
	return &g->group[*number - 1];
}

void aggregate_add(struct group *group, int64_t duration, bool thrown)
{
	if (!group->count || duration < group->least)
		group->least = duration;
	if (!group->count || duration > group->most)
		group->most = duration;
	group->count++;
	group->thrown += thrown;
	sum_add(&group->total, duration);
}

void aggregate_sort(struct aggregate *g, int (*compare)(const void *, const void *))
{
	size_t n = 0;

	for (size_t i = 0; i < g->count; i++) {
		if (g->group[i].count)
			g->group[n++] = g->group[i];
		else
			group_release(&g->group[i]);
	}
	g->count = n;
	if (n)
		qsort(g->group, n, sizeof(*g->group), compare);
}
