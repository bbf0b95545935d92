/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of verbs that only read recordings. Nothing hangs on such a process, neither a JVM nor a recording, so running
 * out of memory ends it with one line and EXIT_FAILED. What traces must not use this: it returns -ENOMEM.
 */
#ifndef USER_TEXT_MEMORY_H
#define USER_TEXT_MEMORY_H

#include "format/bytes.h"
#include "format/map.h"
#include "format/vec.h"

void memory_exhausted(void) __attribute__((noreturn));

/* What an allocation returned, which is not NULL afterwards. */
static inline void *memory_need(void *allocated)
{
	if (!allocated)
		memory_exhausted();
	return allocated;
}

/* vec_reserve() and map_at() that succeed. */
#define memory_reserve(array, capacity, count) ((void)(vec_reserve(array, capacity, count) && (memory_exhausted(), 0)))

static inline uint32_t *memory_map_at(struct map *m, uint64_t first, uint64_t second)
{
	return memory_need(map_at(m, first, second));
}

#endif
