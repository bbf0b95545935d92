/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads values from JSON printed by tools, which is assumed to be well-formed. */
#ifndef TESTS_LIB_JSON_H
#define TESTS_LIB_JSON_H

/* The value at "a.b.c" in the object that begins at p, or NULL. */
const char *json_at(const char *p, const char *path);

/*
 * The same as text: strings without quotes and escapes, in UTF-8, up to 500 bytes; numbers, true, false and null
 * unchanged; "(missing)". Valid until the next call.
 */
const char *json_text(const char *p, const char *path);

/* The first element of the array at p, and the one behind an element. NULL: that was all, or p is NULL or no array. */
const char *json_first(const char *p);
const char *json_next(const char *p);

#endif
