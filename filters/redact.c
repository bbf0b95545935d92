// SPDX-License-Identifier: BSD-2-Clause
#include "filters/redact.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define DEFAULTS                                                                                                      \
	"*auth*;*api*key*;*client*secret*;*credential*;*jaas*config*;*passphrase*;*passwd*;*password*;*private*key*;" \
	"*pwd*;*secret*;*token*"

int redact_check(const char *text, struct diag *d)
{
	if (!*text || (*text == '+' && !text[1]))
		return diag_usage(d,
				  "wrong --redact-key '%s': it has to be none, or names with ';' between them, as in "
				  "'+*confidential*;iban'",
				  text);
	if (text[*text == '+'] == '@')
		return diag_usage(d, "wrong --redact-key '%s': files of names are not read, write the names", text);
	return 0;
}

static bool glob_fits(const char *glob, size_t glob_length, const char *word, size_t length)
{
	if (!glob_length)
		return !length;
	if (*glob == '*')
		return glob_fits(glob + 1, glob_length - 1, word, length) ||
		       (length && glob_fits(glob, glob_length, word + 1, length - 1));
	return length && (*glob == '?' || tolower((unsigned char)*glob) == tolower((unsigned char)*word)) &&
	       glob_fits(glob + 1, glob_length - 1, word + 1, length - 1);
}

static bool list_fits(const char *globs, const char *word, size_t length)
{
	while (*globs) {
		size_t n = strcspn(globs, ";");

		if (n && glob_fits(globs, n, word, length))
			return true;
		globs += n + (globs[n] == ';');
	}
	return false;
}

bool redact_matches(const char *text, const char *expression)
{
	if (text && strcmp(text, "none") == 0)
		return false;
	for (size_t n; *expression; expression += n + (expression[n] == '.')) {
		n = strcspn(expression, ".");
		if ((!text || *text == '+') && list_fits(DEFAULTS, expression, n))
			return true;
		if (text && list_fits(text + (*text == '+'), expression, n))
			return true;
	}
	return false;
}
