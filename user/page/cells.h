/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A grid of columns of time, durations in bins of a logarithmic scale, and sums by both, by method and by a fourth key:
 * who called, or what was waited for. What a reader selects in the heat map is a set of cells, so everything that is shown
 * of them adds up exactly. When there are too many cells, two columns of time become one.
 */
#ifndef USER_PAGE_CELLS_H
#define USER_PAGE_CELLS_H

#include "user/text/memory.h"

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

#define CELL_SUMS 6

struct cell {
	uint32_t method, item;
	uint16_t column, bin;
	uint64_t count;
	int64_t sum[CELL_SUMS];
};

struct cells {
	struct cell *cell;
	size_t count, capacity;
	struct map lookup;  /* (method and item, column and bin) -> number */
	bool items;	    /* each cell has one */
	unsigned int sums;  /* of each cell, in use */
	unsigned int shift; /* a column stands for 2^shift columns of the grid */
	size_t limit;	    /* cells at most, as long as columns can be merged */
};

void cells_init(struct cells *c, bool items, unsigned int sums, size_t limit);
void cells_release(struct cells *c);

/* The cell; `column` is one of the grid. A new one is all zero. Valid until the next call. */
struct cell *cells_find_at(struct cells *c, uint32_t method, unsigned int column, unsigned int bin, uint32_t item);

/*
 * Append the cells in at most `budget` bytes, for html/data.js: sorted, as numbers in the encoding of bytes_put_leb().
 * Merges columns until they fit; if they still do not, the methods with the highest numbers are left out. Returns the
 * number of methods that are in it.
 */
uint32_t cells_encode(struct cells *c, size_t budget, struct bytes *out);

#endif
