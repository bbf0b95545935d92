// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/holders.h"
#include "tests/lib/test.h"

enum { WAITER = 1, HOLDER, OTHER };

static struct holders h;

/* A wait of WAITER over [100, 200), which HOLDER ended. */
static void want(bool lock)
{
	holders_want(&h,
		     &(struct held){.thread = WAITER, .holder = HOLDER, .lock = lock, .start = 100, .duration = 100});
}

static int release(void **state)
{
	holders_release(&h);
	return 0;
}

CASE(the_shortest_call_that_covers_most_of_a_wait_counts, .teardown = release)
{
	const struct held *held;

	want(true);
	holders_settle(&h);
	holders_on_call(&h, HOLDER, 11, 0, 300);
	holders_on_call(&h, HOLDER, 12, 0, 400);
	holders_on_call(&h, HOLDER, 13, 120, 70);
	holders_on_call(&h, HOLDER, 14, 130, 20); /* too little of it */
	holders_on_call(&h, HOLDER, 15, 200, 50); /* none of it */
	holders_on_call(&h, OTHER, 16, 100, 60);  /* another thread's */
	held = holders_of_wait(&h, WAITER, 100, 100);
	assert_non_null(held);
	assert_int_equal(held_method(held), 13);
	assert_int_equal(held->overlap, 70);
	assert_int_equal(held->best_duration, 70);
}

CASE(a_call_counts_only_with_its_part_of_the_wait, .teardown = release)
{
	const struct held *held;

	want(true);
	holders_settle(&h);
	held = holders_of_wait(&h, WAITER, 100, 100);
	assert_false(held_is_covered(held));
	holders_on_call(&h, HOLDER, 11, 195, 4);
	holders_on_call(&h, HOLDER, 12, 50, 90);
	assert_int_equal(held->overlap, 40);
	assert_int_equal(held->best_duration, 90);
	assert_false(held_is_covered(held));
	assert_int_equal(held_method(held), 0);
}

CASE(a_lock_is_passed_on_by_who_waited_for_most_of_the_time, .teardown = release)
{
	const struct held *held;

	want(true);
	holders_note(&h, HOLDER, OTHER, 20, 79);  /* before */
	holders_note(&h, HOLDER, OTHER, 110, 91); /* it has not ended */
	holders_note(&h, HOLDER, OTHER, 20, 175); /* to 195 */
	holders_note(&h, OTHER, WAITER, 100, 41); /* too little of it */
	holders_settle(&h);
	held = holders_of_wait(&h, WAITER, 100, 100);
	assert_int_equal(held->holder, OTHER);
	assert_int_equal(held->start, 100);
	assert_int_equal(held->passed, 195);
	holders_on_call(&h, HOLDER, 11, 100, 100);
	holders_on_call(&h, OTHER, 12, 90, 110);
	assert_int_equal(held_method(held), 12);
	assert_int_equal(held->overlap, 95);
}

CASE(threads_that_pass_a_lock_on_to_each_other_have_an_end, .teardown = release)
{
	want(true);
	holders_note(&h, HOLDER, OTHER, 100, 100);
	holders_note(&h, OTHER, HOLDER, 100, 100);
	holders_settle(&h);
	assert_in_range(holders_of_wait(&h, WAITER, 100, 100)->holder, HOLDER, OTHER);
}

/* Nobody holds a queue: who filled it counts, even if it waited itself until
 * then. */
CASE(what_is_no_lock_is_not_passed_on, .teardown = release)
{
	want(false);
	holders_note(&h, HOLDER, OTHER, 100, 95);
	holders_settle(&h);
	holders_on_call(&h, HOLDER, 11, 190, 10);
	assert_null(holders_of_wait(&h, WAITER, 100, 100)); /* of no lock */
	assert_int_equal(h.held[0].holder, HOLDER);
	assert_false(held_is_covered(&h.held[0]));
	assert_int_equal(held_method(&h.held[0]), 11);
}

CASE(a_noted_wait_is_wanted_by_its_number, .teardown = release)
{
	uint32_t first = holders_note(&h, WAITER, HOLDER, 100, 100), second = holders_note(&h, OTHER, HOLDER, 100, 100);

	assert_int_equal(holders_note(&h, WAITER, 0, 300, 100), 0); /* nobody is known to have ended it */
	holders_want_number(&h, 0);
	holders_want_number(&h, second);
	holders_settle(&h);
	assert_int_equal(first, 1);
	assert_int_equal(h.wanted, 1);
	assert_null(holders_of_wait(&h, WAITER, 100, 100)); /* of another thread at the same time */
	assert_int_equal(holders_of_wait(&h, OTHER, 100, 100)->holder, HOLDER);
}
