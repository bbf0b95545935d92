// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/lock_free.h"

uint32_t cache_way(const void *keys, size_t stride, uint64_t address)
{
	uint32_t way = address >> 4 & (CACHE_WAYS - 1);

	for (uint32_t i = CACHE_WAYS; i-- > 0;) {
		uint64_t key = load_relaxed((const uint64_t *)((const char *)keys + i * stride));

		if (CACHE_ADDRESS(key) == address)
			return i;
		if (!key)
			way = i;
	}
	return way;
}

void cache_put(struct cache_table *t, uint64_t address, uint64_t what)
{
	struct cache *set = t->set[cache_set(address, t->sets_log2)], *e;
	uint64_t version;

	if (!address || address >= CACHE_BUSY || !lock_try(&t->lock))
		return;
	e = &set[cache_way(set, sizeof(*set), address)];
	version = (e->key & -CACHE_VERSION) + CACHE_VERSION;
	store_relaxed(&e->key, version | CACHE_BUSY);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	store_relaxed(&e->what, what);
	store_release(&e->key, version | address);
	lock_drop(&t->lock);
}

void free_list_push(struct free_list *l, uint32_t number, next_of *next)
{
	uint64_t top = load_relaxed(&l->top), want;

	do {
		uint32_t rest = (uint32_t)top;

		next(number, &rest);
		want = ((top >> 32) + 1) << 32 | (number + 1);
	} while (!__atomic_compare_exchange_n(&l->top, &top, want, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

int64_t free_list_pop(struct free_list *l, next_of *next)
{
	uint64_t top = load_acquire(&l->top), want;

	do {
		if (!(uint32_t)top)
			return -1;
		want = ((top >> 32) + 1) << 32 | next((uint32_t)top - 1, NULL);
	} while (!__atomic_compare_exchange_n(&l->top, &top, want, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return (uint32_t)top - 1;
}
