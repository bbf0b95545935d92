/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The constants of a recording. Each has a key, a number that counts from 1 per type and is never reused: readers
 * keep the objects of earlier chunks, so a reused key would show the old content. Frame types are not interned; their
 * keys are those of enum jfr_frame_type.
 *
 * A chunk contains the constants that its events use, and those that they refer to. Threads and stacks are
 * forgotten after two chunks without use. Methods, and what they refer to, are forgotten when they exceed 16 MB,
 * because a program that generates hidden classes creates new ones endlessly. All other constants live as long as
 * the pools.
 */
#ifndef FORMAT_JFR_JFR_POOL_H
#define FORMAT_JFR_JFR_POOL_H

#include "format/jfr/jfr_schema.h"

#define JFR_REFS 4

/* A constant to intern. Two of one type are equal if their ids are; for types without an id, if their payloads are. */
struct jfr_constant {
	uint64_t id[2]; /* identity of a class, loader, method, package or module; 0 for others */
	/* keys of the constants that it refers to, with the types in jfr_pool.c; 0: none; in a stack: in the payload */
	uint32_t ref[JFR_REFS];
	const struct bytes *payload; /* in file format, without the key */
};

/* The constants of one type, in ascending order of their keys. */
struct jfr_pool {
	struct pooled *constant;
	uint64_t *key;
	uint32_t *used; /* number of the last chunk that used it */
	uint32_t count;
	size_t capacity;
	uint32_t *by_content, *by_key; /* open addressing: index + 1, 0: free; by_key: only if keys are forgotten */
	uint32_t slots;
	struct bytes payload;
	uint64_t last_key;
};

struct jfr_pools {
	struct jfr_pool pool[JFR_POOLS];
	uint32_t chunk;	      /* number of the open chunk or, between chunks, of the next one; from 1 */
	size_t used_bytes;    /* approximate size of the constants used so far in this chunk */
	uint32_t frame_types; /* bit n: a stack of the chunk has a frame of type n (enum jfr_frame_type) */
	bool failed;	      /* out of memory since the last jfr_pools_next() */
};

void jfr_pools_init(struct jfr_pools *p);
void jfr_pools_release(struct jfr_pools *p);

/* The key of the constant, which is added if it is new. 0 without memory. */
uint64_t jfr_pools_intern(struct jfr_pools *p, enum jfr_type type, const struct jfr_constant *c);

#define JFR_UNKNOWN UINT32_MAX
uint32_t jfr_pool_find_key(const struct jfr_pool *pool, uint64_t key);
void jfr_pools_mark(struct jfr_pools *p, enum jfr_type type, uint32_t index);

/* Index of the constant with that key, or JFR_UNKNOWN. */
static inline uint32_t jfr_pool_find(const struct jfr_pool *pool, uint64_t key)
{
	if (pool->by_key)
		return jfr_pool_find_key(pool, key);
	return key - 1 < pool->count ? key - 1 : JFR_UNKNOWN;
}

/* Mark the constant as used by the open chunk. Returns false if the key is unknown. */
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
 * Append the used constants as a chain of checkpoint events; an empty checkpoint if there are none. `base` is the
 * start of the chunk in `out`. Returns the position of the last checkpoint in the chunk.
 */
uint64_t jfr_pools_write(const struct jfr_pools *p, const struct jfr_schema *s, struct bytes *out, size_t base,
			 int64_t start_ticks);

/* The open chunk is finished. Forget unused constants, as described above. */
void jfr_pools_next(struct jfr_pools *p);

#endif
