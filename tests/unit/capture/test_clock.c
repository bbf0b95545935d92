// SPDX-License-Identifier: BSD-2-Clause
/* The conversion, on pairs made by hand; and the running clock against itself. */
#include "user/capture/clock.h"
#include "tests/lib/machine/machine.h"
#include "tests/lib/test.h"
#include "user/process/tsc.h"

#include <time.h>
#include <unistd.h>

static struct clock c;

/* Three pairs: 2 ticks a nanosecond, then 4. */
static int setup(void **state)
{
	memset(&c, 0, sizeof(c));
	c.pair[0] = (struct clock_pair){1000, 500000, 0};
	c.pair[1] = (struct clock_pair){3000, 501000, 0};
	c.pair[2] = (struct clock_pair){7000, 502000, 0};
	c.pairs = 3;
	return 0;
}

static int64_t monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

CASE(stamp_is_interpolated_between_the_pairs_around_it, setup)
{
	assert_int_equal(clock_ns(&c, 1000), 500000);
	assert_int_equal(clock_ns(&c, 2000), 500500);
	assert_int_equal(clock_ns(&c, 3000), 501000);
	assert_int_equal(clock_ns(&c, 5000), 501500);
	assert_int_equal(clock_ns(&c, 7000), 502000);
	assert_int_equal(clock_ns(&c, 1500), 500250); /* back again, past the hint */
}

CASE(stamp_from_before_us_is_reckoned_from_the_longest_base, setup)
{
	assert_int_equal(clock_ns(&c, 400), 500000 - 200); /* 3 ticks a nanosecond over all */
	assert_int_equal(clock_ns(&c, 0), 500000 - 333);
}

CASE(stamp_of_long_ago_does_not_overflow, setup)
{
	c.pair[0] = (struct clock_pair){3000000000000000000, 1000000000000000000, 0};
	c.pair[1] = (struct clock_pair){6000000000000000000, 2000000000000000000, 0};
	c.pairs = 2;
	assert_int_equal(clock_ns(&c, 0), 0);
	assert_in_range(clock_ns(&c, 4500000000000000000), 1499999999999999900,
			1500000000000000000); /* over 31 years */
}

CASE(forged_stamps_stay_within_bounds, setup)
{
	static const uint64_t stamps[] = {0, 1, 1ull << 62, 1ull << 63, UINT64_MAX - 1, UINT64_MAX};

	clock_init(&c);
	for (size_t i = 0; i < sizeof(stamps) / sizeof(*stamps); i++) {
		int64_t ns = clock_ns(&c, stamps[i]);

		assert_true(ns >= -CLOCK_FARTHEST && ns <= CLOCK_FARTHEST);
		assert_true(i == 0 || ns >= clock_ns(&c, stamps[i - 1]));
	}
	assert_true(clock_ns(&c, UINT64_MAX) == CLOCK_FARTHEST); /* at less than 8 GHz */
}

CASE(each_pair_is_found, setup)
{
	for (size_t i = 0; i < CLOCK_PAIRS; i++) /* each interval of another rate */
		c.pair[i] = (struct clock_pair){1000 + 100 * i, (int64_t)(i * i), 0};
	c.pairs = CLOCK_PAIRS;
	for (size_t i = 0; i < 50000; i++) {
		size_t n = i * 7919 % (CLOCK_PAIRS - 1);

		assert_int_equal(clock_ns(&c, 1000 + 100 * n), n * n);
		assert_int_equal(clock_ns(&c, 1000 + 100 * n + 50), (n * n + (n + 1) * (n + 1)) / 2);
	}
}

CASE(time_becomes_the_stamp_that_has_it, setup)
{
	assert_int_equal(clock_tsc(&c, 500000), 1000);
	assert_int_equal(clock_tsc(&c, 500500), 2000);
	assert_int_equal(clock_tsc(&c, 501000), 3000);
	assert_int_equal(clock_tsc(&c, 501250), 4000);
	assert_int_equal(clock_tsc(&c, 499900), 700);
	for (int64_t ns = 499700; ns < 502000; ns++)
		assert_in_range(clock_ns(&c, clock_tsc(&c, ns)), ns - 1, ns);
}

CASE(conversion_never_runs_backwards, setup)
{
	int64_t last = INT64_MIN, now;

	for (uint64_t tsc = 0; tsc < 9000; tsc++, last = now) {
		now = clock_ns(&c, tsc);
		assert_true(now >= last);
	}
}

CASE(durations_go_there_and_back, setup)
{
	assert_int_equal(clock_ticks_of_ns(&c, 1000), 3000);
	assert_int_equal(clock_ns_of_ticks(&c, 3000), 1000);
	assert_int_equal(clock_ticks_of_ns(&c, 0), 0);
	assert_true(clock_ticks_of_ns(&c, INT64_MAX) == INT64_MAX);
}

