/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts by number, each of them once. */
#ifndef USER_TRACE_TEXTS_H
#define USER_TRACE_TEXTS_H

#include "format/hash.h"

struct texts {
	char **text; /* by number; number 0 is "" */
	size_t count, capacity;
	struct hash_index lookup;
};

/* The number of a text. UINT32_MAX: no memory. A zeroed struct is empty. */
uint32_t texts_add(struct texts *s, const char *text);
void texts_release(struct texts *s);

#endif
