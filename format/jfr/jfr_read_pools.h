/* SPDX-License-Identifier: BSD-2-Clause */
/* The positions of a chunk's constants: a table from key to offset for each type. Constants are decoded on request. */
#ifndef FORMAT_JFR_JFR_READ_POOLS_H
#define FORMAT_JFR_JFR_READ_POOLS_H

#include "format/hash.h"
#include "format/jfr/jfr_metadata.h"

struct constant_place {
	uint64_t key;
	uint64_t at; /* of the value, in the chunk */
};

struct constant_pool {
	struct constant_place *places;
	uint32_t count;
	size_t capacity;
	struct hash_index lookup; /* of the places by key */
};

struct jfr_read_pools {
	struct constant_pool *pools; /* by meta_type.index */
	uint32_t types;
};

/*
 * Walk the chain of checkpoints of a chunk. `c` is a cursor over the whole chunk, `last` the position of the last
 * checkpoint (0: none). If two values have the same key, the older one counts, as for the JDK's readers. Returns
 * 0; -ENOMEM; -EINVAL with the cause in the cursor, keeping what was found before. Release it in any case.
 */
int jfr_read_pools_read(struct jfr_read_pools *k, const struct jfr_metadata *m, struct cursor *c, uint64_t last);
void jfr_read_pools_release(struct jfr_read_pools *k);

/* The offset of a constant's value, or 0. */
uint64_t jfr_read_pools_find(const struct jfr_read_pools *k, const struct meta_type *t, uint64_t key);

#endif
