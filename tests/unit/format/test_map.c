// SPDX-License-Identifier: BSD-2-Clause
#include "format/map.h"
#include "format/vec.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/test.h"

#define PAIRS 5000u

CASE(each_pair_has_its_value)
{
	struct map m = {0};

	assert_int_equal(map_get(&m, 1, 2), 0);
	for (uint32_t i = 1; i <= PAIRS; i++) {
		uint32_t *value = map_at(&m, i % 70, i);

		assert_non_null(value);
		assert_int_equal(*value, 0);
		*value = i;
	}
	for (uint32_t i = 1; i <= PAIRS; i++) {
		assert_int_equal(map_get(&m, i % 70, i), i);
		assert_int_equal(map_get(&m, i % 70 + 1, i), 0);
	}
	assert_int_equal(m.count, PAIRS);
	assert_int_equal(*map_at(&m, 3, 3), 3);
	assert_int_equal(m.count, PAIRS);
	map_clear(&m);
	assert_int_equal(map_get(&m, 3, 3), 0);
	assert_int_equal(*map_at(&m, 3, 3), 0);
	map_release(&m);
	assert_int_equal(map_get(&m, 3, 3), 0);
}

CASE(map_without_memory_keeps_its_pairs)
{
	struct map m = {0};
	uint32_t *value;

	fail_nth_or_skip();
	for (uint32_t i = 1; i <= 128; i++)
		*map_at(&m, i, 0) = i;
	fail_nth(1);
	value = map_at(&m, 129, 0);
	fail_nth(0);
	assert_null(value);
	for (uint32_t i = 1; i <= 128; i++)
		assert_int_equal(map_get(&m, i, 0), i);
	map_release(&m);
}

CASE(lower_bound_is_the_first_that_is_not_before)
{
	static const int sorted[] = {1, 3, 3, 3, 8};

	for (int wanted = 0; wanted < 10; wanted++) {
		size_t n = 0;

		while (n < 5 && sorted[n] < wanted)
			n++;
		assert_int_equal(lower_bound(i, 5, sorted[i] >= wanted), n);
	}
	assert_int_equal(lower_bound(i, 0, sorted[i] >= 0), 0);
}
