// SPDX-License-Identifier: BSD-2-Clause
/* Which traced call a thread was in, of those in the last seconds. */
#include "tests/lib/test.h"
#include "user/record/path_calls.h"

#include <stdlib.h>

static struct path_calls *calls;

static int setup(void **state)
{
	calls = calloc(1, sizeof(*calls));
	return calls ? 0 : -1;
}

static int teardown(void **state)
{
	free(calls);
	return 0;
}

static void call(uint32_t thread, uint32_t method, int64_t start, int64_t end)
{
	path_calls_add(calls,
		       &(struct path_recent_call){.start = start, .end = end, .thread = thread, .method = method});
}

CASE(the_innermost_call_is_known_from_when_it_was_that, setup, teardown)
{
	struct path_place at;

	call(1, 7, 110, 120);
	call(2, 8, 100, 200);
	call(1, 9, 130, 160);
	call(1, 6, 100, 200);
	at = path_calls_at_end(calls, 1, 0, 150);
	assert_int_equal(at.method, 9);
	assert_int_equal(at.since, 130);
	at = path_calls_at_end(calls, 1, 0, 130);
	assert_int_equal(at.method, 6);
	assert_int_equal(at.since, 120);
	at = path_calls_at_end(calls, 1, 0, 100);
	assert_int_equal(at.method, 0);
	assert_int_equal(at.since, 0);
}

CASE(no_call_is_known_behind_too_many_others, setup, teardown)
{
	call(1, 7, 0, 10);
	for (int64_t i = 0; i < PATH_LOOKED_AT; i++)
		call(1, 8, 100 + i, 101 + i);
	assert_int_equal(path_calls_at_end(calls, 1, 1, 5).method, 0);
	assert_int_equal(path_calls_at_end(calls, 1, 1, 5).since, 1);
	assert_int_equal(path_calls_at_end(calls, 1, 90, 200).method, 8);
}
