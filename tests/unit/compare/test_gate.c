// SPDX-License-Identifier: BSD-2-Clause
/* --fail-if: the grammar, and that whatever cannot be known is undecided. */
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "user/compare/gate.h"
#include "user/exit.h"
#include "user/text/log.h"

#define MS 1000000ll

static struct recording r;
static struct diag diag;

static int setup(void **state)
{
	log_set(true, false);
	r = recording_new_with(JFR_KERNEL_WAITS);
	recording_begin(&r);
	return 0;
}

static int teardown(void **state)
{
	recording_free(&r);
	return 0;
}

/* 1 to `count` ms, the last one thrown. */
static void calls(const char *name, int count)
{
	for (int i = 1; i <= count; i++)
		jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0 + i * 100 * MS,
								 .duration = i * MS,
								 .method = recording_method(&r, name),
								 .thrown = i == count,
								 .cpu = MS,
								 .blocked = (i - 1) * MS});
}

static void timing(const char *name, int64_t invocations, int64_t p99)
{
	jfr_method_timing(r.w, &(struct jfr_method_timing){.start = T0,
							   .method = recording_method(&r, name),
							   .invocations = invocations,
							   .minimum = 1,
							   .average = invocations ? MS : JFR_MISSING,
							   .maximum = invocations ? 90 * MS : JFR_MISSING,
							   .p50 = invocations ? MS : JFR_MISSING,
							   .p90 = invocations ? MS : JFR_MISSING,
							   .p99 = p99});
}

/* The exit status after a recording that was complete. */
static int status_of(const char *condition)
{
	struct condition_list l = {0};
	struct jfr_file file;
	int status;

	if (!r.file.size)
		recording_end(&r, true);
	jfr_file_init(&file, r.file.data, r.file.size);
	assert_int_equal(condition_add(&l, CONDITION_FAIL_IF, condition, &diag), 0);
	status = gate_run(&l, NULL, &file, EXIT_DONE, &diag);
	condition_list_release(&l);
	jfr_file_release(&file);
	return status;
}

CASE(what_holds_fails_and_what_does_not_passes, setup, teardown)
{
	calls("pay", 400);
	assert_int_equal(status_of("com.acme.Cart::pay p50>150ms"), EXIT_VIOLATED);
	assert_int_equal(status_of("com.acme.Cart::pay p50>200ms"), EXIT_DONE);
	assert_int_equal(status_of("com.acme.Cart::pay p50>=200ms"), EXIT_VIOLATED);
	assert_int_equal(status_of("com.acme.Cart::pay p99 > 500 ms"), EXIT_DONE);
	assert_int_equal(status_of("*::pay max>399ms"), EXIT_VIOLATED);
	assert_int_equal(status_of("*::pay thrown>0"), EXIT_VIOLATED);
	assert_int_equal(status_of("*::pay thrown>1"), EXIT_DONE);
	assert_int_equal(status_of("*::pay calls=0"), EXIT_DONE);
	assert_int_equal(status_of("*::pay calls=400"), EXIT_VIOLATED);
	assert_int_equal(status_of("*::pay avg>200ms"), EXIT_VIOLATED);
	assert_int_equal(status_of("*::pay cpu>1ms"), EXIT_DONE);
	assert_int_equal(status_of("*::pay blocked>199ms"), EXIT_VIOLATED);
}

CASE(a_method_that_is_not_there_is_undecided, setup, teardown)
{
	calls("pay", 400);
	assert_int_equal(status_of("com.acme.Cart::pya p99>50ms"), EXIT_UNDECIDED);
	assert_int_equal(status_of("com.acme.Cart::pya calls=0"), EXIT_UNDECIDED);
	assert_int_equal(status_of("com.acme.Cart::pya thrown>0"), EXIT_UNDECIDED);
}

