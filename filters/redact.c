// SPDX-License-Identifier: BSD-2-Clause
#include "filters/redact.h"
#include "filters/glob.h"

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

bool redact_matches(const char *text, const char *expression)
{
	if (text && strcmp(text, "none") == 0)
		return false;
	for (size_t n; *expression; expression += n + (expression[n] != 0)) {
		struct slice word = {expression, n = strcspn(expression, ".|-")};

		if ((!text || *text == '+') && glob_list_matches(GLOB_ANY_CASE, DEFAULTS, ';', word))
			return true;
		if (text && glob_list_matches(GLOB_ANY_CASE, text + (*text == '+'), ';', word))
			return true;
	}
	return false;
}
