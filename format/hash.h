/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table of row numbers (1, 2, 3, ...). The rows, and their comparison, belong to its owner. */
#ifndef FORMAT_HASH_H
#define FORMAT_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_index {
	struct hash_slot {
		uint32_t row, hash;
	} *slot; /* open addressing; row 0: free */
	uint32_t slots, count;
};

static inline uint64_t hash_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

/* A hash of bytes that is the same in every run: FNV-1a with a finish that lets each bit depend on each. */
uint64_t hash_data(const void *data, size_t size);

/* A random odd number, the same for the whole run. */
uint64_t hash_seed(void);

/*
 * A hash of a number from a file. No file can choose numbers with equal hashes without knowing the seed, which is odd:
 * all bits of the number take part in the low bits of the hash. For several numbers:
 * hash_number(seed, hash_number(seed, a) ^ b).
 */
static inline uint64_t hash_number(uint64_t seed, uint64_t v)
{
	unsigned __int128 product = (unsigned __int128)v * seed;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The row with this hash for which `same` returns true; 0 if there is none. Inline, so that `same` can be inlined. */
static inline uint32_t hash_find(const struct hash_index *t, uint64_t hash,
				 bool (*same)(const void *context, uint32_t row), const void *context)
{
	if (!t->slots)
		return 0;
	for (uint32_t i = (uint32_t)hash & (t->slots - 1); t->slot[i].row; i = (i + 1) & (t->slots - 1)) {
		if (t->slot[i].hash == (uint32_t)hash && same(context, t->slot[i].row))
			return t->slot[i].row;
	}
	return 0;
}

/* Add a row that is not in the table. Returns 0 or -ENOMEM. */
int hash_add(struct hash_index *t, uint64_t hash, uint32_t row);

/* Remove all rows, keep the memory. */
void hash_clear(struct hash_index *t);

/* A zeroed struct is an empty table. */
void hash_release(struct hash_index *t);

#endif
