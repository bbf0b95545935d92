// SPDX-License-Identifier: BSD-2-Clause
/* When frtrace runs at nice -20. The system calls are replaced: a test may not have the right to change its priority. */
#include "user/run/priority.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"

#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define STARTED_WITH 3

static _Atomic int nice_now = STARTED_WITH, watcher_nice; /* of the main thread, of the other one */
static bool refused;
static atomic_bool fills;

WRAP(int, getpriority, __priority_which_t which, id_t who)
{
	assert_int_equal(which, PRIO_PROCESS);
	assert_int_equal(who, getpid());
	return nice_now;
}

WRAP(int, setpriority, __priority_which_t which, id_t who, int value)
{
	assert_int_equal(which, PRIO_PROCESS);
	if (refused)
		return -1;
	*(who ? &nice_now : &watcher_nice) = value;
	return 0;
}

static bool unwakeable;
WRAP(int, eventfd_write, int fd, eventfd_t value)
{
	return unwakeable ? -1 : __real_eventfd_write(fd, value);
}

static int setup(void **state)
{
	refused = false;
	priority_adapt(false, INT64_MAX);
	assert_int_equal(nice_now, STARTED_WITH);
	return 0;
}

CASE(raised_at_the_start_and_lowered_when_it_runs, setup)
{
	priority_raise();
	priority_raise();
	assert_int_equal(nice_now, -20);
	priority_adapt(false, INT64_MAX);
	assert_int_equal(nice_now, STARTED_WITH);
}

CASE(raised_while_the_queue_fills_up_and_a_while_longer, setup)
{
	int64_t now = INT64_MAX - 10 * PRIORITY_NS;

	priority_adapt(true, now);
	assert_int_equal(nice_now, -20);
	priority_adapt(false, now + PRIORITY_NS - 1);
	assert_int_equal(nice_now, -20);
	priority_adapt(true, now + PRIORITY_NS);
	priority_adapt(false, now + PRIORITY_NS + 1);
	assert_int_equal(nice_now, -20);
	priority_adapt(false, now + 2 * PRIORITY_NS);
	assert_int_equal(nice_now, STARTED_WITH);
}

CASE(without_the_right_it_stays, setup)
{
	refused = true;
	priority_raise();
	priority_adapt(true, 1);
	refused = false;
	priority_adapt(false, INT64_MAX);
	assert_int_equal(nice_now, STARTED_WITH);
}

static bool is_filling(const void *of)
{
	assert_ptr_equal(of, &fills);
	return fills;
}

static bool becomes(int nice)
{
	for (int i = 0; i < 1000 && nice_now != nice; i++)
		usleep(10000);
	return nice_now == nice;
}

CASE(raised_by_the_other_thread_when_the_queue_fills_up, setup)
{
	int queue = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	fills = false;
	priority_watch(queue, is_filling, &fills);
	eventfd_write(queue, 1);
	usleep(20000);
	assert_int_equal(nice_now, STARTED_WITH);
	fills = true;
	eventfd_write(queue, 1);
	assert_true(becomes(-20));
	assert_int_equal(watcher_nice, -20);
	priority_unwatch();
	priority_adapt(false, INT64_MAX);
	eventfd_write(queue, 1);
	usleep(20000);
	assert_int_equal(nice_now, STARTED_WITH);
	priority_unwatch();
	close(queue);
}

CASE(the_other_thread_ends_also_if_it_cannot_be_woken, setup)
{
	int queue = eventfd(0, EFD_CLOEXEC);

	priority_watch(queue, is_filling, &fills);
	unwakeable = true;
	alarm(30);
	priority_unwatch();
	alarm(0);
	unwakeable = false;
	close(queue);
}
