// SPDX-License-Identifier: BSD-2-Clause
#include "format/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_FIRST 256u

uint64_t hash_data(const void *data, size_t size)
{
	const unsigned char *p = data;
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < size; i++)
		h = (h ^ p[i]) * 0x100000001b3;
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15;
	return h ^ h >> 29;
}

uint64_t hash_seed(void)
{
	static uint64_t seed;

	if (!seed)
		seed = ((uint64_t)arc4random() << 32 | arc4random()) | 1;
	return seed;
}

static void hash_put(struct hash_slot *slot, uint32_t slots, struct hash_slot what)
{
	uint32_t i = what.hash & (slots - 1);

	while (slot[i].row)
		i = (i + 1) & (slots - 1);
	slot[i] = what;
}

static int hash_grow(struct hash_index *t)
{
	uint32_t slots = t->slots ? 2 * t->slots : HASH_FIRST;
	struct hash_slot *slot = slots ? calloc(slots, sizeof(*slot)) : NULL;

	if (!slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->slots; i++) {
		if (t->slot[i].row)
			hash_put(slot, slots, t->slot[i]);
	}
	free(t->slot);
	t->slot = slot;
	t->slots = slots;
	return 0;
}

int hash_add(struct hash_index *t, uint64_t hash, uint32_t row)
{
	if (2 * t->count >= t->slots && hash_grow(t))
		return -ENOMEM;
	hash_put(t->slot, t->slots, (struct hash_slot){row, (uint32_t)hash});
	t->count++;
	return 0;
}

void hash_clear(struct hash_index *t)
{
	if (t->slots)
		memset(t->slot, 0, t->slots * sizeof(*t->slot));
	t->count = 0;
}

void hash_release(struct hash_index *t)
{
	free(t->slot);
	*t = (struct hash_index){0};
}
