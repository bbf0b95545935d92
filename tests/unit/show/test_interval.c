// SPDX-License-Identifier: BSD-2-Clause
/* Differences of sums, of a segment in which the test counts. A tick is a nanosecond. */
#include "user/show/interval.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"

static struct bench {
	struct segment segment;
	struct clock clock;
	struct intervals *intervals;
	uint32_t class_id;
	struct breakdown_sums *splits;
} *b;

static int setup(void **state)
{
	struct diag d;

	b = calloc(1, sizeof(*b));
	if (!b)
		return -1;
	b->segment = fake_segment_new();
	b->clock = fake_clock();
	b->class_id = fake_class(&b->segment, "a/C", 0, FRT_CLASS_REWRITTEN);
	for (int i = 0; i < 3; i++)
		fake_method(&b->segment, b->class_id, "m", "()V", FRT_METHOD_HOOKED);
	breakdown_sums_new(&b->splits, &d);
	if (intervals_new(&b->intervals, &b->segment, &b->clock, b->splits, true, &d))
		return -1;
	intervals_begin(b->intervals);
	return 0;
}

static int teardown(void **state)
{
	intervals_free(b->intervals);
	breakdown_sums_free(b->splits);
	fake_segment_free(&b->segment);
	free(b);
	return 0;
}

static void call(uint32_t method, uint64_t duration, bool thrown)
{
	fake_timed_call(&b->segment, method, duration, thrown);
}

CASE(interval_has_where_its_calls_spent_their_time, setup, teardown)
{
	struct wait_join_split split = {.run_queue = 2, .blocked = 5};
	const struct interval *i;

	call(1, 10, false);
	breakdown_sums_add(b->splits, 1, 10, &split);
	breakdown_sums_note_longest(b->splits, 1, 5);
	i = intervals_next(b->intervals);
	assert_true(i->split);
	assert_int_equal(breakdown_sum_cpu(&i->row[0].split), 3);
	assert_int_equal(i->row[0].split.worst, 5);
	call(1, 20, false);
	breakdown_sums_add(b->splits, 1, 20, &split);
	breakdown_sums_note_longest(b->splits, 1, 4);
	i = intervals_next(b->intervals);
	assert_int_equal(i->row[0].split.calls, 1);
	assert_int_equal(i->row[0].split.duration, 20);
	assert_int_equal(i->row[0].split.blocked, 5);
	assert_int_equal(i->row[0].split.worst, 4);
	i = intervals_whole(b->intervals);
	assert_int_equal(i->row[0].split.calls, 2);
	assert_int_equal(breakdown_sum_cpu(&i->row[0].split), 16);
	assert_int_equal(i->row[0].split.worst, 5);
}

static struct frt_sum *sums(void)
{
	return (struct frt_sum *)(b->segment.base + FRT_SHARED_AT);
}

CASE(interval_has_what_its_calls_have_allocated, setup, teardown)
{
	const struct interval *i;

	call(1, 10, false);
	sums()[1].nested.allocated = 1000;
	i = intervals_next(b->intervals);
	assert_true(i->allocated);
	assert_int_equal(i->row[0].allocated, 1000);
	call(1, 10, false);
	sums()[1].nested.allocated = 1600;
	i = intervals_next(b->intervals);
	assert_int_equal(i->row[0].allocated, 600);
	assert_int_equal(i->row[0].since_start.allocated, 1600);
	call(1, 10, false);
	sums()[1].unknown = FRT_UNKNOWN_ALLOCATED;
	i = intervals_next(b->intervals);
	assert_int_equal(i->row[0].allocated, INTERVAL_UNKNOWN);
	assert_int_equal(intervals_whole(b->intervals)->row[0].allocated, INTERVAL_UNKNOWN);
}

