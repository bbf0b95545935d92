/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the constants of a chunk lie: for each type, key to offset. Nothing is
 * decoded before somebody wants it.
 */
#ifndef FORMAT_JFR_JFR_READ_POOLS_H
#define FORMAT_JFR_JFR_READ_POOLS_H

#include "format/jfr/jfr_metadata.h"

struct constant_place {
	uint64_t key;
	uint64_t at; /* of the value, in the chunk; 0: a free place */
};

struct constant_pool {
	struct constant_place *places;
	size_t count, capacity;
};

struct jfr_read_pools {
	struct constant_pool *pools; /* by meta_type.index */
	uint32_t types;
	uint64_t multiplier;
};

/*
 * Walk the chain of checkpoints whose last one is at `last` (0: there is none)
 * in a chunk: `c` is a cursor over the whole of it. Of two values with one key the older one counts, as for the JDK's
 * readers. 0; -ENOMEM; -EINVAL: the cursor says what is wrong, what was found before is there. In every case release
 * it.
 */
int jfr_read_pools_read(struct jfr_read_pools *k, const struct jfr_metadata *m, struct cursor *c, uint64_t last);
void jfr_read_pools_release(struct jfr_read_pools *k);

/* The offset of a constant's value; 0: none. */
uint64_t jfr_read_pools_find(const struct jfr_read_pools *k, const struct meta_type *t, uint64_t key);

#endif
