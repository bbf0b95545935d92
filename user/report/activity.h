/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads did in traced calls, column by column. A call inside another one does not count twice. */
#ifndef USER_REPORT_ACTIVITY_H
#define USER_REPORT_ACTIVITY_H

#include "user/report/grid.h"

#include <stdbool.h>
#include <stddef.h>

#define ACTIVITY_THREADS 40
#define ACTIVITY_SHIFT	 2
#define ACTIVITY_COLUMNS (GRID_COLUMNS >> ACTIVITY_SHIFT)

enum activity_part { ACTIVITY_ALL, ACTIVITY_CPU, ACTIVITY_RUN_QUEUE, ACTIVITY_BLOCKED, ACTIVITY_PARTS };

/* A call; `part` in ns. */
struct activity_span {
	int64_t start, part[ACTIVITY_PARTS];
};

struct activity {
	const struct grid *grid;
	struct activity_thread {
		uint32_t number; /* of the thread */
		int64_t column[ACTIVITY_COLUMNS][ACTIVITY_PARTS];
		struct activity_span *span; /* that are in no other one so far, in the order of their ends */
		size_t count, capacity;
	} thread[ACTIVITY_THREADS];
	size_t count;
};

/* `numbers` of at most ACTIVITY_THREADS threads. */
void activity_init(struct activity *a, const struct grid *grid, const uint32_t *numbers, size_t count);
void activity_release(struct activity *a);

/* A call ended; one of another thread is left out. 0 or -ENOMEM. */
int activity_add(struct activity *a, uint32_t thread, const struct activity_span *span);

#endif
