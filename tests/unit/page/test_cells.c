// SPDX-License-Identifier: BSD-2-Clause
/* Sums in cells: what is encoded adds up to what went in, however the columns were merged. */
#include "user/page/cells.h"
#include "tests/lib/test.h"

static struct cells cells;
static struct bytes out;

static int setup(void **state)
{
	bytes_init(&out);
	return 0;
}

static int teardown(void **state)
{
	cells_release(&cells);
	bytes_release(&out);
	return 0;
}

static void add(uint32_t method, unsigned int column, unsigned int bin, uint32_t item, int64_t time)
{
	struct cell *c = cells_find_at(&cells, method, column, bin, item);

	c->count++;
	c->sum[0] += time;
}

/* The sums of all cells that were encoded, read as html/data.js does. */
static void read_sums(uint64_t *count, uint64_t *calls, uint64_t *time, uint64_t *shift)
{
	struct cursor c;

	cursor_init(&c, out.data, out.size);
	*calls = *time = 0;
	*shift = cursor_leb(&c);
	*count = cursor_leb(&c);
	for (uint64_t i = 0; i < *count; i++) {
		uint64_t change = cursor_leb(&c);

		for (uint64_t n = (change & 1) + (change >> 1 & 1) + 1; n; n--)
			cursor_leb(&c);
		*calls += cursor_leb(&c);
		*time += cursor_leb(&c);
	}
	assert_true(cursor_ok(&c));
	assert_int_equal(c.at, out.size);
}

CASE(equal_keys_are_one_cell, setup, teardown)
{
	uint64_t count, calls, time, shift;

	cells_init(&cells, true, 1, 1000);
	for (int i = 0; i < 3; i++)
		add(1, 7, 9, 2, 100);
	add(1, 7, 9, 3, 5);
	add(0, 7, 9, 2, 6);
	assert_int_equal(cells_encode(&cells, 1000, &out), 2);
	read_sums(&count, &calls, &time, &shift);
	assert_int_equal(count, 3);
	assert_int_equal(calls, 5);
	assert_int_equal(time, 311);
	assert_int_equal(shift, 0);
}

CASE(too_many_cells_lose_columns_and_no_calls, setup, teardown)
{
	uint64_t count, calls, time, shift;

	cells_init(&cells, true, 1, 100);
	for (int i = 0; i < GRID_COLUMNS; i++)
		add(0, i, 4, 1, 1000);
	assert_int_equal(cells_encode(&cells, 100000, &out), 1);
	read_sums(&count, &calls, &time, &shift);
	assert_in_range(count, 1, 100);
	assert_int_equal(calls, GRID_COLUMNS);
	assert_int_equal(time, 1000 * GRID_COLUMNS);
	assert_int_equal(shift, 3);
}

CASE(a_budget_is_kept_and_no_calls_are_lost, setup, teardown)
{
	uint64_t count, calls, time, shift;

	cells_init(&cells, true, 1, 100000);
	for (int i = 0; i < GRID_COLUMNS; i++)
		for (int bin = 0; bin < 20; bin++)
			add(0, i, bin, bin, 1 + i);
	assert_int_equal(cells_encode(&cells, 10000, &out), 1);
	assert_in_range(out.size, 1, 10010);
	read_sums(&count, &calls, &time, &shift);
	assert_int_equal(calls, 20 * GRID_COLUMNS);
	assert_int_equal(time, 20 * GRID_COLUMNS * (GRID_COLUMNS + 1) / 2);
	assert_in_range(shift, 1, 9);
}

CASE(what_does_not_fit_is_methods_at_the_end, setup, teardown)
{
	uint64_t count, calls, time, shift;
	uint32_t methods;

	cells_init(&cells, true, 1, 100000);
	for (uint32_t method = 0; method < 100; method++)
		for (int bin = 0; bin < 50; bin++)
			add(method, 0, bin, 1, 1000);
	methods = cells_encode(&cells, 5000, &out);
	assert_in_range(methods, 1, 50);
	read_sums(&count, &calls, &time, &shift);
	assert_int_equal(calls, 50 * methods);
	assert_in_range(out.size, 1, 5010);
}

/* One method in one column, with more callers than there is room for. */
CASE(a_method_that_never_fits_is_left_out, setup, teardown)
{
	uint64_t count, calls, time, shift;

	cells_init(&cells, true, 1, 100000);
	for (uint32_t item = 0; item < 5000; item++)
		add(0, 0, 9, item, 1000);
	assert_int_equal(cells_encode(&cells, 5000, &out), 0);
	read_sums(&count, &calls, &time, &shift);
	assert_int_equal(count, 0);
	assert_int_equal(calls, 0);
}

CASE(bins_follow_each_other_without_gaps, setup, teardown)
{
	for (unsigned int bits = 3; bits <= 5; bits++) {
		for (unsigned int bin = 0; bin < 400; bin++) {
			int64_t from = duration_of_bin(bin, bits), next = duration_of_bin(bin + 1, bits);

			assert_true(next > from);
			assert_int_equal(duration_bin(from, bits), bin);
			assert_int_equal(duration_bin(next - 1, bits), bin);
		}
		assert_int_equal(duration_bin(-5, bits), 0);
		assert_true(duration_bin(INT64_MAX, bits) < (64u - bits) << bits);
	}
}

CASE(columns_cover_the_recording, setup, teardown)
{
	struct grid g;

	grid_init(&g, 1000, 1000 + 960);
	assert_int_equal(grid_column(&g, 0), 0);
	assert_int_equal(grid_column(&g, 1000), 0);
	assert_int_equal(grid_column(&g, 1000 + g.width), 1);
	assert_in_range(grid_column(&g, 1960), 300, GRID_COLUMNS - 1);
	assert_int_equal(grid_column(&g, INT64_MAX), GRID_COLUMNS - 1);
	grid_init(&g, 5, 5);
	assert_int_equal(grid_column(&g, 5), 0);
}
