// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each hash has a word in one of two cache lines. An object that leaves its queue in another way than to run, such as by
 * ThreadPoolExecutor.remove(), stays until it is old: it can only make tasks be lost.
 */
#include "uprobes/agent/tasks/task_others.h"
#include "uprobes/agent/lock_free.h"
#include "uprobes/agent/sys.h"

#define LINES_LOG2 11
#define LINES	   (1u << LINES_LOG2)
#define LINE	   8u
#define LINES_NEAR 2u

#define OLD (1ull << 31)

/* hash << 32 | OLD | how many; 0: free */
static uint64_t others[LINES * LINE] __attribute__((aligned(64)));

static uint64_t *task_other_line(uint32_t hash, uint32_t n)
{
	return &others[((hash * 2654435769u >> (32 - LINES_LOG2)) + n) % LINES * LINE];
}

static bool task_other_change(uint64_t *word, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static bool task_other_put(uint64_t *word, uint32_t hash)
{
	uint64_t w = load_relaxed(word);

	while (w >> 32 == hash && w) {
		if (task_other_change(word, w, (w & ~OLD) + 1))
			return true;
		w = load_relaxed(word);
	}
	return !w && task_other_change(word, 0, (uint64_t)hash << 32 | 1);
}

/* Two threads may put one hash into two words. */
bool task_other_add(uint32_t hash)
{
	for (uint32_t n = 0; n < LINES_NEAR; n++)
		for (uint32_t i = 0; i < LINE; i++)
			if (task_other_put(task_other_line(hash, n) + i, hash))
				return true;
	return false;
}

void task_other_remove(uint32_t hash)
{
	for (uint32_t i = 0; i < LINES_NEAR * LINE; i++) {
		uint64_t *word = task_other_line(hash, i / LINE) + i % LINE, w = load_relaxed(word);

		while (w >> 32 == hash && w) {
			if (task_other_change(word, w, (uint32_t)(w & ~OLD) == 1 ? 0 : w - 1))
				return;
			w = load_relaxed(word);
		}
	}
}

bool task_other_waits(uint32_t hash)
{
	for (uint32_t i = 0; i < LINES_NEAR * LINE; i++) {
		uint64_t w = __atomic_load_n(task_other_line(hash, i / LINE) + i % LINE, __ATOMIC_SEQ_CST);

		if (w && w >> 32 == hash)
			return true;
	}
	return false;
}

void task_others_age(void)
{
	for (uint32_t i = 0; i < LINES * LINE; i++) {
		uint64_t w = load_relaxed(&others[i]);

		if (w)
			task_other_change(&others[i], w, w & OLD ? 0 : w | OLD);
	}
}

void task_others_begin(void)
{
	memset(others, 0, sizeof(others));
}
