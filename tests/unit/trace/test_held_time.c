// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/held_time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void the_shortest_call_that_covers_most_of_a_wait_counts(void **state)
{
	struct held_time h = {.start = 100, .end = 200};

	assert_true(held_time_offer(&h, 0, 300));
	assert_false(held_time_offer(&h, 0, 400));
	assert_true(held_time_offer(&h, 120, 70));
	assert_false(held_time_offer(&h, 130, 20)); /* too little of it */
	assert_false(held_time_offer(&h, 200, 50)); /* none of it */
	assert_true(held_time_is_covered(&h));
	assert_int_equal(h.overlap, 70);
	assert_int_equal(h.duration, 70);
}

static void a_call_counts_only_with_its_part_of_the_wait(void **state)
{
	struct held_time h = {.start = 100, .end = 200};

	assert_false(held_time_is_covered(&h));
	assert_true(held_time_offer(&h, 195, 4));
	assert_true(held_time_offer(&h, 50, 90));
	assert_int_equal(h.overlap, 40);
	assert_int_equal(h.duration, 90);
	assert_false(held_time_is_covered(&h));
}

static void a_lock_is_passed_on_by_who_waited_for_most_of_the_time(void **state)
{
	struct held_time h = {.start = 100, .end = 200};

	assert_false(held_time_pass_on(&h, 20, 99)); /* before */
	assert_false(held_time_pass_on(&h, 20, 140));
	assert_false(held_time_pass_on(&h, 110, 201)); /* it has not ended */
	assert_true(held_time_pass_on(&h, 20, 195));
	assert_true(held_time_pass_on(&h, 140, 190));
	assert_int_equal(h.start, 100);
	assert_int_equal(h.end, 190);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shortest_call_that_covers_most_of_a_wait_counts),
		cmocka_unit_test(a_call_counts_only_with_its_part_of_the_wait),
		cmocka_unit_test(a_lock_is_passed_on_by_who_waited_for_most_of_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
