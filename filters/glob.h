/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns with wildcards, and lists of them. Freestanding: the matcher uses it in the agent, too. */
#ifndef FILTERS_GLOB_H
#define FILTERS_GLOB_H

#include "format/slice.h"

enum glob_form {
	GLOB_TEXT,     /* '*' stands for any characters, '?' for one byte */
	GLOB_ANY_CASE, /* the same, and ASCII letters of either case are equal */
	GLOB_NAME,     /* QUOTE_WILDCARD (filters/quote.h) stands for any characters */
};

/* True if the pattern matches the whole text. Takes no longer than both lengths multiplied. */
bool glob_matches(enum glob_form form, struct slice pattern, struct slice text);

/* Take the next pattern, without blanks around it, off a list with `separator` between them. False: there is none. */
bool glob_list_next(const char **list, char separator, struct slice *pattern);

/* True if some pattern of a list matches. */
bool glob_list_matches(enum glob_form form, const char *list, char separator, struct slice text);

#endif
