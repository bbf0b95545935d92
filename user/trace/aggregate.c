// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/aggregate.h"
#include "format/vec.h"
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
	hash_release(&g->lookup);
	*g = (struct aggregate){0};
}

struct group_wanted {
	const struct aggregate *aggregate;
	uint64_t first, second;
};

static bool group_is(const void *context, uint32_t row)
{
	const struct group_wanted *w = context;
	const struct group *g = &w->aggregate->group[row - 1];

	return g->first == w->first && g->second == w->second;
}

struct group *aggregate_of(struct aggregate *g, uint64_t first, uint64_t second)
{
	uint64_t seed = hash_seed(), hash = hash_number(seed, hash_number(seed, first) ^ second);
	uint32_t row = hash_find(&g->lookup, hash, group_is, &(struct group_wanted){g, first, second});

	if (row)
		return &g->group[row - 1];
	if (vec_reserve(&g->group, &g->capacity, g->count + 1) || hash_add(&g->lookup, hash, g->count + 1))
		return NULL;
	g->group[g->count] = (struct group){.first = first, .second = second};
	return &g->group[g->count++];
}

struct group *aggregate_of_key(struct aggregate *g, uint64_t key, uint32_t chunk)
{
	if (g->count && g->group[0].second != chunk)
		aggregate_release(g);
	return aggregate_of(g, key, chunk);
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
