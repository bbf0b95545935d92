/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts by number, each of them once. */
#ifndef USER_TRACE_TEXTS_H
#define USER_TRACE_TEXTS_H

#include "format/hash.h"
#include "user/text/memory.h"

/* A zeroed struct is empty. */
struct texts {
	char **text; /* by number; number 0 is "" */
	size_t count, capacity;
	struct hash_index lookup;
};

/* The number of a text. UINT32_MAX: no memory. */
uint32_t texts_add(struct texts *s, const char *text);
/* The number that a text has; 0: none, or it is "". */
uint32_t texts_find(const struct texts *s, const char *text);
void texts_release(struct texts *s);

/* The same for a verb that only reads: it ends without memory. */
static inline uint32_t texts_number(struct texts *s, const char *text)
{
	uint32_t number = texts_add(s, text);

	if (number == UINT32_MAX)
		memory_exhausted();
	return number;
}

#endif
