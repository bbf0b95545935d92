// SPDX-License-Identifier: BSD-2-Clause
#include "user/report/grid.h"

void grid_init(struct grid *g, int64_t first, int64_t last)
{
	*g = (struct grid){first, last > first ? (last - first) / GRID_COLUMNS + 1 : 1};
}

unsigned int grid_column(const struct grid *g, int64_t moment)
{
	int64_t column = moment > g->start ? (moment - g->start) / g->width : 0;

	return column < GRID_COLUMNS ? column : GRID_COLUMNS - 1;
}
