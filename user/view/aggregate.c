// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/aggregate.h"

#include <stdlib.h>

void aggregate_release(struct aggregate *g)
{
	for (size_t i = 0; i < g->capacity; i++) {
		free((char *)g->group[i].name);
		free((char *)g->group[i].other);
	}
	free(g->group);
	*g = (struct aggregate){0};
}

static struct group *aggregate_place_of(const struct aggregate *g, uint64_t first, uint64_t second)
{
	size_t i = ((first ^ second * 0xff51afd7ed558ccd) * 0x9e3779b97f4a7c15 >> 32) & (g->capacity - 1);

	while (g->group[i].count && (g->group[i].first != first || g->group[i].second != second))
		i = (i + 1) & (g->capacity - 1);
	return &g->group[i];
}

static bool aggregate_grow(struct aggregate *g)
{
	struct aggregate larger = {.count = g->count, .capacity = g->capacity ? 2 * g->capacity : 256};

	larger.group = calloc(larger.capacity, sizeof(*larger.group));
	if (!larger.group)
		return false;
	for (size_t i = 0; i < g->capacity; i++)
		if (g->group[i].count)
			*aggregate_place_of(&larger, g->group[i].first, g->group[i].second) = g->group[i];
	free(g->group);
	*g = larger;
	return true;
}

struct group *aggregate_of(struct aggregate *g, uint64_t first, uint64_t second)
{
	struct group *group;

	if (g->count >= g->capacity / 2 && !aggregate_grow(g))
		return NULL;
	group = aggregate_place_of(g, first, second);
	if (!group->count)
		g->count++;
	group->first = first;
	group->second = second;
	return group;
}

void aggregate_add(struct group *group, int64_t duration, bool thrown)
{
	if (!group->count || duration < group->least)
		group->least = duration;
	if (!group->count || duration > group->most)
		group->most = duration;
	group->count++;
	group->thrown += thrown;
	group->total += duration;
}

void aggregate_sort(struct aggregate *g, int (*compare)(const void *, const void *))
{
	size_t n = 0;

	for (size_t i = 0; i < g->capacity; i++)
		if (g->group[i].count) {
			struct group group = g->group[i];

			g->group[i] = (struct group){0};
			g->group[n++] = group;
		}
	g->count = n;
	if (n)
		qsort(g->group, n, sizeof(*g->group), compare);
}