CASE(pairs_rise_and_come_within_their_error, setup)
{
	uint64_t before, after;
	int64_t from, to, got;

	clock_init(&c);
	assert_int_equal(c.pairs, 2);
	assert_true(c.pair[0].tsc < c.pair[1].tsc && c.pair[0].monotonic < c.pair[1].monotonic);
	from = monotonic();
	before = tsc_now();
	after = tsc_now();
	to = monotonic();
	clock_cover(&c, after);
	got = clock_ns(&c, before);
	/* 100 us: what a step of the clock's rate could make of some milliseconds */
	assert_true(got >= from - c.pair[1].error - 100000 && got <= to + clock_last(&c)->error + 100000);
	/* the two readings of the last pair were made since */
	assert_in_range(clock_last(&c)->error, 1, monotonic() - to);
}

CASE(covering_a_young_stamp_moves_the_end_behind_it, setup)
{
	uint64_t stamp;

	clock_init(&c);
	for (int i = 0; i < 1000; i++) {
		stamp = tsc_now();
		next_tick();
		clock_cover(&c, stamp);
		assert_true(clock_last(&c)->tsc > stamp);
	}
	for (size_t i = 1; i < c.pairs; i++)
		assert_true(c.pair[i - 1].tsc < c.pair[i].tsc && c.pair[i - 1].monotonic <= c.pair[i].monotonic);
}

CASE(a_counter_that_was_set_back_is_noticed, setup)
{
	uint64_t second;

	clock_init(&c);
	clock_sample(&c);
	assert_false(c.set_back);
	second = clock_ticks_of_ns(&c, 1000000000);
	c.pair[c.pairs++] = (struct clock_pair){tsc_now() + second / 2, monotonic() + 500000000, 0};
	clock_sample(&c);
	assert_false(c.set_back);
	c.pair[c.pairs - 1] = (struct clock_pair){tsc_now() + 10 * second, monotonic() + 10000000000, 0};
	clock_sample(&c);
	assert_true(c.set_back);
}

CASE(covering_an_old_stamp_takes_no_pair, setup)
{
	struct clock_pair end;

	clock_init(&c);
	end = *clock_last(&c);
	clock_cover(&c, end.tsc - 1);
	assert_memory_equal(clock_last(&c), &end, sizeof(end));
}

/* A recording that samples all the time keeps few pairs; the last one is always the present. */
CASE(pairs_that_stay_are_some_way_apart, setup)
{
	clock_init(&c);
	for (int i = 0; i < 200; i++)
		clock_sample(&c);
	assert_true(c.pairs < 200);
	for (size_t i = 1; i + 1 < c.pairs; i++)
		assert_true(c.pair[i].monotonic - c.pair[i - 1].monotonic >= 10000000);
}

CASE(full_clock_forgets_old_pairs_and_keeps_its_ends, setup)
{
	struct clock_pair first, last;
	int64_t begin = monotonic() - (int64_t)CLOCK_PAIRS * 20000000;
	uint64_t tsc = tsc_now() - CLOCK_PAIRS * 60000000ULL;

	for (size_t i = 0; i < CLOCK_PAIRS; i++)
		c.pair[i] = (struct clock_pair){tsc + i * 60000000, begin + (int64_t)i * 20000000, 0};
	c.pairs = CLOCK_PAIRS;
	c.hint = CLOCK_PAIRS - 2;
	first = c.pair[0];
	last = c.pair[CLOCK_PAIRS - 1];
	clock_sample(&c);
	assert_true(c.pairs < CLOCK_PAIRS && c.pairs > CLOCK_PAIRS / 8 * 5); /* the younger half stays */
	assert_memory_equal(&c.pair[0], &first, sizeof(first));
	assert_memory_equal(&c.pair[c.pairs - 2], &last, sizeof(last));
	for (size_t i = 1; i < c.pairs; i++)
		assert_true(c.pair[i - 1].tsc < c.pair[i].tsc);
	assert_int_equal(clock_ns(&c, tsc + 30000000), begin + 10000000);
	assert_int_equal(clock_ns(&c, last.tsc - 30000000), last.monotonic - 10000000);
	assert_true(c.hint < c.pairs);
}

CASE(moments_become_stamps_and_back, setup)
{
	int64_t begin, end;

	clock_init(&c);
	begin = c.pair[0].monotonic;
	for (int i = 0; i < 20; i++) {
		usleep(1000);
		clock_sample(&c);
	}
	end = clock_last(&c)->monotonic;
	for (int64_t at = begin - 5000000; at < end; at += 37123)
		assert_true(llabs(clock_ns(&c, clock_tsc(&c, at)) - at) <= 1);
	end = monotonic(); /* not covered yet: it takes a pair */
	assert_true(llabs(clock_ns(&c, clock_tsc(&c, end)) - end) <= 1);
	assert_true(clock_last(&c)->monotonic >= end);
}

CASE(offset_leads_from_monotonic_to_realtime, setup)
{
	int64_t from = monotonic(), offset = clock_realtime_offset(), real, to;
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	real = t.tv_sec * 1000000000LL + t.tv_nsec;
	to = monotonic();
	assert_true(llabs(offset - (real - to)) <= to - from + 1000000);
}
