/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table of row numbers (1, 2, 3, ...). The rows, and their comparison, belong to its owner. */
#ifndef USER_HOTSPOT_ROW_INDEX_H
#define USER_HOTSPOT_ROW_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row_index {
	struct row_index_slot {
		uint32_t row, hash;
	} *slot; /* open addressing; row 0: free */
	uint32_t slots, count;
};

static inline uint64_t row_index_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

/* The row with this hash for which `same` returns true; 0 if there is none. */
uint32_t row_index_find(const struct row_index *t, uint64_t hash, bool (*same)(const void *context, uint32_t row),
			const void *context);

/* Add a row that is not in the table. Returns 0 or -ENOMEM. */
int row_index_add(struct row_index *t, uint64_t hash, uint32_t row);

/* Remove all rows, keep the memory. */
void row_index_clear(struct row_index *t);

/* A zeroed struct is an empty table. */
void row_index_release(struct row_index *t);

#endif
