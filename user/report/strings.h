/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts by number, each of them once. */
#ifndef USER_REPORT_STRINGS_H
#define USER_REPORT_STRINGS_H

#include "format/hash.h"

struct strings {
	char **text; /* by number; number 0 is "" */
	size_t count, capacity;
	struct hash_index lookup;
};

/* The number of a text. UINT32_MAX: no memory. A zeroed struct is empty. */
uint32_t strings_add(struct strings *s, const char *text);
void strings_release(struct strings *s);

#endif
