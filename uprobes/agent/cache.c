// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/cache.h"

uint32_t memo_way(const void *keys, size_t stride, uint64_t address)
{
	uint32_t way = address >> 4 & (MEMO_WAYS - 1);

	for (uint32_t i = MEMO_WAYS; i-- > 0;) {
		uint64_t key = load_relaxed((const uint64_t *)((const char *)keys + i * stride));

		if (MEMO_ADDRESS(key) == address)
			return i;
		if (!key)
			way = i;
	}
	return way;
}

void memo_remember(struct memo_table *t, uint64_t address, uint64_t what)
{
	struct memo *set = t->set[memo_set(address, t->sets_log2)], *e;
	uint64_t version;

	if (!address || address >= MEMO_BUSY || !lock_try(&t->lock))
		return;
	e = &set[memo_way(set, sizeof(*set), address)];
	version = (e->key & -MEMO_VERSION) + MEMO_VERSION;
	store_relaxed(&e->key, version | MEMO_BUSY);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	store_relaxed(&e->what, what);
	store_release(&e->key, version | address);
	lock_drop(&t->lock);
}
