// SPDX-License-Identifier: BSD-2-Clause
/* Objects of code outside of calls, by their hash. */
#include "uprobes/agent/tasks/task_others.c"
#include "tests/lib/test.h"

static int setup(void **state)
{
	task_others_begin();
	return 0;
}

CASE(an_object_waits_as_often_as_it_was_added, setup)
{
	assert_false(task_other_waits(7));
	assert_true(task_other_add(7));
	assert_true(task_other_add(7));
	assert_true(task_other_waits(7));
	assert_false(task_other_waits(8));
	task_other_remove(8);
	task_other_remove(7);
	assert_true(task_other_waits(7));
	task_other_remove(7);
	assert_false(task_other_waits(7));
	task_other_remove(7);
	assert_true(task_other_add(7));
	assert_true(task_other_waits(7));
}

/* Hashes of one line: what finds both of its lines full is refused, and all others stay known. */
CASE(what_has_no_room_is_refused, setup)
{
	uint32_t hash[2 * LINES_NEAR * LINE], known = 0, n = 0;

	for (uint32_t h = 1; n < 2 * LINES_NEAR * LINE; h++)
		if (task_other_line(h, 0) == task_other_line(1, 0))
			hash[n++] = h;
	for (uint32_t i = 0; i < n; i++)
		known += task_other_add(hash[i]);
	assert_int_equal(known, LINES_NEAR * LINE);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(task_other_waits(hash[i]), i < known);
	for (uint32_t i = 0; i < n; i++)
		task_other_remove(hash[i]);
	for (uint32_t i = 0; i < LINES * LINE; i++)
		assert_int_equal(others[i], 0);
}

CASE(what_has_left_unseen_is_forgotten_after_two_ages, setup)
{
	task_other_add(7);
	task_others_age();
	assert_true(task_other_waits(7));
	task_other_add(7);
	task_others_age();
	assert_true(task_other_waits(7));
	task_other_remove(7);
	task_others_age();
	assert_false(task_other_waits(7));
}
