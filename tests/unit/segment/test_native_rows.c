// SPDX-License-Identifier: BSD-2-Clause
#include "user/segment/native_rows.h"
#include "tests/lib/test.h"

static struct native_rows rows;

static int release(void **state)
{
	native_rows_release(&rows);
	return 0;
}

CASE(no_rows_are_found_where_there_are_none, .teardown = release)
{
	struct frt_thread row;

	assert_false(native_rows_thread(&rows, FRT_NATIVE_KEY | 1, &row));
	assert_null(native_rows_sum(&rows, 1));
}

CASE(threads_are_found_by_their_keys, .teardown = release)
{
	struct frt_thread row;

	for (uint32_t i = 1; i <= 1000; i++)
		native_rows_add_thread(&rows, FRT_NATIVE_KEY | i)->tid = i;
	for (uint32_t i = 1; i <= 1000; i++) {
		assert_true(native_rows_thread(&rows, FRT_NATIVE_KEY | i, &row));
		assert_int_equal(row.tid, i);
	}
	assert_false(native_rows_thread(&rows, FRT_NATIVE_KEY | 1001, &row));
}

CASE(the_oldest_threads_are_forgotten, .teardown = release)
{
	struct frt_thread row;
	uint32_t last = NATIVE_THREADS + 10;

	for (uint32_t i = 1; i <= last; i++)
		assert_non_null(native_rows_add_thread(&rows, FRT_NATIVE_KEY | i));
	assert_false(native_rows_thread(&rows, FRT_NATIVE_KEY | 10, &row));
	assert_true(native_rows_thread(&rows, FRT_NATIVE_KEY | 11, &row));
	assert_true(native_rows_thread(&rows, FRT_NATIVE_KEY | last, &row));
}

CASE(sums_are_kept_for_each_method, .teardown = release)
{
	static const uint32_t methods[] = {7, 3, 9, 3, 1};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		native_rows_add_sum(&rows, methods[i])->count++;
	assert_int_equal(rows.sums, 4);
	assert_int_equal(native_rows_sum(&rows, 3)->count, 2);
	assert_int_equal(native_rows_sum(&rows, 9)->count, 1);
	assert_null(native_rows_sum(&rows, 2));
	for (size_t i = 1; i < rows.sums; i++)
		assert_true(rows.sum[i - 1].method < rows.sum[i].method);
}
