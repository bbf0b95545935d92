/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums by method, time, duration and a fourth key: who called, or what was waited for. What a reader selects in the
 * heat map is a set of cells, so everything that is shown of them adds up exactly. When there are too many cells, two
 * columns of time become one.
 */
#ifndef USER_REPORT_CELLS_H
#define USER_REPORT_CELLS_H

#include "format/bytes.h"
#include "format/hash.h"

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
	struct hash_index lookup;
	unsigned int sums;  /* of each cell, in use */
	unsigned int shift; /* a column stands for 2^shift columns of the grid */
	size_t limit;	    /* cells at most, as long as columns can be merged */
};

void cells_init(struct cells *c, unsigned int sums, size_t limit);
void cells_release(struct cells *c);

/* The cell; `column` is one of the grid. A new one is all zero. NULL: no memory. Valid until the next call. */
struct cell *cells_find_at(struct cells *c, uint32_t method, unsigned int column, unsigned int bin, uint32_t item);

/* Halve the number of columns. False: there is one left, or no memory. */
bool cells_coarsen(struct cells *c);

/*
 * Append the cells in at most `budget` bytes, for page/data.js: sorted, as numbers in the encoding of bytes_put_leb().
 * Merges columns until they fit; if they still do not, the methods with the highest numbers are left out. Returns the
 * number of methods that are in it, or 0: no memory.
 */
uint32_t cells_encode(struct cells *c, size_t budget, struct bytes *out);

#endif
