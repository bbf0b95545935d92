// SPDX-License-Identifier: BSD-2-Clause
/* --dump-when: what is accepted, and the message of each mistake. */
#include "user/options/dump_conditions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct dump_conditions list;
static struct diag diag;

static int teardown(void **state)
{
	dump_conditions_release(&list);
	return 0;
}

static bool selects(const struct dump_condition *c, const char *class_name, const char *name)
{
	const struct matcher_method m = {
		.class_name = slice_of(class_name), .name = slice_of(name), .descriptor = slice_of("()V")};

	return matcher_decide(&c->methods, &m).trace;
}

static void each_cause_is_taken_with_its_filter(void **state)
{
	assert_int_equal(dump_conditions_add(&list, "com.acme.Cart::pay >1s", &diag), 0);
	assert_int_equal(dump_conditions_add(&list, "Cart::* thrown ", &diag), 0);
	assert_int_equal(dump_conditions_add(&list, "com.acme.*;a.B  open>10ms", &diag), 0);
	assert_int_equal(list.count, 3);
	assert_true(list.condition[0].cause == DUMP_SLOW && list.condition[0].limit_ns == 1000000000);
	assert_true(list.condition[1].cause == DUMP_THROWN);
	assert_true(list.condition[2].cause == DUMP_OPEN && list.condition[2].limit_ns == 10000000);
	assert_true(selects(&list.condition[0], "com/acme/Cart", "pay"));
	assert_false(selects(&list.condition[0], "com/acme/Cart", "refund"));
	assert_true(selects(&list.condition[1], "Cart", "refund"));
	assert_true(selects(&list.condition[2], "a/B", "any"));
	assert_string_equal(list.condition[2].text, "com.acme.*;a.B  open>10ms");
}

static void the_filter_may_have_blanks(void **state)
{
	assert_int_equal(dump_conditions_add(&list, "Till::is it ok? >1ms", &diag), 0);
	assert_true(selects(&list.condition[0], "Till", "is it ok?"));
}

static void mistakes_have_a_message(void **state)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{"", "a filter and a limit"},
		{"Cart::pay", "a filter and a limit"},
		{" >1s", "wrong filter"},
		{"Cart::pay 1s", "'1s' is none of >TIME, thrown and open>TIME"},
		{"Cart::pay throws", "'throws' is none of"},
		{"Cart::pay open", "'open' is none of"},
		{"Cart::pay >", "'' is no time"},
		{"Cart::pay >1", "'1' is no time"},
		{"Cart::pay:5ms >1s", "the limit stands behind '>'"},
		{"!Cart::pay >1s", "the filter selects nothing"},
		{"+Cart >1s", "'+' and '@' do not work here"},
		{"@Timed >1s", "'+' and '@' do not work here"},
		{"Cart:: >1s", "wrong filter"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_not_equal(dump_conditions_add(&list, wrong[i].text, &diag), 0);
		assert_true(diag.usage);
		if (!strstr(diag.text, wrong[i].message))
			fail_msg("'%s': %s", wrong[i].text, diag.text);
		dump_conditions_release(&list);
	}
}

static void one_too_many_is_refused(void **state)
{
	for (size_t i = 0; i < DUMP_CONDITIONS_MAX; i++)
		assert_int_equal(dump_conditions_add(&list, "a.B::c thrown", &diag), 0);
	assert_int_not_equal(dump_conditions_add(&list, "a.B::c thrown", &diag), 0);
	assert_string_equal(diag.text, "at most 16 --dump-when");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, teardown)
	const struct CMUnitTest tests[] = {
		TEST(each_cause_is_taken_with_its_filter),
		TEST(the_filter_may_have_blanks),
		TEST(mistakes_have_a_message),
		TEST(one_too_many_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
