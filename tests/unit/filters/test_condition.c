// SPDX-License-Identifier: BSD-2-Clause
/* --dump-when and --fail-if: what is accepted, in both spellings, and the message of each mistake. */
#include "filters/condition.h"
#include "tests/lib/test.h"

static struct condition_list list;
static struct diag diag;

static int teardown(void **state)
{
	condition_list_release(&list);
	return 0;
}

static bool selects(const struct condition *c, const char *class_name, const char *name)
{
	return matcher_selects(&c->methods, slice_of(class_name), slice_of(name), slice_of("()V"));
}

CASE(each_cause_is_taken_with_its_filter, .teardown = teardown)
{
	assert_int_equal(condition_add(&list, CONDITION_DUMP_WHEN, "com.acme.Cart::pay >1s", &diag), 0);
	assert_int_equal(condition_add(&list, CONDITION_DUMP_WHEN, "Cart::* thrown ", &diag), 0);
	assert_int_equal(condition_add(&list, CONDITION_DUMP_WHEN, "com.acme.*;a.B  open>10ms", &diag), 0);
	assert_int_equal(list.count, 3);
	assert_true(list.condition[0].metric == METRIC_MAXIMUM && list.condition[0].limit == 1000000000);
	assert_true(list.condition[1].metric == METRIC_THROWN);
	assert_true(list.condition[2].metric == METRIC_OPEN && list.condition[2].limit == 10000000);
	assert_true(selects(&list.condition[0], "com/acme/Cart", "pay"));
	assert_false(selects(&list.condition[0], "com/acme/Cart", "refund"));
	assert_true(selects(&list.condition[1], "Cart", "refund"));
	assert_true(selects(&list.condition[2], "a/B", "any"));
	assert_string_equal(list.condition[2].text, "com.acme.*;a.B  open>10ms");
}

CASE(the_filter_may_have_blanks, .teardown = teardown)
{
	assert_int_equal(condition_add(&list, CONDITION_DUMP_WHEN, "Till::is it ok? >1ms", &diag), 0);
	assert_true(selects(&list.condition[0], "Till", "is it ok?"));
}

CASE(mistakes_have_a_message, .teardown = teardown)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{"", "a filter and a limit"},
		{"Cart::pay", "a filter and a limit"},
		{" >1s", "wrong filter"},
		{"Cart::pay 1s", "a filter and a limit"},
		{"Cart::pay throws", "a filter and a limit"},
		{"Cart::pay open", "a filter and a limit"},
		{"Cart::pay p99>1s", "'p99' is none of >TIME, thrown and open>TIME"},
		{"Cart::pay speed>1s", "'speed' is none of >TIME, thrown and open>TIME"},
		{"Cart::pay max<1s", "'max' is none of >TIME, thrown and open>TIME"},
		{"Cart::pay max>+10%", "a change in per cent is for percentiles"},
		{"Cart::pay thrown>1", "each call throws once, write 'thrown'"},
		{"Cart::pay >", "'' is no time"},
		{"Cart::pay >1", "'1' is no time"},
		{"Cart::pay:5ms >1s", "a filter has no threshold here, the limit stands behind '>'"},
		{"!Cart::pay >1s", "the filter selects nothing"},
		{"+Cart >1s", "'+' and '@' do not work here"},
		{"@Timed >1s", "'+' and '@' do not work here"},
		{"Cart:: >1s", "wrong filter"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_not_equal(condition_add(&list, CONDITION_DUMP_WHEN, wrong[i].text, &diag), 0);
		assert_true(diag.usage);
		if (!strstr(diag.text, wrong[i].message))
			fail_msg("'%s': %s", wrong[i].text, diag.text);
		condition_list_release(&list);
	}
}

/* What one of the options writes in full, and the other one leaves out. */
CASE(both_options_take_both_spellings, .teardown = teardown)
{
	static const struct {
		const char *text;
		enum condition_metric metric;
		double limit;
	} rows[] = {
		{"Cart::pay >1s", METRIC_MAXIMUM, 1e9},	 {"Cart::pay max>1s", METRIC_MAXIMUM, 1e9},
		{"Cart::pay > 1s", METRIC_MAXIMUM, 1e9}, {"Cart::pay max > 1s", METRIC_MAXIMUM, 1e9},
		{"Cart::pay thrown", METRIC_THROWN, 0},	 {"Cart::pay thrown>0", METRIC_THROWN, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(condition_add(&list, CONDITION_DUMP_WHEN, rows[i].text, &diag), 0);
		assert_int_equal(condition_add(&list, CONDITION_FAIL_IF, rows[i].text, &diag), 0);
		for (size_t k = 0; k < 2; k++) {
			assert_int_equal(list.condition[k].metric, rows[i].metric);
			assert_true(list.condition[k].limit == rows[i].limit);
			assert_int_equal(list.condition[k].operator, OPERATOR_ABOVE);
			assert_true(selects(&list.condition[k], "Cart", "pay"));
			assert_false(selects(&list.condition[k], "Cart", "max"));
		}
		condition_list_release(&list);
	}
	assert_int_not_equal(condition_add(&list, CONDITION_FAIL_IF, "Cart::pay open>1s", &diag), 0);
	assert_contains(diag.text, "'open' is none of calls, thrown, p50");
	assert_int_not_equal(condition_add(&list, CONDITION_FAIL_IF, "+Cart >1s", &diag), 0);
}

CASE(one_too_many_is_refused, .teardown = teardown)
{
	for (size_t i = 0; i < CONDITION_DUMPS; i++)
		assert_int_equal(condition_add(&list, CONDITION_DUMP_WHEN, "a.B::c thrown", &diag), 0);
	assert_int_not_equal(condition_add(&list, CONDITION_DUMP_WHEN, "a.B::c thrown", &diag), 0);
	assert_string_equal(diag.text, "at most 16 --dump-when");
}
