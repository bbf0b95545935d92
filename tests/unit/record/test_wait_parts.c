// SPDX-License-Identifier: BSD-2-Clause
/* A wait that comes in parts: HotSpot wants a monitor in parks of one millisecond and more, which become one wait. */
#include "tests/unit/record/joined.h"

static size_t no_calls(void *context, uint32_t thread, int64_t moments[WAIT_JOIN_MOMENTS])
{
	return 0;
}

static int setup(void **state)
{
	return join_waits(&(struct wait_join_setup){.open = no_calls});
}

#define TIMED  FRT_WAIT_BY_INTERRUPT
#define AGAIN  FRT_WAIT_AGAIN
#define UNSEEN 0x8000u /* the kernel did not show its end */
#define PARK   1000000 /* ns */

/* HotSpot's parks of one thread that wants a monitor, [off, wake) each, and where: `code` if in no native method. */
static void park(int64_t off, int64_t wake, uint16_t flags, bool code)
{
	struct frt_wait w = {.thread = THREAD,
			     .off = off,
			     .wake = wake,
			     .on = wake + 10,
			     .reason = FRT_WAIT_FUTEX,
			     .flags = flags,
			     .waker = flags & (FRT_WAIT_BY_INTERRUPT | UNSEEN) ? 0 : 3};

	wait_join_wait(join, &w,
		       &(struct wait_stack_ids){.java = code ? 5 : 6, .waker_java = w.waker, .in_code = code});
}

static void preempt(int64_t off, int64_t on)
{
	put(THREAD, off, off, on, FRT_WAIT_PREEMPTED, 0);
}

static struct wait shown[16];
static size_t shows;

static void on_show(void *context, uint32_t thread, const struct wait *w)
{
	if (!w->shown)
		shown[shows++ % 16] = *w;
}

/* Returns the number of waits in [from, to) that are shown. */
static size_t show(int64_t from, int64_t to)
{
	shows = 0;
	wait_join_claim(join, THREAD, from, to, on_show, NULL);
	return shows;
}

CASE(parks_for_a_monitor_are_one_wait_with_the_last_ones_waker, setup, teardown)
{
	int64_t end = 3 * PARK, ready = 69900 + 3 * 10; /* preempted, and after each of three parts */

	park(-500, -400, 0, false);
	park(0, PARK, TIMED, true);
	preempt(PARK + 100, PARK + 70000);
	park(PARK + 80000, 2 * PARK, TIMED | AGAIN, true);
	park(2 * PARK + 50, end, AGAIN, true);
	park(end + 1000, end + 1500, 0, false);
	assert_int_equal(split(0, end + 500).blocked_on[FRT_WAIT_FUTEX], end + 10 - ready);
	expect(0, end + 500, end + 10 - ready, ready);
	expect(-1000, end + 5000, 100 + end + 10 - ready + 500, ready + 20);
	assert_int_equal(show(0, end + 500), 1);
	assert_int_equal(shown[0].off, 0);
	assert_int_equal(shown[0].wake, end + 10 - ready);
	assert_int_equal(shown[0].on, end + 10);
	assert_int_equal(shown[0].waker, 3);
	assert_int_equal(shown[0].stacks.waker_java, 3);
	assert_false(shown[0].by_interrupt);
	assert_int_equal(wait_join_claim(join, THREAD, 0, end + 500, on_show, NULL), end + 10);
	assert_int_equal(show(-1000, end + 5000), 2);
}

CASE(a_part_whose_end_was_not_seen_goes_on, setup, teardown)
{
	park(0, PARK, UNSEEN, true);
	park(PARK + 50, 2 * PARK, AGAIN, true);
	assert_int_equal(show(0, 2 * PARK), 1);
	assert_int_equal(shown[0].waker, 3);
}

CASE(a_last_park_that_has_no_stack_has_that_of_the_ones_before, setup, teardown)
{
	park(0, PARK, TIMED, true);
	put(THREAD, PARK + 100, PARK + 200, PARK + 210, FRT_WAIT_FUTEX, AGAIN);
	assert_int_equal(show(0, 2 * PARK), 1);
	assert_int_equal(shown[0].stacks.java, 5);
}

CASE(what_ends_or_repeats_otherwise_stays_a_wait_each, setup, teardown)
{
	park(0, PARK, TIMED, false); /* Object.wait(1) and the like, in a loop */
	park(PARK + 100, 2 * PARK, TIMED | AGAIN, false);
	park(3 * PARK, 4 * PARK, 0, true); /* woken in vain */
	park(4 * PARK + 100, 5 * PARK, AGAIN, true);
	park(6 * PARK, 7 * PARK, TIMED, true); /* at another place */
	park(7 * PARK + 100, 8 * PARK, 0, true);
	park(9 * PARK, 10 * PARK, TIMED, true); /* the record of the one before was lost */
	park(12 * PARK + FRT_AGAIN_NS, 13 * PARK + FRT_AGAIN_NS, AGAIN, true);
	assert_int_equal(show(0, 20 * PARK + FRT_AGAIN_NS), 8);
	assert_int_equal(split(0, 20 * PARK + FRT_AGAIN_NS).blocked, 8 * PARK - 300);
}

CASE(a_collection_between_two_parks_stays_one, setup, teardown)
{
	const struct frt_pause gc = {.what = FRT_PAUSE_GC, .begin = PARK + 50, .end = 2 * PARK};

	park(0, PARK, TIMED, true);
	wait_join_pause(join, &gc);
	park(PARK + 100, 2 * PARK, AGAIN, true);
	assert_int_equal(show(0, 3 * PARK), 2);
	assert_int_equal(shown[1].reason, FRT_WAIT_GC);
}

/* Otherwise the part that is in the file already would have lost its waker. */
CASE(a_wait_that_may_go_on_is_not_shown_ahead, setup, teardown)
{
	shows = 0;
	park(0, PARK, TIMED, true);
	preempt(PARK + 100, PARK + 200);
	wait_join_show_open(join, THREAD, -1, on_show, NULL);
	assert_int_equal(shows, 0);
	park(PARK + 300, 2 * PARK, AGAIN, true);
	wait_join_show_open(join, THREAD, -1, on_show, NULL);
	assert_int_equal(shows, 1);
	assert_int_equal(shown[0].wake, 2 * PARK - 110);
	park(3 * PARK, 4 * PARK, TIMED, false);
	wait_join_show_open(join, THREAD, -1, on_show, NULL);
	assert_int_equal(shows, 2);
}

CASE(a_wait_in_parts_that_goes_on_has_no_run_queue_at_its_end, setup, teardown)
{
	park(0, PARK, TIMED, true);
	put(THREAD, PARK + 100, 2 * PARK, 2 * PARK, FRT_WAIT_FUTEX, AGAIN | FRT_WAIT_ONGOING);
	assert_int_equal(show(0, 2 * PARK), 1);
	assert_true(shown[0].ongoing);
	assert_int_equal(shown[0].wake, 2 * PARK);
	assert_int_equal(shown[0].on, 2 * PARK);
}

CASE(a_part_that_was_claimed_is_left_alone, setup, teardown)
{
	park(0, PARK, TIMED, true);
	assert_int_equal(show(0, PARK), 1);
	park(PARK + 100, 2 * PARK, AGAIN, true);
	assert_int_equal(show(0, 2 * PARK), 1);
	assert_int_equal(shown[0].off, PARK + 100);
	assert_int_equal(split(0, 2 * PARK).blocked, 2 * PARK - 100);
}