CASE(interval_has_what_has_come_in_it, setup, teardown)
{
	const struct interval *i;

	for (int n = 0; n < 98; n++)
		call(1, 10, n < 5);
	call(1, 60, false);
	call(1, 50, false);
	i = intervals_next(b->intervals);
	assert_int_equal(i->calls, 100);
	assert_int_equal(i->thrown, 5);
	assert_int_equal(i->rows, 1);
	assert_int_equal(i->row[0].calls, 100);
	assert_int_equal(i->row[0].total, 1090);
	assert_int_equal(i->row[0].average, 11);
	assert_int_equal(i->row[0].p50, 10);
	assert_int_equal(i->row[0].p99, 50);
	assert_int_equal(i->row[0].maximum, 60);
	call(1, 7, true);
	call(1, 9, false);
	i = intervals_next(b->intervals);
	assert_int_equal(i->row[0].calls, 2);
	assert_int_equal(i->row[0].thrown, 1);
	assert_int_equal(i->row[0].total, 16);
	assert_int_equal(i->row[0].average, 8);
	assert_int_equal(i->row[0].p50, 7);
	assert_int_equal(i->row[0].p99, 9);
	assert_int_equal(i->row[0].maximum, 9); /* not the 60 of before */
	assert_int_equal(i->row[0].since_start.count, 102);
	assert_int_equal(i->row[0].since_start.maximum, 60);
	assert_int_equal(i->row[0].since_start.minimum, 7);
	assert_int_equal(intervals_next(b->intervals)->rows, 0);
}

CASE(intervals_follow_each_other_without_a_gap, setup, teardown)
{
	int64_t end, sum = 0;

	clock_init(&b->clock);
	intervals_begin(b->intervals);
	end = intervals_next(b->intervals)->end;
	for (int n = 0; n < 5; n++) {
		const struct interval *i = intervals_next(b->intervals);

		assert_true(i->length > 0);
		sum += i->length;
		assert_int_equal(i->end, end + sum);
	}
}

CASE(the_most_time_comes_first, setup, teardown)
{
	const struct interval *i;

	call(1, 10, false);
	call(2, 50, false);
	call(3, 5, false);
	call(3, 5, false);
	i = intervals_next(b->intervals);
	assert_int_equal(i->rows, 3);
	assert_int_equal(i->row[0].method, 2);
	assert_int_equal(i->row[1].method, 3); /* as much time, and more calls */
	assert_int_equal(i->row[2].method, 1);
}

CASE(rows_come_in_the_order_that_was_asked_for, setup, teardown)
{
	const struct interval *i;

	call(1, 50, false);
	call(2, 20, true);
	call(2, 20, true);
	call(3, 30, true);
	intervals_next(b->intervals);
	intervals_sort(b->intervals, INTERVAL_ERRORS);
	i = intervals_last(b->intervals);
	assert_int_equal(i->row[0].method, 2);
	assert_int_equal(i->row[1].method, 3);
	assert_int_equal(i->row[2].method, 1);
	intervals_sort(b->intervals, INTERVAL_MAXIMUM);
	assert_int_equal(i->row[1].method, 3);
	call(3, 1, false);
	call(2, 2, false);
	i = intervals_next(b->intervals);
	assert_int_equal(i->order, INTERVAL_MAXIMUM);
	assert_int_equal(i->row[0].method, 2);
	i = intervals_whole(b->intervals);
	assert_int_equal(i->row[0].method, 1);
	assert_int_equal(i->row[0].maximum, 50);
}

static void nest(uint32_t method, uint64_t children, uint64_t repeated)
{
	struct frt_sum *sum = (struct frt_sum *)(b->segment.base + FRT_SHARED_AT) + method;

	sum->nested.children += children;
	sum->nested.repeated += repeated;
}

CASE(interval_has_self_times_and_times_without_recursion, setup, teardown)
{
	const struct interval *i;

	call(1, 100, false);
	call(2, 30, false);
	nest(1, 30, 0);
	i = intervals_next(b->intervals);
	assert_int_equal(i->row[0].self, 70);
	assert_int_equal(i->row[0].outermost, 100);
	assert_int_equal(i->row[1].self, 30);
	assert_true(interval_has_column(i, INTERVAL_SELF));
	assert_false(interval_has_column(i, INTERVAL_OUTERMOST));
	call(1, 200, false);
	call(2, 150, false);
	call(2, 40, false);
	nest(1, 150, 0);
	nest(2, 40, 40);
	i = intervals_next(b->intervals);
	assert_int_equal(i->row[0].self, 50);
	assert_int_equal(i->row[1].self, 150);
	assert_int_equal(i->row[1].outermost, 150);
	assert_true(interval_has_column(i, INTERVAL_OUTERMOST));
	intervals_sort(b->intervals, INTERVAL_SELF);
	assert_int_equal(i->row[0].method, 2);
	i = intervals_whole(b->intervals);
	assert_int_equal(i->row[0].self, 180);
	assert_int_equal(i->row[1].self, 120);
}

