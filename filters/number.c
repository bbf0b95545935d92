// SPDX-License-Identifier: BSD-2-Clause
#include "filters/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct unit time_units[] = {
	{"d", 86400000000000}, {"h", 3600000000000}, {"m", 60000000000}, {"s", 1000000000},
	{"ms", 1000000},       {"us", 1000},	     {"ns", 1},		 {NULL, 0},
};

const struct unit no_units[] = {{"", 1}, {NULL, 0}};

/* Not with strtoull(), which accepts signs and leading blanks. */
enum number number_parse(const char *text, size_t length, const struct unit *units, uint64_t *value)
{
	bool large = false;
	uint64_t n = 0;
	size_t i = 0;

	for (; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
		large |= __builtin_mul_overflow(n, 10, &n);
		large |= __builtin_add_overflow(n, (uint64_t)(text[i] - '0'), &n);
	}
	if (i == 0)
		return NUMBER_WRONG;
	if (length - i > 1 && text[i] == ' ')
		i++;
	while (units->name && (strlen(units->name) != length - i || memcmp(units->name, text + i, length - i) != 0))
		units++;
	if (!units->name && i < length)
		return NUMBER_WRONG;
	if (!units->name && (n || large))
		return NUMBER_NO_UNIT;
	large |= units->name && __builtin_mul_overflow(n, units->factor, &n);
	*value = n;
	return large || n > INT64_MAX ? NUMBER_TOO_LARGE : NUMBER_OK;
}

bool time_parse(const char *text, size_t length, uint64_t *ns)
{
	return number_parse(text, length, time_units, ns) == NUMBER_OK;
}

void time_print(uint64_t ns, char *out, size_t size)
{
	const struct unit *u = time_units;

	while (ns % u->factor)
		u++;
	if (ns)
		snprintf(out, size, "%" PRIu64 "%s", ns / u->factor, u->name);
	else
		snprintf(out, size, "0");
}
