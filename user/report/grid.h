/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides a recording into columns of time, and durations into bins of a logarithmic scale. */
#ifndef USER_REPORT_GRID_H
#define USER_REPORT_GRID_H

#include <stdint.h>

#define GRID_COLUMNS 480

struct grid {
	int64_t start, width; /* ns: since the epoch; of a column */
};

/* GRID_COLUMNS columns from the first moment to the last one. */
void grid_init(struct grid *g, int64_t first, int64_t last);

/* The column of a moment; one outside belongs to the nearest. */
unsigned int grid_column(const struct grid *g, int64_t moment);

/*
 * The bin of a duration, with 2^bits bins of equal width between one power of two and the next. Below 2^bits ns each
 * nanosecond is a bin.
 */
static inline unsigned int duration_bin(int64_t ns, unsigned int bits)
{
	unsigned int exponent;

	if (ns < 1 << bits)
		return ns > 0 ? ns : 0;
	exponent = 63 - __builtin_clzll(ns);
	return ((exponent - bits + 1) << bits) + ((ns >> (exponent - bits)) & ((1u << bits) - 1));
}

/* The shortest duration in a bin. */
static inline int64_t duration_of_bin(unsigned int bin, unsigned int bits)
{
	if (bin < 1u << bits)
		return bin;
	return (int64_t)((1u << bits) + (bin & ((1u << bits) - 1))) << ((bin >> bits) - 1);
}

#endif
