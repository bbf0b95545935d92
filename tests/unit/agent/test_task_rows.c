// SPDX-License-Identifier: BSD-2-Clause
/* Tasks that wait, by the hash of their object, and which of them are in doubt. */
#include "uprobes/agent/tasks/task_rows.c"
#include "tests/lib/test.h"

static uint64_t clock_now;
static uint32_t next;

static int setup(void **state)
{
	memset(task_rows, 0, sizeof(task_rows));
	memset(words, 0, sizeof(words));
	memset(beyond_few, 0, sizeof(beyond_few));
	memset(beyond_many, 0, sizeof(beyond_many));
	inside_busy = next = 0;
	clock_now = 1 << 20;
	task_rows_begin();
	return 0;
}

/* A task of that call, with that hash. Returns its handle, or 0. */
static uint64_t put(uint64_t from, uint32_t hash)
{
	int64_t at = task_row_hold(0, &next);
	struct task_row *row = &task_rows[at];
	uint64_t handle;

	assert_true(at >= 0);
	row->submitted = clock_now += 16;
	row->from = from;
	row->submitter = 1;
	row->again = true;
	handle = task_row_put(row, hash);
	if (!handle)
		task_row_release(row);
	return handle;
}

static bool take(uint64_t handle)
{
	return task_row_change(handle, ROW_WAITS, ROW_RUNS);
}

CASE(the_oldest_task_with_a_hash_comes_first, setup)
{
	uint64_t first = put(1, 7), other = put(1, 8), second = put(1, 7);

	assert_int_equal(task_rows_waiting(), 3);
	assert_int_equal(task_row_find(7, 0), first);
	assert_int_equal(task_row_find(7, first), second);
	assert_int_equal(task_row_find(7, second), 0);
	assert_int_equal(task_row_find(8, 0), other);
	assert_true(take(first));
	assert_false(take(first));
	assert_int_equal(task_row_find(7, 0), second);
	assert_true(task_row_change(first, ROW_RUNS, ROW_FREE));
	assert_int_equal(task_rows_waiting(), 2);
}

CASE(more_tasks_with_one_hash_than_have_room_are_refused, setup)
{
	uint64_t handle[BUCKET * BUCKETS_NEAR + 1];

	for (uint32_t i = 0; i <= BUCKET * BUCKETS_NEAR; i++)
		handle[i] = put(1, 7);
	assert_int_equal(handle[BUCKET * BUCKETS_NEAR], 0);
	for (uint32_t i = 0; i < BUCKET * BUCKETS_NEAR; i++) {
		assert_int_equal(task_row_find(7, i ? handle[i - 1] : 0), handle[i]);
		assert_true(task_row_is_in_doubt(handle[i]));
	}
}

/* All rows wait, so most buckets are full; then none. */
CASE(every_task_is_found_however_many_wait, setup)
{
	static uint64_t handle[TASK_ROWS];
	uint32_t put_count = 0;

	for (uint32_t i = 0; i < TASK_ROWS; i++) {
		handle[i] = put(1, i * 40503u);
		put_count += handle[i] != 0;
	}
	assert_true(put_count > TASK_ROWS - TASK_ROWS / 100);
	for (uint32_t i = 0; i < TASK_ROWS; i++)
		if (handle[i])
			assert_int_equal(task_row_find(i * 40503u, 0), handle[i]);
	for (uint32_t i = 0; i < TASK_ROWS; i++)
		if (handle[i])
			assert_true(take(handle[i]));
	for (uint32_t i = 0; i < FEW; i++)
		assert_int_equal(beyond_few[i], 0);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(beyond_many[i], 0);
	for (uint32_t i = 0; i < (FEW + MANY) * BUCKET; i++)
		assert_int_equal(words[i], 0);
	assert_int_equal(task_rows_waiting(), 0);
}

CASE(an_object_of_one_call_is_not_in_doubt, setup)
{
	uint64_t first = put(1, 7), second = put(1, 7);

	assert_true(task_row_has_twins(task_row_of(second)));
	task_row_doubt(task_row_of(second), first);
	task_row_doubt(task_row_of(second), second);
	assert_false(task_row_is_in_doubt(first));
	assert_false(task_row_is_in_doubt(second));
}

CASE(an_object_of_two_calls_is_in_doubt_as_long_as_any_of_it_waits, setup)
{
	uint64_t first = put(1, 7), second = put(2, 7), third;

	assert_false(task_row_has_twins(task_row_of(put(3, 9))));
	task_row_doubt(task_row_of(second), first);
	assert_true(task_row_is_in_doubt(first));
	assert_true(take(first));
	third = put(2, 7);
	task_row_doubt(task_row_of(third), second);
	assert_true(task_row_is_in_doubt(third));
	assert_true(take(second));
	assert_true(take(third));
	third = put(2, 7);
	assert_false(task_row_has_twins(task_row_of(third)));
	assert_false(task_row_is_in_doubt(third));
}

CASE(an_object_that_waits_without_a_row_is_in_doubt, setup)
{
	uint64_t task;

	task_other_add(7);
	task = put(1, 7);
	task_other_remove(7);
	assert_true(task_row_is_in_doubt(task));
	assert_false(task_row_is_in_doubt(put(1, 8)));
	assert_true(take(task));
	assert_false(task_row_is_in_doubt(put(1, 7)));
}

CASE(an_object_that_runs_once_is_in_doubt_only_for_its_rows, setup)
{
	uint64_t task = put(1, 7);

	task_row_of(task)->again = false;
	task_hash_doubt(7);
	assert_false(task_row_is_in_doubt(task));
	task_row_of(task)->doubt = true;
	assert_true(task_row_is_in_doubt(task));
}

CASE(a_hash_is_in_doubt_for_one_to_two_ages, setup)
{
	uint64_t task = put(1, 7), other = put(1, 8);

	task_hash_doubt(7);
	assert_true(task_row_is_in_doubt(task));
	assert_false(task_row_is_in_doubt(other));
	task_rows_age();
	assert_true(task_row_is_in_doubt(task));
	task_hash_doubt(8);
	task_rows_age();
	assert_false(task_row_is_in_doubt(task));
	assert_true(task_row_is_in_doubt(other));
	task_rows_begin();
	assert_false(task_row_is_in_doubt(other));
}

CASE(all_rows_can_be_held_and_no_more, setup)
{
	for (uint32_t i = 0; i < TASK_ROWS; i++)
		assert_true(task_row_hold(0, &next) >= 0);
	assert_true(task_row_hold(0, &next) < 0);
	task_row_release(&task_rows[TASK_ROWS - 1]);
	next = TASK_ROWS - 100;
	assert_int_equal(task_row_hold(0, &next), TASK_ROWS - 1);
}
