/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sums of methods for --metrics, by labels: the class, name and descriptor. Methods of the same labels, such as those
 * of a class that two loaders have, share a series. The first METRICS_SERIES get one, busiest first; all later ones share
 * the last. A series stays, and its numbers never fall, also if the target takes calls back.
 */
#ifndef USER_SHOW_METRICS_SERIES_H
#define USER_SHOW_METRICS_SERIES_H

#include "user/capture/clock.h"
#include "user/capture/timing.h"
#include "user/record/breakdown_sums.h"

#define METRICS_SERIES	100u
#define METRICS_BUCKETS 15u /* with an upper bound; one more has the rest */

extern const uint64_t metrics_bounds[METRICS_BUCKETS]; /* ns, ascending: 1 us, 3 us, 10 us, ... 10 s */

/* Times in ns. */
struct metrics_sums {
	uint64_t calls, thrown, total;
	uint64_t bucket[METRICS_BUCKETS + 1];	     /* calls that took at most metrics_bounds[i]; the last: all */
	uint64_t split_calls, split, cpu, run_queue; /* of recorded calls with a known breakdown */
	uint64_t blocked_on[FRT_WAIT_REASONS];
	uint64_t allocated, unallocated; /* bytes; unallocated: methods whose bytes are not known */
};

struct metrics_series {
	char *labels; /* `common`,class="...",method="...",descriptor="..." */
	struct metrics_sums sums;
};

struct metrics_table;

/*
 * Returns NULL without memory. Arguments are borrowed; `splits` is NULL without a breakdown, `common` is the label that all
 * series have.
 */
struct metrics_table *metrics_table_new(const struct segment *s, const struct clock *c,
					const struct breakdown_sums *splits, const char *common);
void metrics_table_free(struct metrics_table *t);

/* Add what has happened since the last call. */
void metrics_table_update(struct metrics_table *t);

/* The i-th series; NULL beyond the last. */
const struct metrics_series *metrics_table_row(const struct metrics_table *t, size_t i);

#endif
