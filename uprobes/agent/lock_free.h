/* SPDX-License-Identifier: BSD-2-Clause */
/* Structures that no thread waits for: a cache, and a list of free numbers. */
#ifndef AGENT_LOCK_FREE_H
#define AGENT_LOCK_FREE_H

#include "uprobes/agent/sys.h"

/*
 * A cache that maps an address to a word and may drop an entry at any time. Readers take no lock; a writer that
 * meets another writer gives up.
 *
 * A key changes before and after its word, and does not recur soon: {version:16, address:48}. 0 and CACHE_BUSY are
 * not addresses.
 */
#define CACHE_WAYS 4u

#define CACHE_ADDRESS(key) ((key) & ((1ULL << 48) - 1))
#define CACHE_VERSION	   (1ULL << 48)
#define CACHE_BUSY	   CACHE_ADDRESS(UINT64_MAX) /* its word is being written */

struct cache {
	uint64_t key, what;
};

/* 1 << log2 sets of CACHE_WAYS entries each. */
struct cache_table {
	struct cache (*set)[CACHE_WAYS];
	unsigned int sets_log2;
	struct lock lock; /* taken by lock_try only */
};

static inline uint64_t cache_set(uint64_t address, unsigned int sets_log2)
{
	return address * 0x9e3779b97f4a7c15ULL >> (64 - sets_log2);
}

static inline bool cache_get(const struct cache_table *t, uint64_t address, uint64_t *what)
{
	const struct cache *set = t->set[cache_set(address, t->sets_log2)];

	for (uint32_t i = 0; i < CACHE_WAYS; i++) {
		uint64_t key = load_acquire(&set[i].key);

		if (!key || CACHE_ADDRESS(key) != address)
			continue;
		*what = load_relaxed(&set[i].what);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (load_relaxed(&set[i].key) == key)
			return true;
	}
	return false;
}

void cache_put(struct cache_table *t, uint64_t address, uint64_t what);

/*
 * The way of a set to use for an address: its own if it has one, else a free one, else any. The keys lie `stride`
 * bytes apart.
 */
uint32_t cache_way(const void *keys, size_t stride, uint64_t address);

/*
 * A list of free numbers. Its head is one word {tag, number + 1}; each free element holds the number of the next one.
 * The tag changes with each pop and push, so an unchanged head means that the list has not changed.
 */
struct free_list {
	uint64_t top;
};

/* Returns the word of a free element that holds the next number. With `set` not NULL, stores it first. */
typedef uint32_t next_of(uint32_t number, const uint32_t *set);

void free_list_push(struct free_list *l, uint32_t number, next_of *next);

/* Take a number from the list. Returns -1 if the list is empty. */
int64_t free_list_pop(struct free_list *l, next_of *next);

#endif
