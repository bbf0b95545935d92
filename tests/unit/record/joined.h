/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits that are joined with calls: what goes in, and the answers. */
#ifndef TESTS_UNIT_RECORD_JOINED_H
#define TESTS_UNIT_RECORD_JOINED_H

#include "user/record/wait_join.h"
#include "tests/lib/test.h"

#define THREAD 7u

static struct wait_join *join;

static int join_waits(const struct wait_join_setup *setup)
{
	struct diag d = {0};

	return wait_join_new(&join, setup, &d);
}

static int teardown(void **state)
{
	wait_join_free(join);
	join = NULL;
	return 0;
}

static void put(uint32_t thread, int64_t off, int64_t wake, int64_t on, uint16_t reason, uint16_t flags)
{
	struct frt_wait w = {.kind = FRT_WAIT,
			     .thread = thread,
			     .off = off,
			     .wake = wake,
			     .on = on,
			     .reason = reason,
			     .flags = flags};

	wait_join_wait(join, &w, &(struct wait_stack_ids){0});
}

static struct wait_join_split split_of(uint32_t thread, int64_t from, int64_t to)
{
	struct wait_join_split s;

	wait_join_split(join, thread, from, to, &s);
	return s;
}

static struct wait_join_split split(int64_t from, int64_t to)
{
	return split_of(THREAD, from, to);
}

static void expect(int64_t from, int64_t to, int64_t blocked, int64_t run_queue)
{
	struct wait_join_split s = split(from, to);

	assert_int_equal(s.blocked, blocked);
	assert_int_equal(s.run_queue, run_queue);
}

#endif
