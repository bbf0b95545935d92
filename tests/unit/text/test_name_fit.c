// SPDX-License-Identifier: BSD-2-Clause
/* Names of methods in narrow columns: parameters go first, then packages, never class and method. */
#include "user/text/name_fit.h"
#include "tests/lib/test.h"

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

CASE(parameters_go_first_then_packages)
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

CASE(of_overloads_parameters_stay_longest)
{
	fits(LONG, 53, true, "o.apache.tomcat.Statement.executeUpdate(String, int)");
	fits(LONG, 42, true, "o.a.t.Statement.executeUpdate(String, int)");
	fits(LONG, 41, true, "Statement.executeUpdate(String, int)");
	fits(LONG, 35, true, "Statement.executeUpdate(String,...)");
	fits(LONG, 28, true, "Statement.executeUpdate(...)");
	fits(LONG, 27, true, "Statement.executeUpdate");
}

CASE(parameters_that_fit_without_packages_stay)
{
	fits("com.acme.Cart.add(int)", 21, false, "c.acme.Cart.add(int)");
	fits("com.acme.Cart.add()", 18, false, "c.acme.Cart.add()");
	fits("com.acme.Cart.add()", 10, false, "Cart.add()");
}

CASE(what_follows_the_parentheses_stays)
{
	fits("com.acme.Cart.add(String, int):17", 26, false, "com.acme.Cart.add(...):17");
	fits("com.acme.Cart.add(String, int):17", 11, false, "Cart.add:17");
	fits("a.Cart.add(String, int) (loader app)", 30, false, "a.Cart.add(...) (loader app)");
}

CASE(hidden_classes_keep_the_name_before_their_number)
{
	fits("a.b.Slow$$Lambda.0x000088.run()", 28, false, "Slow$$Lambda.0x000088.run()");
}

CASE(characters_are_counted_not_bytes)
{
	fits("stra\xc3\x9f"
	     "e.\xc3\xa4.Cart.add(String, int)",
	     21, false, "s.\xc3\xa4.Cart.add(...)");
}

CASE(other_texts_are_left_alone)
{
	fits("N/A", 2, false, "N/A");
	assert_int_equal(name_essential("a.C.m(int):3", false), 5);
	assert_int_equal(name_essential("a.C.m(int):3", true), 10);
	assert_int_equal(name_essential("N/A", true), 3);
	assert_int_equal(name_essential("(no stack)", true), 10);
}

CASE(overloads_differ_in_parameters_or_loader)
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
