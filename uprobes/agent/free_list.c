// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/free_list.h"

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
