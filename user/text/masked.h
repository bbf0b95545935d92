/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts without the values in them, so that equal statements and URLs are equal and nobody's data is recorded. They are changed
 * in place and never get longer. A text has characters of one byte (Latin-1), or of two (UTF-16) if it is `wide`; one that was cut
 * ends in "…(4096)", which stays. Returns the new length, in characters.
 */
#ifndef USER_TEXT_MASKED_H
#define USER_TEXT_MASKED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A statement of SQL with '?' for each number and each text: 'x', E'x', $$x$$. Comments become a blank. A text with a backslash
 * before a quote ends in one dialect or mode of a server and goes on in another, so there the statement ends in '?'. "x" is a name.
 */
size_t masked_sql(void *text, size_t length, bool wide);

/* The same in the dialect of MySQL and MariaDB: "x" is a text, and '#' begins a comment. */
size_t masked_mysql(void *text, size_t length, bool wide);

/* The URL up to its query, fragment or path parameter ('?', '#', ';'), and without the user before '@'. */
size_t masked_url(void *text, size_t length, bool wide);

#endif
