// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/process/tsc.h"

#include <sched.h>

/* Readings of a counter with three ticks a nanosecond. */
static struct tsc_reading at(int64_t ns, int64_t ahead_ns)
{
	return (struct tsc_reading){.tsc = 5000 + 3 * (uint64_t)(ns + ahead_ns), .width = 90, .monotonic = 700 + ns};
}

CASE(test_counters_in_step_agree)
{
	const struct tsc_reading reading[] = {at(0, 0), at(20000, 30), at(40000, -30), at(2000000, 0)};

	(void)state;
	assert_int_equal(tsc_apart(reading, 4), 0);
}

CASE(test_a_counter_that_is_ahead_or_behind_is_found)
{
	struct tsc_reading reading[] = {at(0, 0), at(20000, 5000), at(2000000, 0)};

	(void)state;
	assert_in_range(tsc_apart(reading, 3), 4930, 4945);
	reading[1] = at(20000, -5000);
	assert_in_range(tsc_apart(reading, 3), 4930, 4945);
	reading[1] = at(20000, -50000); /* less than the first one */
	assert_in_range(tsc_apart(reading, 3), 49930, 49945);
}

CASE(test_a_wide_reading_is_no_evidence)
{
	struct tsc_reading reading[] = {at(0, 0), at(20000, 5000), at(2000000, 0)};

	(void)state;
	reading[1].width = 3 * 6000;
	assert_int_equal(tsc_apart(reading, 3), 0);
}

CASE(test_a_counter_that_stands_still_or_runs_backwards_is_none)
{
	struct tsc_reading reading[] = {at(0, 0), at(20000, 0), at(2000000, 0)};

	(void)state;
	reading[2].tsc = reading[0].tsc;
	assert_true(tsc_apart(reading, 3) == INT64_MAX);
	reading[2].tsc = reading[0].tsc - 1;
	assert_true(tsc_apart(reading, 3) == INT64_MAX);
}

CASE(test_looking_leaves_the_thread_on_its_cpus)
{
	char how[TSC_TEXT];
	cpu_set_t before, after;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	if (!tsc_usable(how))
		assert_true(how[0]);
	assert_true(tsc_measured(how) || strstr(how, "apart") || strstr(how, "compared"));
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}
