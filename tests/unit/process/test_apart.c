// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/apart.h"
#include "user/text/monotonic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define LONG_MS	 60000
#define SHORT_MS 50

static void add_one(void *result, const void *context)
{
	*(int *)result += *(const int *)context + 1;
}

static void the_result_of_the_work_is_returned(void **state)
{
	int result = 5, context = 6;

	assert_int_equal(apart_run(add_one, &context, &result, sizeof(result), LONG_MS), 0);
	assert_int_equal(result, 7);
}

static void hang(void *result, const void *context)
{
	*(int *)result = 1;
	for (;;)
		pause();
}

static void work_that_hangs_is_given_up(void **state)
{
	int64_t began = monotonic_ms();
	int result = 5;

	assert_int_equal(apart_run(hang, NULL, &result, sizeof(result), SHORT_MS), -ETIMEDOUT);
	assert_true(monotonic_ms() - began >= SHORT_MS);
	assert_int_equal(result, 5);
}

/* Time does not come back, so a piece of work that hangs gets less than the one before. */
static void work_that_hangs_uses_up_half_of_a_shared_time(void **state)
{
	struct apart_time time = {8 * SHORT_MS};
	int result = 5, context = 6, times = 0, err;

	while ((err = apart_run_sharing(hang, NULL, &result, sizeof(result), &time)) == -ETIMEDOUT && times++ < 100)
		assert_true(time.left_ms <= 4 * SHORT_MS);
	assert_int_equal(err, -EBUSY);
	assert_int_equal(apart_run_sharing(add_one, &context, &result, sizeof(result), &time), -EBUSY);
	time.left_ms = LONG_MS;
	assert_int_equal(apart_run_sharing(add_one, &context, &result, sizeof(result), &time), 0);
}

static void crash(void *result, const void *context)
{
	*(int *)result = 1;
	raise(SIGKILL);
}

static void a_crash_is_an_error(void **state)
{
	int result = 5;

	assert_int_equal(apart_run(crash, NULL, &result, sizeof(result), LONG_MS), -EIO);
	assert_int_equal(result, 5);
}

static void write_to_all(void *result, const void *context)
{
	for (int fd = 0; fd < 64; fd++)
		if (write(fd, "x", 1) == 1)
			++*(int *)result;
}

/* The three writes that succeed go to /dev/null. */
static void the_child_has_no_descriptors(void **state)
{
	int ends[2], result = 0;
	struct pollfd poller;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(apart_run(write_to_all, NULL, &result, sizeof(result), LONG_MS), 0);
	assert_int_equal(result, 3);
	poller = (struct pollfd){ends[0], POLLIN, 0};
	assert_int_equal(poll(&poller, 1, 0), 0);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_result_of_the_work_is_returned),
		cmocka_unit_test(work_that_hangs_is_given_up),
		cmocka_unit_test(work_that_hangs_uses_up_half_of_a_shared_time),
		cmocka_unit_test(a_crash_is_an_error),
		cmocka_unit_test(the_child_has_no_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