CASE(too_few_calls_for_a_percentile_are_undecided, setup, teardown)
{
	calls("pay", 2);
	assert_int_equal(status_of("*::pay p99>1ms"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay p99>1h"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay p50>1h"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay max>1h"), EXIT_DONE);
}

CASE(a_timed_method_without_calls_has_calls_0_and_no_times, setup, teardown)
{
	timing("pay", 0, JFR_MISSING);
	assert_int_equal(status_of("*::pay calls=0"), EXIT_VIOLATED);
	assert_int_equal(status_of("*::pay thrown>0"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay p99>1h"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay max>1h"), EXIT_UNDECIDED);
}

CASE(counters_decide_within_their_error, setup, teardown)
{
	timing("pay", 10000, 50 * MS);
	assert_int_equal(status_of("*::pay p99>40ms"), EXIT_VIOLATED);
	assert_int_equal(status_of("*::pay p99>60ms"), EXIT_DONE);
	assert_int_equal(status_of("*::pay p99>50ms"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay p999>1h"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay calls<10000"), EXIT_DONE);
	assert_int_equal(status_of("*::pay cpu>1h"), EXIT_UNDECIDED);
}

CASE(lost_calls_leave_undecided_what_they_can_change, setup, teardown)
{
	calls("pay", 400);
	jfr_data_loss(r.w, T0, 32, 32);
	assert_int_equal(status_of("*::pay p99>1h"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay p50>1ms"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay max>1h"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay thrown>1"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay calls=0"), EXIT_DONE);
	assert_int_equal(status_of("*::pay calls<500"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay thrown>0"), EXIT_VIOLATED);
	assert_int_equal(status_of("*::pay max>1ms"), EXIT_VIOLATED);
}

CASE(calls_below_a_threshold_leave_undecided_what_they_can_change, setup, teardown)
{
	calls("pay", 400);
	jfr_active_setting(r.w, T0, TRACE, "threshold", "10 ms");
	assert_int_equal(status_of("*::pay p99>1h"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay thrown>1"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay max>1ms"), EXIT_VIOLATED);
}

CASE(thresholds_of_filters_and_thrown_alone_count_too, setup, teardown)
{
	calls("pay", 400);
	jfr_active_setting(r.w, T0, TRACE, "threshold", "0 ms");
	jfr_active_setting(r.w, T0, TRACE, "filter", "com.acme.Cart::pay:10ms");
	assert_int_equal(status_of("*::pay p99>1h"), EXIT_UNDECIDED);
}

CASE(throttled_recordings_are_undecided, setup, teardown)
{
	calls("pay", 400);
	jfr_message(r.w, T0, "throttled", "1 method: com.acme.Cart.pay()");
	assert_int_equal(status_of("*::pay p99>1h"), EXIT_UNDECIDED);
}

CASE(lower_bounds_are_undecided_for_their_methods, setup, teardown)
{
	calls("pay", 400);
	calls("ship", 400);
	jfr_message(r.w, T0, "lower bound", "1 method: com.acme.Cart.pay()");
	assert_int_equal(status_of("*::pay p99>1h"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::ship p99>1h"), EXIT_DONE);
	assert_int_equal(status_of("* p99>1h"), EXIT_UNDECIDED);
}

CASE(a_torn_file_is_undecided, setup, teardown)
{
	calls("pay", 400);
	recording_end(&r, true);
	r.file.size -= 100;
	assert_int_equal(status_of("*::pay thrown>5"), EXIT_UNDECIDED);
}

CASE(a_file_that_is_not_there_is_undecided, setup, teardown)
{
	struct condition_list l = {0};

	assert_int_equal(condition_add(&l, CONDITION_FAIL_IF, "*::pay calls=0", &diag), 0);
	assert_int_equal(gate_run_path(&l, NULL, EXIT_DONE, &diag), EXIT_UNDECIDED);
	assert_int_equal(gate_run_path(&l, "/nonexistent", EXIT_DONE, &diag), EXIT_UNDECIDED);
	condition_list_release(&l);
}

CASE(a_change_needs_a_certain_increase, setup, teardown)
{
	struct condition c = {
		.text = "m p99>+10%", .metric = METRIC_QUANTILE, .quantile = 0.99, .relative = true, .limit = 0.1};
	struct run runs[3] = {0};
	struct bytes lines;

	for (int i = 0; i < 20000; i++) {
		int64_t value = 1000000 + (i * 7919ll % 20011) * 100;

		run_add(&runs[0], 1, 1, value, false);
		run_add(&runs[1], 1, 1, value * 1.5, false);
		if (i < 20)
			run_add(&runs[2], 1, 1, value, false);
	}
	bytes_init(&lines);
	for (int i = 0; i < 3; i++) {
		run_settle(&runs[i]);
		runs[i].method[0].name = "a.B.m()";
	}
	assert_int_equal(gate_judge(&c, &runs[0], &runs[1], &lines), GATE_FAILED);
	assert_int_equal(gate_judge(&c, &runs[0], &runs[0], &lines), GATE_PASSED);
	assert_int_equal(gate_judge(&c, &runs[1], &runs[0], &lines), GATE_PASSED);
	assert_int_equal(gate_judge(&c, &runs[0], &runs[2], &lines), GATE_UNDECIDED);
	c.limit = 0.5;
	assert_int_equal(gate_judge(&c, &runs[0], &runs[1], &lines), GATE_UNDECIDED);
	for (int i = 0; i < 3; i++)
		run_release(&runs[i]);
	bytes_release(&lines);
}

CASE(time_that_is_not_known_of_all_calls_is_undecided, setup, teardown)
{
	calls("pay", 400);
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0 + 1,
							 .duration = MS,
							 .method = recording_method(&r, "pay"),
							 .cpu = JFR_MISSING,
							 .run_queue = JFR_MISSING,
							 .blocked = JFR_MISSING,
							 .pause = JFR_MISSING});
	assert_int_equal(status_of("*::pay cpu>1h"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay runq>1h"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay blocked>1h"), EXIT_UNDECIDED);
	assert_int_equal(status_of("*::pay avg>1h"), EXIT_DONE);
}

/* Of a change each recording has to be known. */
CASE(a_change_against_what_is_not_known_is_undecided, setup, teardown)
{
	struct condition c = {
		.text = "m p99>+10%", .metric = METRIC_QUANTILE, .quantile = 0.99, .relative = true, .limit = 0.1};
	struct run none = {0}, runs[2] = {0};
	struct bytes lines;

	for (int i = 0; i < 2000; i++)
		for (int n = 0; n < 2; n++)
			run_add(&runs[n], 1, 1, 1000000 + i * 7919ll % 2003, false);
	bytes_init(&lines);
	for (int i = 0; i < 2; i++) {
		run_settle(&runs[i]);
		runs[i].method[0].name = "a.B.m()";
	}
	assert_int_equal(gate_judge(&c, &runs[0], &runs[1], &lines), GATE_PASSED);
	assert_int_equal(gate_judge(&c, &none, &runs[1], &lines), GATE_UNDECIDED);
	assert_int_equal(gate_judge(&c, &runs[0], &none, &lines), GATE_UNDECIDED);
	for (int i = 0; i < 2; i++) {
		runs[i].lost = true;
		assert_int_equal(gate_judge(&c, &runs[0], &runs[1], &lines), GATE_UNDECIDED);
		runs[i].lost = false;
		runs[i].throttled = true;
		assert_int_equal(gate_judge(&c, &runs[0], &runs[1], &lines), GATE_UNDECIDED);
		runs[i].throttled = false;
		runs[i].partial = true;
		assert_int_equal(gate_judge(&c, &runs[0], &runs[1], &lines), GATE_UNDECIDED);
		runs[i].partial = false;
		runs[i].method[0].lower_bound = true;
		assert_int_equal(gate_judge(&c, &runs[0], &runs[1], &lines), GATE_UNDECIDED);
		runs[i].method[0].lower_bound = false;
	}
	assert_int_equal(gate_judge(&c, &runs[0], &runs[1], &lines), GATE_PASSED);
	run_release(&runs[0]);
	run_release(&runs[1]);
	bytes_release(&lines);
}

CASE(the_worst_of_several_counts, setup, teardown)
{
	struct condition_list l = {0};
	struct jfr_file file;

	calls("pay", 400);
	recording_end(&r, true);
	jfr_file_init(&file, r.file.data, r.file.size);
	assert_int_equal(condition_add(&l, CONDITION_FAIL_IF, "*::pay thrown>0", &diag), 0);
	assert_int_equal(condition_add(&l, CONDITION_FAIL_IF, "*::pya thrown>0", &diag), 0);
	assert_int_equal(condition_add(&l, CONDITION_FAIL_IF, "*::pay calls=0", &diag), 0);
	assert_int_equal(gate_run(&l, NULL, &file, EXIT_INCOMPLETE, &diag), EXIT_VIOLATED);
	condition_list_release(&l);
	assert_int_equal(condition_add(&l, CONDITION_FAIL_IF, "*::pay calls=0", &diag), 0);
	assert_int_equal(gate_run(&l, NULL, &file, EXIT_INCOMPLETE, &diag), EXIT_INCOMPLETE);
	condition_list_release(&l);
	jfr_file_release(&file);
}

CASE(filters_may_have_blanks_and_angle_brackets, setup, teardown)
{
	struct condition_list l = {0};

	assert_int_equal(condition_add(&l, CONDITION_FAIL_IF, "Till::<init> calls >= 10", &diag), 0);
	assert_int_equal(condition_add(&l, CONDITION_FAIL_IF, "Till::is it ok? p99.9<5us", &diag), 0);
	assert_int_equal(l.condition[0].operator, OPERATOR_AT_LEAST);
	assert_true(l.condition[0].limit == 10);
	assert_string_equal(filter_list_text(l.condition[1].filters, 0), "Till::is it ok?");
	assert_true(l.condition[1].quantile > 0.9989 && l.condition[1].quantile < 0.9991);
	assert_true(l.condition[1].limit == 5000);
	condition_list_release(&l);
}

CASE(what_is_no_condition_is_refused, setup, teardown)
{
	static const char *const wrong[] = {"",
					    "Cart",
					    "Cart p99",
					    "Cart p99>",
					    "p99>50ms",
					    "Cart p99>50",
					    "Cart p0>1ms",
					    "Cart calls>1ms",
					    "Cart speed>1",
					    "Cart thrown>+10%",
					    "Cart p99<+10%",
					    "Cart p99>+x%",
					    "Cart p99=>1ms",
					    "Cart:1ms p99>1ms",
					    "A B p99>>1ms"};
	struct condition_list l = {0};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		diag.usage = false;
		assert_true(condition_add(&l, CONDITION_FAIL_IF, wrong[i], &diag) < 0);
		assert_true(diag.usage);
	}
	assert_int_equal(l.count, 0);
	assert_int_equal(condition_add(&l, CONDITION_FAIL_IF, "Cart p99>+10%", &diag), 0);
	assert_true(condition_list_check_absolute(&l, &diag) < 0);
	condition_list_release(&l);
}
