/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A map from pairs of numbers to a number. The pairs may come from a file: nobody can choose ones that collide
 * (hash_number()). A zeroed struct is an empty map.
 */
#ifndef FORMAT_MAP_H
#define FORMAT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	struct map_slot {
		uint64_t first, second;
		uint32_t value;
		bool used;
	} *slot; /* open addressing */
	size_t slots, count;
};

/* The value of a pair, for reading and writing until the next call; a new pair has 0. NULL: no memory. */
uint32_t *map_at(struct map *m, uint64_t first, uint64_t second);

/* The value of a pair; 0 if the map does not have it. */
uint32_t map_get(const struct map *m, uint64_t first, uint64_t second);

/* Remove all pairs, keep the memory. */
void map_clear(struct map *m);
void map_release(struct map *m);

#endif
