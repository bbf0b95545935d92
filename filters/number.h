/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units, and times, as text: in filters and options. */
#ifndef FILTERS_NUMBER_H
#define FILTERS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A unit and how many of the smallest it is. The unit "" is that of a bare number. Lists end with a NULL name. */
struct unit {
	const char *name;
	uint64_t factor;
};

extern const struct unit time_units[]; /* d h m s ms us ns, in this order */
extern const struct unit no_units[];

enum number { NUMBER_OK, NUMBER_WRONG, NUMBER_NO_UNIT, NUMBER_TOO_LARGE };

/*
 * Parse "10ms", "10 ms" or "0": a whole number without a sign, at most one blank, and a unit, which 0 need not have. A
 * product above INT64_MAX is too large.
 */
enum number number_parse(const char *text, size_t length, const struct unit *units, uint64_t *value);

/* Parse a time. False if it is none, or too large. */
bool time_parse(const char *text, size_t length, uint64_t *ns);

/* Print a time in the largest unit that needs no fraction. A `size` of 24 is always enough. */
void time_print(uint64_t ns, char *out, size_t size);

#endif
