// SPDX-License-Identifier: BSD-2-Clause
#include "filters/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct unit {
	const char *name;
	uint64_t ns;
} units[] = {
	{"d", 86400000000000}, {"h", 3600000000000}, {"m", 60000000000}, {"s", 1000000000},
	{"ms", 1000000},       {"us", 1000},	     {"ns", 1},		 {NULL, 0},
};

static uint64_t unit_ns(const char *name, size_t length)
{
	const struct unit *u = units;

	while (u->name && (strlen(u->name) != length || memcmp(u->name, name, length) != 0))
		u++;
	return u->ns;
}

bool time_parse(const char *text, size_t length, uint64_t *ns)
{
	uint64_t n = 0, unit;
	bool large = false;
	size_t i = 0;

	for (; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
		large |= __builtin_mul_overflow(n, 10, &n);
		large |= __builtin_add_overflow(n, (uint64_t)(text[i] - '0'), &n);
	}
	if (i == 0 || large)
		return false;
	*ns = 0;
	if (i == length)
		return n == 0;
	if (text[i] == ' ')
		i++;
	unit = unit_ns(text + i, length - i);
	return unit && !__builtin_mul_overflow(n, unit, ns) && *ns <= INT64_MAX;
}

void time_print(uint64_t ns, char *out, size_t size)
{
	const struct unit *u = units;

	while (ns % u->ns)
		u++;
	if (ns)
		snprintf(out, size, "%" PRIu64 "%s", ns / u->ns, u->name);
	else
		snprintf(out, size, "0");
}
