// SPDX-License-Identifier: BSD-2-Clause
/* Names of methods in narrow columns: parameters go first, then packages, never class and method. */
#include "user/text/name_fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void fits(const char *name, size_t width, bool parameters, const char *want)
{
	struct bytes out;

	bytes_init(&out);
	name_fit(&out, name, width, parameters);
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data, want);
	if (name_columns(want) > width)
		assert_int_equal(name_columns(want), name_essential(name, false));
	bytes_release(&out);
}

#define LONG "org.apache.tomcat.Statement.executeUpdate(String, int)"

static void parameters_go_first_then_packages(void **state)
{
	fits(LONG, 60, false, LONG);
	fits(LONG, 53, false, "org.apache.tomcat.Statement.executeUpdate(...)");
	fits(LONG, 46, false, "org.apache.tomcat.Statement.executeUpdate(...)");
	fits(LONG, 45, false, "o.apache.tomcat.Statement.executeUpdate(...)");
	fits(LONG, 40, false, "o.a.tomcat.Statement.executeUpdate(...)");
	fits(LONG, 34, false, "o.a.t.Statement.executeUpdate(...)");
	fits(LONG, 33, false, "Statement.executeUpdate(...)");
	fits(LONG, 27, false, "Statement.executeUpdate");
	fits(LONG, 5, false, "Statement.executeUpdate");
}

static void of_overloads_parameters_stay_longest(void **state)
{
	fits(LONG, 53, true, "o.apache.tomcat.Statement.executeUpdate(String, int)");
	fits(LONG, 42, true, "o.a.t.Statement.executeUpdate(String, int)");
	fits(LONG, 41, true, "Statement.executeUpdate(String, int)");
	fits(LONG, 35, true, "Statement.executeUpdate(String,...)");
	fits(LONG, 28, true, "Statement.executeUpdate(...)");
	fits(LONG, 27, true, "Statement.executeUpdate");
}

static void parameters_that_fit_without_packages_stay(void **state)
{
	fits("com.acme.Cart.add(int)", 21, false, "c.acme.Cart.add(int)");
	fits("com.acme.Cart.add()", 18, false, "c.acme.Cart.add()");
	fits("com.acme.Cart.add()", 10, false, "Cart.add()");
}

static void what_follows_the_parentheses_stays(void **state)
{
	fits("com.acme.Cart.add(String, int):17", 26, false, "com.acme.Cart.add(...):17");
	fits("com.acme.Cart.add(String, int):17", 11, false, "Cart.add:17");
	fits("a.Cart.add(String, int) (loader app)", 30, false, "a.Cart.add(...) (loader app)");
}

static void hidden_classes_keep_the_name_before_their_number(void **state)
{
	fits("a.b.Slow$$Lambda.0x000088.run()", 28, false, "Slow$$Lambda.0x000088.run()");
}

static void characters_are_counted_not_bytes(void **state)
{
	fits("stra\xc3\x9f"
	     "e.\xc3\xa4.Cart.add(String, int)",
	     21, false, "s.\xc3\xa4.Cart.add(...)");
}

static void other_texts_are_left_alone(void **state)
{
	fits("N/A", 2, false, "N/A");
	assert_int_equal(name_essential("a.C.m(int):3", false), 5);
	assert_int_equal(name_essential("a.C.m(int):3", true), 10);
	assert_int_equal(name_essential("N/A", true), 3);
	assert_int_equal(name_essential("(no stack)", true), 10);
}

static void overloads_differ_in_parameters_or_loader(void **state)
{
	assert_true(name_is_overload("a.C.m(int)", "a.C.m(long)"));
	assert_true(name_is_overload("a.C.m(int) (loader x)", "a.C.m(int) (loader y)"));
	assert_false(name_is_overload("a.C.m(int)", "a.C.m(int)"));
	assert_false(name_is_overload("a.C.m(int)", "b.C.m(long)"));
	assert_false(name_is_overload("a.C.m(int)", "a.C.m(int):17"));
	assert_false(name_is_overload("a.C.m(int):17", "a.C.m(int):18"));
	assert_true(name_is_overload("a.C.m(int):17", "a.C.m(long):17"));
	assert_false(name_is_overload("N/A", "a.C.m(long)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_go_first_then_packages),
		cmocka_unit_test(of_overloads_parameters_stay_longest),
		cmocka_unit_test(parameters_that_fit_without_packages_stay),
		cmocka_unit_test(what_follows_the_parentheses_stays),
		cmocka_unit_test(hidden_classes_keep_the_name_before_their_number),
		cmocka_unit_test(characters_are_counted_not_bytes),
		cmocka_unit_test(other_texts_are_left_alone),
		cmocka_unit_test(overloads_differ_in_parameters_or_loader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
