/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The constants of a recording. Each has a key that is never given twice, a
 * number that counts from 1 by type: readers keep the objects of earlier chunks,
 * and a key that came again with other content would show the old one.
 *
 * A chunk holds the constants that its events use, and what those refer to.
 * Threads and stacks are forgotten when two chunks went by without them; so are
 * methods, and what they refer to, when they take more than 16 MB: a program that
 * makes hidden classes has new ones without end. All others live as long as the pools.
 */
#ifndef FORMAT_JFR_JFR_POOL_H
#define FORMAT_JFR_JFR_POOL_H

#include "format/jfr/jfr_schema.h"

#define JFR_REFS 3

/* A constant to be found or added: it is the same as another of its type when all but `ref` and `payload` of types with
 * an id agree. */
struct jfr_constant {
	uint64_t id[2]; /* identity of a class, loader, method or package; others: 0 and the payload is the identity */
	uint32_t ref[JFR_REFS]; /* keys of the constants it refers to, of the types that jfr_pool.c lists; 0 none; a
				 * stack's stand in its payload */
	const struct bytes *payload; /* as it stands in the file behind its key */
};

/* One type's constants, in ascending order of their keys. */
struct jfr_pool {
	struct pooled *constant;
	uint64_t *key;
	uint32_t *used; /* number of the last chunk that used it */
	uint32_t count, capacity;
	uint32_t *by_content, *by_key; /* open addressing: index + 1, 0 free; by_key only for what is forgotten */
	uint32_t slots;
	struct bytes payload;
	uint64_t last_key;
};

struct jfr_pools {
	struct jfr_pool pool[JFR_POOLS];
	uint32_t chunk;	   /* number of the open chunk or, between two, of the next; from 1 */
	size_t used_bytes; /* that the constants used so far will take in it, about */
	bool failed;	   /* out of memory since the last jfr_pools_next() */
};

void jfr_pools_init(struct jfr_pools *p);
void jfr_pools_release(struct jfr_pools *p);

/* The key of the constant, which is added when it is new; 0 when there is no memory. */
uint64_t jfr_pools_intern(struct jfr_pools *p, enum jfr_type type, const struct jfr_constant *c);

#define JFR_UNKNOWN UINT32_MAX
uint32_t jfr_pool_find_key(const struct jfr_pool *pool, uint64_t key);
void jfr_pools_mark(struct jfr_pools *p, enum jfr_type type, uint32_t index);

/* Index of the constant with that key, JFR_UNKNOWN when there is none (any more). */
static inline uint32_t jfr_pool_find(const struct jfr_pool *pool, uint64_t key)
{
	if (pool->by_key)
		return jfr_pool_find_key(pool, key);
	return key - 1 < pool->count ? key - 1 : JFR_UNKNOWN;
}

/* The open chunk uses this constant. False when nobody has the key. */
static inline bool jfr_pools_use(struct jfr_pools *p, enum jfr_type type, uint64_t key)
{
	const struct jfr_pool *pool = &p->pool[type - JFR_FIRST_POOL];
	uint32_t index = jfr_pool_find(pool, key);

	if (__builtin_expect(index == JFR_UNKNOWN, 0))
		return false;
	if (__builtin_expect(pool->used[index] != p->chunk, 0))
		jfr_pools_mark(p, type, index);
	return true;
}

/*
 * Append the used constants as checkpoint events, each chained to the one
 * before; an empty one when no constant is used. `base` is where the chunk begins
 * in `out`. Returns the position of the last in the chunk.
 */
uint64_t jfr_pools_write(const struct jfr_pools *p, const struct jfr_schema *s, struct bytes *out, size_t base,
			 int64_t start_ticks);

/* The open chunk is finished: count on. What it and the one before did not use is forgotten, as said above. */
void jfr_pools_next(struct jfr_pools *p);

#endif
