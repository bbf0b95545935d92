/* SPDX-License-Identifier: BSD-2-Clause */
/* Times as text, in filters and options. */
#ifndef FILTERS_TIME_H
#define FILTERS_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parse "10ms", "10 ms" or "0": a whole number and ns, us, ms, s, m, h or d. Returns false if the text is invalid
 * or the value too large.
 */
bool time_parse(const char *text, size_t length, uint64_t *ns);

/* Print a time in the largest unit that needs no fraction. A `size` of 24 is always enough. */
void time_print(uint64_t ns, char *out, size_t size);

#endif
