// SPDX-License-Identifier: BSD-2-Clause
/* What was probably meant by a name that does not exist. */
#include "filters/near.h"
#include "tests/lib/test.h"

static void assert_near(const char *wanted, const char *want)
{
	static const char *const names[] = {"sql", "rows", "customerId", "nativeSql", "id", "user", "userName"};
	struct bytes out;

	bytes_init(&out);
	near_put(&out, wanted, names, 7, 7);
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data, want);
	bytes_release(&out);
}

CASE(near_names_come_by_the_letters_that_differ)
{
	assert_near("slq", "; near: sql");
	assert_near("SQL", "; near: sql, nativeSql");
	assert_near("custommerID", "; near: customerId, id");
	assert_near("users", "; near: user");
	assert_near("userN", "; near: user, userName");
	assert_near("usr", "; near: user");
}

CASE(a_name_that_nothing_is_near_to_gets_all_of_a_few)
{
	assert_near("amount", "; it has sql, rows, customerId, nativeSql, id, user, userName");
	assert_near("", "; it has sql, rows, customerId, nativeSql, id, user, userName");
}

CASE(of_many_names_the_first_are_named)
{
	const char *names[30];
	struct bytes out;

	for (size_t i = 0; i < 30; i++)
		names[i] = "field";
	bytes_init(&out);
	near_put(&out, "amount", names, 30, 30);
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data,
			    "; it has field, field, field, field, field, field, field, field and 22 more");
	bytes_clear(&out);
	near_put(&out, "amount", names, 0, 0);
	assert_int_equal(out.size, 0);
	bytes_release(&out);
}

CASE(names_that_are_not_listed_may_be_near)
{
	static const char *const names[] = {"sql", "rows", "cpuTime"};
	struct bytes out;

	bytes_init(&out);
	near_put(&out, "cputime", names, 3, 2);
	near_put(&out, "amount", names, 3, 2);
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data, "; near: cpuTime; it has sql, rows");
	bytes_release(&out);
}
