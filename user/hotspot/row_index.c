// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/row_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOOKUP_FIRST 256u

uint32_t row_index_find(const struct row_index *t, uint64_t hash, bool (*same)(const void *context, uint32_t row),
			const void *context)
{
	if (!t->slots)
		return 0;
	for (uint32_t i = (uint32_t)hash & (t->slots - 1); t->slot[i].row; i = (i + 1) & (t->slots - 1)) {
		if (t->slot[i].hash == (uint32_t)hash && same(context, t->slot[i].row))
			return t->slot[i].row;
	}
	return 0;
}

static void lookup_put(struct row_index_slot *slot, uint32_t slots, struct row_index_slot what)
{
	uint32_t i = what.hash & (slots - 1);

	while (slot[i].row)
		i = (i + 1) & (slots - 1);
	slot[i] = what;
}

static int lookup_grow(struct row_index *t)
{
	uint32_t slots = t->slots ? 2 * t->slots : LOOKUP_FIRST;
	struct row_index_slot *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->slots; i++) {
		if (t->slot[i].row)
			lookup_put(slot, slots, t->slot[i]);
	}
	free(t->slot);
	t->slot = slot;
	t->slots = slots;
	return 0;
}

int row_index_add(struct row_index *t, uint64_t hash, uint32_t row)
{
	if (2 * t->count >= t->slots && lookup_grow(t))
		return -ENOMEM;
	lookup_put(t->slot, t->slots, (struct row_index_slot){row, (uint32_t)hash});
	t->count++;
	return 0;
}

void row_index_clear(struct row_index *t)
{
	if (t->slots)
		memset(t->slot, 0, t->slots * sizeof(*t->slot));
	t->count = 0;
}

void row_index_release(struct row_index *t)
{
	free(t->slot);
	*t = (struct row_index){0};
}
