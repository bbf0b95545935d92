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

/* Let an array have at least `wanted` elements; new ones are zeroed. */
#define memory_extend(array, count, capacity, wanted)                          \
	do {                                                                   \
		memory_reserve(array, capacity, wanted);                       \
		while (*(count) < (wanted))                                    \
			memset(*(array) + (*(count))++, 0, sizeof(**(array))); \
	} while (0)

/* bytes_text() of all that was put. */
static inline const char *memory_text(struct bytes *b)
{
	const char *text = bytes_text(b);

	return b->failed ? (memory_exhausted(), text) : text;
}

static inline uint32_t *memory_map_at(struct map *m, uint64_t first, uint64_t second)
{
	return memory_need(map_at(m, first, second));
}

#endif
