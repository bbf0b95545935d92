// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/glob.h"

bool glob_matches(const char *pattern, size_t length, const char *text)
{
	const char *p = pattern, *end = pattern + length, *star = NULL, *again = NULL;

	while (*text) {
		if (p < end && *p == '*') {
			star = ++p;
			again = text;
		} else if (p < end && (*p == '?' || *p == *text)) {
			p++;
			text++;
		} else if (star) {
			p = star;
			text = ++again;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}
