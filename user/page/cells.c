// SPDX-License-Identifier: BSD-2-Clause
#include "user/page/cells.h"
#include "user/trace/sum.h"

#include <stdlib.h>

void grid_init(struct grid *g, int64_t first, int64_t last)
{
	*g = (struct grid){first, last > first ? (last - first) / GRID_COLUMNS + 1 : 1};
}

unsigned int grid_column(const struct grid *g, int64_t moment)
{
	int64_t column = moment > g->start ? (moment - g->start) / g->width : 0;

	return column < GRID_COLUMNS ? column : GRID_COLUMNS - 1;
}

void cells_init(struct cells *c, bool items, unsigned int sums, size_t limit)
{
	*c = (struct cells){.items = items, .sums = sums, .limit = limit};
}

void cells_release(struct cells *c)
{
	free(c->cell);
	map_release(&c->lookup);
	*c = (struct cells){0};
}

static struct cell *cells_find(struct cells *c, const struct cell *key)
{
	uint32_t *number = memory_map_at(&c->lookup, (uint64_t)key->method << 32 | key->item,
					 (uint64_t)key->column << 16 | key->bin);

	if (!*number) {
		memory_reserve(&c->cell, &c->capacity, c->count + 1);
		c->cell[c->count++] = (struct cell){key->method, key->item, key->column, key->bin, 0, {0}};
		*number = c->count;
	}
	return &c->cell[*number - 1];
}

static void cell_merge(struct cell *to, const struct cell *from)
{
	to->count += from->count;
	for (int i = 0; i < CELL_SUMS; i++)
		sum_add(&to->sum[i], from->sum[i]);
}

/* Halve the number of columns. False: there is one left. */
static bool cells_coarsen(struct cells *c)
{
	struct cells merged = {.items = c->items, .sums = c->sums, .shift = c->shift + 1, .limit = c->limit};

	if (((GRID_COLUMNS - 1) >> c->shift) == 0)
		return false;
	for (size_t i = 0; i < c->count; i++) {
		struct cell key = c->cell[i];

		key.column /= 2;
		cell_merge(cells_find(&merged, &key), &key);
	}
	cells_release(c);
	*c = merged;
	return true;
}

struct cell *cells_find_at(struct cells *c, uint32_t method, unsigned int column, unsigned int bin, uint32_t item)
{
	while (c->count >= c->limit && cells_coarsen(c))
		;
	return cells_find(c, &(struct cell){method, item, column >> c->shift, bin, 0, {0}});
}

static int cells_compare(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->method != y->method)
		return (x->method > y->method) - (x->method < y->method);
	if (x->column != y->column)
		return (x->column > y->column) - (x->column < y->column);
	if (x->bin != y->bin)
		return (x->bin > y->bin) - (x->bin < y->bin);
	return (x->item > y->item) - (x->item < y->item);
}

/*
 * The first number says what changes: bit 0 a new method follows, bit 1 a new column; the rest is the difference of the
 * bin, which begins at 0 in each column.
 */
static void cell_put(struct bytes *out, const struct cells *c, const struct cell *cell, const struct cell *before)
{
	bool method = cell->method != before->method, column = method || cell->column != before->column;

	bytes_put_leb(out, (uint64_t)(cell->bin - (column ? 0 : before->bin)) << 2 | column << 1 | method);
	if (method)
		bytes_put_leb(out, cell->method - before->method);
	if (column)
		bytes_put_leb(out, cell->column - (method ? 0 : before->column));
	if (c->items)
		bytes_put_leb(out, cell->item);
	bytes_put_leb(out, cell->count);
	for (unsigned int i = 0; i < c->sums; i++)
		bytes_put_leb(out, cell->sum[i] > 0 ? cell->sum[i] : 0);
}

/* Append the cells of the methods below `methods`. False: they need more than `budget` bytes. */
static bool cells_put(const struct cells *c, uint32_t methods, size_t budget, struct bytes *out)
{
	struct cell before = {0};
	size_t begin = out->size, n = 0;

	while (n < c->count && c->cell[n].method < methods)
		n++;
	bytes_put_leb(out, c->shift);
	bytes_put_leb(out, n);
	for (size_t i = 0; i < n && out->size - begin <= budget; i++) {
		cell_put(out, c, &c->cell[i], &before);
		before = c->cell[i];
	}
	if (out->size - begin <= budget)
		return true;
	out->size = begin;
	return false;
}

#define COLUMNS_LEAST 60 /* as long as leaving methods out helps */

uint32_t cells_encode(struct cells *c, size_t budget, struct bytes *out)
{
	uint32_t methods = 1;

	for (size_t i = 0; i < c->count; i++)
		methods = c->cell[i].method >= methods ? c->cell[i].method + 1 : methods;
	for (;;) {
		if (c->count)
			qsort(c->cell, c->count, sizeof(*c->cell), cells_compare); /* nothing is looked up any more */
		if (cells_put(c, methods, budget, out))
			return methods;
		if (methods > 1 && GRID_COLUMNS >> c->shift <= COLUMNS_LEAST)
			methods = methods * 3 / 4;
		else if (!cells_coarsen(c))
			methods = 0;
	}
}
