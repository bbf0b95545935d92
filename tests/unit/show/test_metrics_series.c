// SPDX-License-Identifier: BSD-2-Clause
/* Sums by labels, of a segment in which the test counts. A tick is a nanosecond. */
#include "user/show/metrics_series.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"

static struct bench {
	struct segment segment;
	struct clock clock;
	struct metrics_table *table;
	struct breakdown_sums *splits;
} *b;

static int setup(void **state)
{
	struct diag d;

	b = calloc(1, sizeof(*b));
	if (!b)
		return -1;
	b->segment = fake_segment_new();
	b->clock = fake_clock();
	if (breakdown_sums_new(&b->splits, &d))
		return -1;
	b->table = metrics_table_new(&b->segment, &b->clock, b->splits, "recording=\"r\"");
	return b->table ? 0 : -1;
}

static int teardown(void **state)
{
	metrics_table_free(b->table);
	breakdown_sums_free(b->splits);
	fake_segment_free(&b->segment);
	free(b);
	return 0;
}

static uint32_t method(const char *class_name, const char *name)
{
	return fake_method(&b->segment, fake_class(&b->segment, class_name, 0, FRT_CLASS_REWRITTEN), name, "()V",
			   FRT_METHOD_HOOKED);
}

static struct frt_sum *sum_of(uint32_t id)
{
	return (struct frt_sum *)(b->segment.base + FRT_SHARED_AT) + id;
}

static void call(uint32_t id, uint64_t duration, bool thrown)
{
	fake_timed_call(&b->segment, id, duration, thrown);
}

static const struct metrics_series *row(size_t i)
{
	const struct metrics_series *r = metrics_table_row(b->table, i);

	assert_non_null(r);
	return r;
}

CASE(a_series_has_the_sums_of_its_method, setup, teardown)
{
	struct wait_join_split split = {.run_queue = 20, .blocked = 50};
	uint32_t id = method("a/C", "m");

	split.blocked_on[FRT_WAIT_FUTEX] = 30;
	split.blocked_on[FRT_WAIT_DISK] = 20;
	method("a/C", "never");
	call(id, 500, false);
	call(id, 2000000, true);
	breakdown_sums_add(b->splits, id, 500, &split);
	breakdown_sums_add(b->splits, id, 500, &split);
	metrics_table_update(b->table);
	assert_string_equal(row(0)->labels, "recording=\"r\",class=\"a.C\",method=\"m\",descriptor=\"()V\"");
	assert_int_equal(row(0)->sums.calls, 2);
	assert_int_equal(row(0)->sums.thrown, 1);
	assert_int_equal(row(0)->sums.total, 2000500);
	assert_int_equal(row(0)->sums.split_calls, 2);
	assert_int_equal(row(0)->sums.split, 1000);
	assert_int_equal(row(0)->sums.cpu, 860);
	assert_int_equal(row(0)->sums.run_queue, 40);
	assert_int_equal(row(0)->sums.blocked_on[FRT_WAIT_FUTEX], 60);
	assert_int_equal(row(0)->sums.blocked_on[FRT_WAIT_DISK], 40);
	assert_int_equal(row(0)->sums.blocked_on[FRT_WAIT_SLEEP], 0);
	assert_null(metrics_table_row(b->table, 1));
}

CASE(buckets_are_cumulative, setup, teardown)
{
	static const uint64_t durations[] = {1, 900, 1100, 2900, 3200, 900000, 9000000000, 11000000000};
	uint32_t id = method("a/C", "m");

	for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++)
		call(id, durations[i], false);
	metrics_table_update(b->table);
	assert_int_equal(row(0)->sums.bucket[0], 2); /* 1 us */
	assert_int_equal(row(0)->sums.bucket[1], 4); /* 3 us */
	assert_int_equal(row(0)->sums.bucket[2], 5);
	assert_int_equal(row(0)->sums.bucket[5], 5);
	assert_int_equal(row(0)->sums.bucket[6], 6); /* 1 ms */
	assert_int_equal(row(0)->sums.bucket[METRICS_BUCKETS - 1], 7);
	assert_int_equal(row(0)->sums.bucket[METRICS_BUCKETS], 8);
}

