// SPDX-License-Identifier: BSD-2-Clause
/* Numbers that have the same places in a table of recent ones. */
#include "format/recent.h"
#include "tests/lib/test.h"

#define SETS (RECENT_PLACES / RECENT_WAYS)

static struct recent r;

static int setup(void **state)
{
	memset(&r, 0, sizeof(r));
	return 0;
}

CASE(numbers_of_one_set_do_not_evict_each_other, setup)
{
	for (uint64_t i = 1; i <= RECENT_WAYS; i++)
		recent_put(&r, 7 + i * SETS);
	for (uint64_t i = 1; i <= RECENT_WAYS; i++)
		for (uint64_t k = 1; k < i; k++)
			assert_int_not_equal(recent_find(&r, 7 + i * SETS), recent_find(&r, 7 + k * SETS));
	for (uint64_t i = 1; i <= RECENT_WAYS; i++)
		assert_in_range(recent_find(&r, 7 + i * SETS), 7 * RECENT_WAYS, 8 * RECENT_WAYS - 1);
}

CASE(number_keeps_its_place, setup)
{
	size_t at = recent_put(&r, 7);

	recent_put(&r, 7 + SETS);
	assert_int_equal(recent_put(&r, 7), at);
	assert_int_equal(recent_find(&r, 7), at);
}

CASE(another_one_takes_the_place_of_one, setup)
{
	unsigned int found = 0;

	for (uint64_t i = 0; i <= RECENT_WAYS; i++)
		recent_put(&r, 7 + i * SETS);
	for (uint64_t i = 0; i <= RECENT_WAYS; i++)
		found += recent_find(&r, 7 + i * SETS) < RECENT_PLACES;
	assert_int_equal(found, RECENT_WAYS);
	assert_true(recent_find(&r, 7 + RECENT_WAYS * SETS) < RECENT_PLACES);
}

CASE(all_places_are_used, setup)
{
	for (uint64_t i = 1; i <= RECENT_PLACES; i++)
		recent_put(&r, i);
	for (uint64_t i = 1; i <= RECENT_PLACES; i++)
		assert_true(recent_find(&r, i) < RECENT_PLACES);
}
