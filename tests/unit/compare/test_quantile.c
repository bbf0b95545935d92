// SPDX-License-Identifier: BSD-2-Clause
/* The statistics of `frtrace diff`: against known values, and against recordings whose difference is known. */
#include "user/compare/diff.h"
#include "tests/lib/test.h"

#include <math.h>

#define METHODS 50
#define CALLS	1000 /* of a method */
#define MANY	6000 /* of the one that changes */
#define PLANTED 7

static uint64_t seed;

static double uniform(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return ((seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Log-normal: the 99th percentile is twice the median. */
static int64_t duration(double median)
{
	double normal = sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());

	return median * exp(0.298 * normal);
}

/* A recording of 50 methods. That of PLANTED has all its calls `slower` times as long. */
static void make_run(struct run *r, size_t planted_calls, double slower)
{
	static char names[METHODS][32];

	*r = (struct run){0};
	for (uint32_t m = 1; m <= METHODS; m++) {
		size_t calls = m == PLANTED ? planted_calls : CALLS;

		for (size_t i = 0; i < calls; i++)
			run_add(r, m, 1000 + i * 1000000, duration(1e5 * m) * (m == PLANTED ? slower : 1), false);
		snprintf(names[m - 1], sizeof(names[0]), "a.B.m%u()", m);
		r->method[m - 1].name = names[m - 1];
	}
	run_settle(r);
}

CASE(binomial_tails_are_those_of_tables)
{
	assert_true(fabs(binomial_tail(10, 0.5, 8) - 56 / 1024.0) < 1e-12);
	assert_true(fabs(binomial_tail(20, 0.1, 5) - 0.0431745) < 1e-6);
	assert_true(fabs(binomial_tail(1000, 0.01, 20) - 0.0033000) < 2e-4);
	assert_true(binomial_tail(5, 0.3, 0) == 1 && binomial_tail(5, 0.3, 6) == 0);
	assert_true(fabs(binomial_test(10, 0.5, 1) - 22 / 1024.0) < 1e-12);
	assert_true(binomial_test(10, 0.5, 5) == 1);
}

/* Conover, Practical Nonparametric Statistics: order statistics for the median of 10 are the 2nd and the 9th. */
CASE(intervals_are_those_of_order_statistics)
{
	size_t low, high;

	assert_true(quantile_interval(10, 0.5, &low, &high));
	assert_int_equal(low, 1);
	assert_int_equal(high, 8);
	assert_false(quantile_interval(5, 0.5, &low, &high));
	assert_true(quantile_interval(6, 0.5, &low, &high));
	assert_false(quantile_interval(367, 0.99, &low, &high));
	assert_true(quantile_interval(368, 0.99, &low, &high));
	assert_int_equal(high, 367);
	assert_false(quantile_interval(0, 0.5, &low, &high));
}

CASE(an_interval_has_the_quantile_in_19_of_20_samples)
{
	unsigned int inside = 0;
	double truth = exp(0.298 * 2.3263479);

	seed = 1;
	for (int i = 0; i < 400; i++) {
		size_t low, high, n = 0;
		struct run r = {0};

		for (; n < CALLS; n++)
			run_add(&r, 1, 1, duration(1e6), false);
		run_settle(&r);
		assert_true(quantile_interval(n, 0.99, &low, &high));
		inside += r.method[0].sorted[low] <= 1e6 * truth && r.method[0].sorted[high] >= 1e6 * truth;
		run_release(&r);
	}
	assert_in_range(inside, 375, 399);
}

CASE(of_200_pairs_of_equal_runs_at_most_10_differ)
{
	unsigned int alarms = 0;

	seed = 2;
	for (int i = 0; i < 200; i++) {
		struct run before, after;
		struct diff d;

		make_run(&before, CALLS, 1);
		make_run(&after, CALLS, 1);
		diff_make(&d, &before, &after);
		assert_int_equal(d.compared, METHODS);
		alarms += d.changed > 0;
		diff_release(&d);
		run_release(&before);
		run_release(&after);
	}
	print_message("%u of 200 pairs of equal runs differ\n", alarms);
	assert_in_range(alarms, 0, 10);
}

CASE(a_method_of_50_that_is_15_percent_slower_is_found_alone)
{
	unsigned int found = 0;

	seed = 3;
	for (int i = 0; i < 100; i++) {
		struct run before, after;
		struct diff d;

		make_run(&before, MANY, 1);
		make_run(&after, MANY, 1.15);
		diff_make(&d, &before, &after);
		found += d.changed == 1 && d.method[0].before_number == PLANTED && d.method[0].differs[RUN_P99];
		diff_release(&d);
		run_release(&before);
		run_release(&after);
	}
	print_message("found alone in %u of 100 pairs\n", found);
	assert_in_range(found, 95, 100);
}

CASE(the_interval_of_a_change_has_the_change)
{
	unsigned int inside = 0;

	seed = 4;
	for (int i = 0; i < 40; i++) {
		struct run before, after;
		struct quantile_change c;
		struct sample a, b;
		double low, high;

		make_run(&before, MANY, 1);
		make_run(&after, MANY, 1.15);
		a = run_sample(&before.method[PLANTED - 1]);
		b = run_sample(&after.method[PLANTED - 1]);
		c = quantile_compare(&a, &b, 0.99);
		assert_true(c.known);
		quantile_change_interval(&c, &a, &b, &low, &high);
		assert_true(low < high && low <= c.change + 0.01 && high >= c.change - 0.01);
		inside += low <= 0.15 && high >= 0.15;
		run_release(&before);
		run_release(&after);
	}
	assert_in_range(inside, 35, 40);
}

/* One pause that hits 60 calls in a row is one event, not 60. */
CASE(a_burst_of_slow_calls_is_no_difference)
{
	struct run before = {0}, after = {0};
	struct diff d;

	seed = 5;
	for (int i = 0; i < 4000; i++) {
		run_add(&before, 1, 1, duration(1e6), false);
		run_add(&after, 1, 1, i < 60 ? (int64_t)1e8 : duration(1e6), false);
	}
	run_settle(&before);
	run_settle(&after);
	diff_make(&d, &before, &after);
	assert_false(d.method[0].differs[RUN_P99]);
	diff_release(&d);
	run_release(&before);
	run_release(&after);
}

CASE(the_sentence_names_method_change_and_cause)
{
	struct run before, after;
	struct bytes text;
	struct diff d;

	seed = 6;
	make_run(&before, MANY, 1);
	make_run(&after, MANY, 1.41);
	before.method[PLANTED - 1].name = after.method[PLANTED - 1].name = "live.Shop$Checkout.handle(HttpExchange)";
	before.method[PLANTED - 1].tail[RUN_P99] = (struct run_split){10, 1e6, 0, 0};
	after.method[PLANTED - 1].tail[RUN_P99] = (struct run_split){10, 1e6, 0, 6e6};
	aggregate_add(aggregate_of(&after.reasons, PLANTED << 2 | RUN_P99, texts_number(&after.reason_texts, "futex")),
		      6000000, false);
	diff_make(&d, &before, &after);
	bytes_init(&text);
	diff_put_sentence(&text, &d);
	bytes_put_u8(&text, 0);
	assert_ptr_equal(strstr((char *)text.data, "Checkout.handle p99 +"), (char *)text.data);
	assert_contains((char *)text.data, " → ");
	assert_contains((char *)text.data, "): blocked on futex +600 us, cpu unchanged\n");
	bytes_release(&text);
	diff_release(&d);
	run_release(&before);
	run_release(&after);
}
