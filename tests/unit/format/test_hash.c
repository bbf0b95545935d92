// SPDX-License-Identifier: BSD-2-Clause
#include "format/hash.h"
#include "tests/lib/fail_nth.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

#define ROWS 5000u

static uint64_t rows[ROWS + 1]; /* row 0 is none */

static bool row_is(const void *context, uint32_t row)
{
	return rows[row] == *(const uint64_t *)context;
}

/* Hashes of which many are equal. */
static uint64_t hash_of(uint64_t value)
{
	return hash_mix(0, value % 700);
}

static uint32_t find(const struct hash_index *t, uint64_t value)
{
	return hash_find(t, hash_of(value), row_is, &value);
}

static void each_row_is_found_also_among_equal_hashes(void **state)
{
	struct hash_index t = {0};

	assert_int_equal(find(&t, 3), 0);
	for (uint32_t row = 1; row <= ROWS; row++) {
		rows[row] = row * 3ull;
		assert_int_equal(find(&t, rows[row]), 0);
		assert_int_equal(hash_add(&t, hash_of(rows[row]), row), 0);
	}
	for (uint32_t row = 1; row <= ROWS; row++) {
		assert_int_equal(find(&t, rows[row]), row);
		assert_int_equal(find(&t, rows[row] + 1), 0);
	}
	hash_clear(&t);
	assert_int_equal(find(&t, 3), 0);
	assert_int_equal(hash_add(&t, hash_of(3), 1), 0);
	assert_int_equal(find(&t, 3), 1);
	hash_release(&t);
	assert_int_equal(find(&t, 3), 0);
}

static void table_without_memory_keeps_its_rows(void **state)
{
	struct hash_index t = {0};
	unsigned int refused = 0;

	if (!fail_nth_works())
		skip();
	for (uint32_t row = 1; row <= ROWS; row++) {
		rows[row] = row;
		fail_nth(1);
		if (hash_add(&t, hash_of(row), row)) {
			fail_nth(0);
			refused++;
			assert_int_equal(find(&t, row), 0);
			assert_int_equal(hash_add(&t, hash_of(row), row), 0);
		}
		fail_nth(0);
	}
	assert_in_range(refused, 2, 10);
	for (uint32_t row = 1; row <= ROWS; row++)
		assert_int_equal(find(&t, row), row);
	hash_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_found_also_among_equal_hashes),
		cmocka_unit_test(table_without_memory_keeps_its_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