CASE(interval_knows_no_self_time_where_the_agent_does_not, setup, teardown)
{
	const struct interval *i;

	call(1, 100, false);
	((struct frt_sum *)(b->segment.base + FRT_SHARED_AT))[1].unknown = FRT_UNKNOWN_NESTED;
	i = intervals_next(b->intervals);
	assert_true(i->row[0].self == INTERVAL_UNKNOWN && i->row[0].outermost == INTERVAL_UNKNOWN);
	assert_false(interval_has_column(i, INTERVAL_SELF));
}

CASE(columns_of_the_kernel_are_there_with_its_numbers, setup, teardown)
{
	struct interval i = {.split = false};

	for (int split = 0; split < 2; split++) {
		i.split = split;
		assert_true(interval_has_column(&i, INTERVAL_TOTAL));
		assert_int_equal(interval_has_column(&i, INTERVAL_CPU), split);
		assert_int_equal(interval_has_column(&i, INTERVAL_WORST), split);
		assert_true(interval_has_column(&i, INTERVAL_OPEN));
	}
}

CASE(the_whole_is_the_sum_of_all, setup, teardown)
{
	const struct interval *i;

	call(1, 10, true);
	intervals_next(b->intervals);
	call(1, 30, false);
	call(2, 5, false);
	intervals_next(b->intervals);
	i = intervals_whole(b->intervals);
	assert_true(i->whole);
	assert_int_equal(i->calls, 3);
	assert_int_equal(i->thrown, 1);
	assert_int_equal(i->rows, 2);
	assert_int_equal(i->row[0].calls, 2);
	assert_int_equal(i->row[0].total, 40);
	assert_int_equal(i->row[0].maximum, 30);
	assert_int_equal(i->row[0].p50, 10);
	assert_int_equal(i->row[0].p99, 30);
}

static struct frt_slot *open_slot(uint32_t depth)
{
	struct frt_slot *s = fake_slot(&b->segment, 10, 0);

	s->epoch = segment_header(&b->segment)->epoch;
	s->depth = depth;
	s->entered = depth;
	return s;
}

CASE(open_calls_are_counted_by_method_with_their_age, setup, teardown)
{
	uint64_t now = intervals_next(b->intervals)->end;
	struct frt_slot *s = open_slot(2), *carrier = open_slot(1);
	const struct interval *i;

	s->open[0] = (struct frt_open_call){now - 2000000000, 2, 0};
	s->open[1] = (struct frt_open_call){now - 1000000000, 2, 0};
	s->open[2] = (struct frt_open_call){now - 5000000000, 3, 0}; /* has ended */
	carrier->flags = FRT_SLOT_CARRIER;
	carrier->open[0] = (struct frt_open_call){now - 9000000000, 3, 0};
	i = intervals_next(b->intervals);
	assert_int_equal(i->open, 3);
	assert_int_equal(i->oldest_method, 2);
	assert_int_equal(i->rows, 1);
	assert_int_equal(i->row[0].method, 2);
	assert_int_equal(i->row[0].calls, 0);
	assert_int_equal(i->row[0].open, 2);
	assert_in_range(i->row[0].oldest_age, 2000000000, 60000000000);
	s->depth = 0;
	s->exited = 2;
	assert_int_equal(intervals_next(b->intervals)->rows, 0);
}

/* What the target wrote may be forged. */
CASE(forged_open_calls_and_groups_lead_nowhere, setup, teardown)
{
	struct frt_histogram *h = (struct frt_histogram *)(b->segment.base + FRT_HISTOGRAMS_AT) + 1;
	struct frt_slot *s = open_slot(UINT32_MAX);
	const struct interval *i;

	for (uint32_t n = 0; n < FRT_OPEN_CALLS; n++)
		s->open[n] = (struct frt_open_call){UINT64_MAX, n % 2 ? UINT32_MAX : 1, 0};
	call(1, 10, false);
	for (uint32_t g = 0; g < FRT_GROUPS; g++)
		h->group[g] = UINT32_MAX - g;
	i = intervals_next(b->intervals);
	assert_int_equal(i->rows, 1);
	assert_int_equal(i->row[0].open, FRT_OPEN_CALLS / 2);
	assert_false(i->row[0].bucketed);
	assert_int_equal(i->row[0].maximum, 10);
}