/* In a thread's cell until it is full; `recent` holds their durations. */
CASE(calls_that_are_in_no_histogram_yet_have_their_buckets, setup, teardown)
{
	uint32_t id = method("a/C", "m");
	struct frt_slot *slot = fake_slot(&b->segment, 12, 0);
	struct frt_cell *cell = (struct frt_cell *)(b->segment.base + FRT_CELLS_AT);

	call(id, 2000, false);
	*cell = (struct frt_cell){.method = id, .count = 2, .minimum = 500, .maximum = 5000, .recent = {500, 5000}};
	slot->cells = (uint64_t)FRT_CELLS_AT << 8;
	metrics_table_update(b->table);
	assert_int_equal(row(0)->sums.calls, 3);
	assert_int_equal(row(0)->sums.total, 7500);
	assert_int_equal(row(0)->sums.bucket[0], 1);
	assert_int_equal(row(0)->sums.bucket[1], 2);
	assert_int_equal(row(0)->sums.bucket[METRICS_BUCKETS], 3);
}

/* One method of the series does not know, so the sum does not. */
CASE(allocated_bytes_are_a_sum_if_all_are_known, setup, teardown)
{
	uint32_t id = method("a/C", "m"), other = method("a/C", "m");

	call(id, 5, false);
	call(other, 7, false);
	sum_of(id)->nested.allocated = 4096;
	sum_of(other)->nested.allocated = 96;
	metrics_table_update(b->table);
	assert_int_equal(row(0)->sums.allocated, 4192);
	assert_int_equal(row(0)->sums.unallocated, 0);
	sum_of(other)->unknown = FRT_UNKNOWN_ALLOCATED;
	metrics_table_update(b->table);
	assert_int_equal(row(0)->sums.unallocated, 1);
}

CASE(a_class_of_two_loaders_has_one_series, setup, teardown)
{
	call(method("a/C", "m"), 10, false);
	call(method("a/C", "m"), 30, true);
	call(method("a/D", "m"), 5, false);
	metrics_table_update(b->table);
	assert_int_equal(row(0)->sums.calls, 2);
	assert_int_equal(row(0)->sums.total, 40);
	assert_int_equal(row(1)->sums.calls, 1);
	assert_null(metrics_table_row(b->table, 2));
}

CASE(a_number_never_falls, setup, teardown)
{
	uint32_t id = method("a/C", "m");

	for (int i = 0; i < 5; i++)
		call(id, 100, true);
	metrics_table_update(b->table);
	memset(sum_of(id), 0, sizeof(*sum_of(id)));
	call(id, 7, false);
	metrics_table_update(b->table);
	assert_int_equal(row(0)->sums.calls, 5);
	assert_int_equal(row(0)->sums.thrown, 5);
	assert_int_equal(row(0)->sums.total, 500);
	assert_int_equal(row(0)->sums.bucket[0], 6);
}

/* Later ones share a series, so that the sums are complete, and those that have one keep it. */
CASE(there_are_series_for_a_hundred_methods, setup, teardown)
{
	char name[16];
	uint64_t sum = 0;
	size_t i;

	for (int n = 0; n < 150; n++) {
		snprintf(name, sizeof(name), "m%d", n);
		call(method("a/C", name), n + 1, false);
	}
	metrics_table_update(b->table);
	for (i = 0; metrics_table_row(b->table, i); i++)
		sum += row(i)->sums.total;
	assert_int_equal(i, METRICS_SERIES + 1);
	assert_int_equal(sum, 150 * 151 / 2);
	assert_contains(row(0)->labels, "\"m149\"");
	assert_contains(row(99)->labels, "\"m50\"");
	assert_string_equal(row(100)->labels, "recording=\"r\",class=\"(others)\",method=\"(others)\",descriptor=\"\"");
	assert_int_equal(row(100)->sums.calls, 50);
	call(method("a/D", "busy"), 1000000, false);
	metrics_table_update(b->table);
	assert_int_equal(row(100)->sums.calls, 51);
	assert_null(metrics_table_row(b->table, METRICS_SERIES + 1));
}
