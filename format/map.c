// SPDX-License-Identifier: BSD-2-Clause
#include "format/map.h"
#include "format/hash.h"

#include <stdlib.h>
#include <string.h>

#define MAP_FIRST 256

/* The slot of a pair, or the free one where it would be. */
static struct map_slot *map_slot_of(const struct map *m, uint64_t first, uint64_t second)
{
	uint64_t seed = hash_seed();
	size_t i = hash_number(seed, hash_number(seed, first) ^ second) & (m->slots - 1);

	while (m->slot[i].used && (m->slot[i].first != first || m->slot[i].second != second))
		i = (i + 1) & (m->slots - 1);
	return &m->slot[i];
}

static bool map_grow(struct map *m)
{
	struct map grown = {.slots = m->slots ? 2 * m->slots : MAP_FIRST, .count = m->count};

	grown.slot = calloc(grown.slots, sizeof(*grown.slot));
	if (!grown.slot)
		return false;
	for (size_t i = 0; i < m->slots; i++) {
		if (m->slot[i].used)
			*map_slot_of(&grown, m->slot[i].first, m->slot[i].second) = m->slot[i];
	}
	free(m->slot);
	*m = grown;
	return true;
}

uint32_t *map_at(struct map *m, uint64_t first, uint64_t second)
{
	struct map_slot *slot;

	if (2 * m->count >= m->slots && !map_grow(m))
		return NULL;
	slot = map_slot_of(m, first, second);
	m->count += !slot->used;
	if (!slot->used)
		*slot = (struct map_slot){first, second, 0, true};
	return &slot->value;
}

uint32_t map_get(const struct map *m, uint64_t first, uint64_t second)
{
	const struct map_slot *slot = m->count ? map_slot_of(m, first, second) : NULL;

	return slot && slot->used ? slot->value : 0;
}

void map_clear(struct map *m)
{
	if (m->slots)
		memset(m->slot, 0, m->slots * sizeof(*m->slot));
	m->count = 0;
}

void map_release(struct map *m)
{
	free(m->slot);
	*m = (struct map){0};
}
