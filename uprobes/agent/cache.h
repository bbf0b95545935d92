/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table that remembers a word for an address, as long as it likes. Readers
 * take no lock; a writer that finds another at work goes without.
 *
 * A key changes before and after its word, and does not come back soon:
 * {version:16, address:48}. 0 and MEMO_BUSY are no addresses.
 */
#ifndef AGENT_CACHE_H
#define AGENT_CACHE_H

#include "uprobes/agent/sys.h"

#define MEMO_WAYS 4u

#define MEMO_ADDRESS(key) ((key) & ((1ULL << 48) - 1))
#define MEMO_VERSION	  (1ULL << 48)
#define MEMO_BUSY	  MEMO_ADDRESS(UINT64_MAX) /* its word is being written */

struct memo {
	uint64_t key, what;
};

/* Sets of MEMO_WAYS, a power of two of them. */
struct memo_table {
	struct memo (*set)[MEMO_WAYS];
	unsigned int sets_log2;
	struct lock lock; /* only ever tried */
};

static inline uint64_t memo_set(uint64_t address, unsigned int sets_log2)
{
	return address * 0x9e3779b97f4a7c15ULL >> (64 - sets_log2);
}

static inline bool memo_recall(const struct memo_table *t, uint64_t address, uint64_t *what)
{
	const struct memo *set = t->set[memo_set(address, t->sets_log2)];

	for (uint32_t i = 0; i < MEMO_WAYS; i++) {
		uint64_t key = load_acquire(&set[i].key);

		if (!key || MEMO_ADDRESS(key) != address)
			continue;
		*what = load_relaxed(&set[i].what);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (load_relaxed(&set[i].key) == key)
			return true;
	}
	return false;
}

void memo_remember(struct memo_table *t, uint64_t address, uint64_t what);

/* Which way of a set an address gets, `keys` lying `stride` bytes apart: its own if it has one, a free one, any. */
uint32_t memo_way(const void *keys, size_t stride, uint64_t address);

#endif
