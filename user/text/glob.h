/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_TEXT_GLOB_H
#define USER_TEXT_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* True if the pattern of `length` bytes matches the whole text: '*' is any text, also none, '?' one byte. */
bool glob_matches(const char *pattern, size_t length, const char *text);

#endif
