// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/normal_name.h"

#include <stddef.h>
#include <string.h>

#define DIGITS	    "0123456789"
#define LEAST_HEX   6 /* digits of an address, to tell it from a name */
#define LAMBDA	    "$$Lambda"
#define HIDDEN_MARK ".0x"

/* Names that are followed by a number. */
static const char *const numbered[] = {"$Proxy", "GeneratedMethodAccessor", "GeneratedConstructorAccessor",
				       "GeneratedSerializationConstructorAccessor"};

/* Length of ".0x00007f7040000218"; 0: none. */
static size_t address_length(const char *s)
{
	size_t digits;

	if (strncmp(s, HIDDEN_MARK, strlen(HIDDEN_MARK)) != 0)
		return 0;
	digits = strspn(s + strlen(HIDDEN_MARK), DIGITS "abcdefABCDEF");
	return digits >= LEAST_HEX ? strlen(HIDDEN_MARK) + digits : 0;
}

/* Length of "$14" or of "$14.1234567" after "$$Lambda", of which the second number is JDK 8's. */
static size_t lambda_length(const char *s)
{
	size_t length = *s == '$' ? 1 + strspn(s + 1, DIGITS) : 0, more;

	if (length && s[length] == '.') {
		more = strspn(s + length + 1, DIGITS);
		if (more && s[length + 1 + more] == '.')
			length += 1 + more;
	}
	return length;
}

/* Length of the name at `s` that is followed by what is to be cut out; 0: none. */
static size_t marked_length(const char *s, size_t *cut)
{
	if (strncmp(s, LAMBDA, strlen(LAMBDA)) == 0) {
		*cut = lambda_length(s + strlen(LAMBDA));
		return strlen(LAMBDA);
	}
	for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++) {
		size_t length = strlen(numbered[i]);

		if (strncmp(s, numbered[i], length) != 0)
			continue;
		*cut = strspn(s + length, DIGITS);
		return length;
	}
	return 0;
}

void normal_name(char *name)
{
	const char *from = name;
	char *to = name;

	while (*from) {
		size_t cut = address_length(from), keep = cut ? 0 : marked_length(from, &cut);

		if (!keep && !cut)
			keep = 1;
		memmove(to, from, keep);
		to += keep;
		from += keep + cut;
	}
	*to = 0;
}
