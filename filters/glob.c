// SPDX-License-Identifier: BSD-2-Clause
#include "filters/glob.h"
#include "filters/quote.h"

#include <stdint.h>

static char glob_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool glob_takes(enum glob_form form, char p, char c)
{
	return p == c || (form != GLOB_NAME && p == '?') || (form == GLOB_ANY_CASE && glob_lower(p) == glob_lower(c));
}

/* After a mismatch the last wildcard takes one more character. */
bool glob_matches(enum glob_form form, struct slice pattern, struct slice text)
{
	const char any = form == GLOB_NAME ? QUOTE_WILDCARD : '*';
	size_t i = 0, k = 0, star = SIZE_MAX, taken = 0;

	while (k < text.length) {
		if (i < pattern.length && pattern.at[i] == any) {
			star = i++;
			taken = k;
		} else if (i < pattern.length && glob_takes(form, pattern.at[i], text.at[k])) {
			i++;
			k++;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			k = ++taken;
		} else {
			return false;
		}
	}
	while (i < pattern.length && pattern.at[i] == any)
		i++;
	return i == pattern.length;
}

bool glob_list_next(const char **list, char separator, struct slice *pattern)
{
	const char *at = *list;

	while (*at == ' ' || (*at && *at == separator))
		at++;
	*pattern = (struct slice){at, 0};
	for (; *at && *at != separator; at++)
		if (*at != ' ')
			pattern->length = at + 1 - pattern->at;
	*list = at;
	return pattern->length;
}

bool glob_list_matches(enum glob_form form, const char *list, char separator, struct slice text)
{
	struct slice pattern;

	while (glob_list_next(&list, separator, &pattern))
		if (glob_matches(form, pattern, text))
			return true;
	return false;
}
