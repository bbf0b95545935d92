// SPDX-License-Identifier: BSD-2-Clause
/* Tables as `jfr view method-timing` of JDK 25 has printed them for the same values. */
#include "user/view/table.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

static const struct table_column columns[] = {
	{"Timed Method", true, true},	{"Invocations", false, false},	{"Minimum Time", false, false},
	{"Average Time", false, false}, {"Maximum Time", false, false},
};

static void check(const char *method, struct table_layout layout, const char *want)
{
	struct bytes out;
	struct table grid;

	bytes_init(&out);
	table_init(&grid, "Method Timing", columns, 5);
	if (method) {
		table_put(&grid, method);
		table_put(&grid, "2,848");
		table_put(&grid, "0.003450 ms");
		table_put(&grid, "0.125000 ms");
		table_put(&grid, "152.000000 ms");
	}
	assert_true(table_print(&grid, &layout, &out));
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data, want);
	table_release(&grid);
	bytes_release(&out);
}

static void columns_are_as_wide_as_needed(void **state)
{
	check("live.Events.exceptions()", (struct table_layout){0, 1, false, false},
	      "\n                                 Method Timing\n\n"
	      "Timed Method                Invocations Minimum Time Average Time  Maximum Time\n"
	      "--------------------------- ----------- ------------ ------------ -------------\n"
	      "live.Events.exceptions()          2,848  0.003450 ms  0.125000 ms 152.000000 ms\n");
}

static void what_is_too_long_loses_its_beginning(void **state)
{
	check("live.Events.exceptions()", (struct table_layout){60, 1, true, false},
	      "\n                       Method Timing\n\n"
	      "...d Method Invocations ...mum Time ...age Time ...mum Time\n"
	      "----------- ----------- ----------- ----------- -----------\n"
	      "...ptions()       2,848 0.003450 ms 0.125000 ms ...00000 ms\n");
}

static void parameters_go_before_anything_is_cut(void **state)
{
	check("a.b.Cart.add(String, int, long)", (struct table_layout){81, 1, false, false},
	      "\n                                  Method Timing\n\n"
	      "Timed Method                 Invocations Minimum Time Average Time  Maximum Time\n"
	      "---------------------------- ----------- ------------ ------------ -------------\n"
	      "a.b.Cart.add(...)                  2,848  0.003450 ms  0.125000 ms 152.000000 ms\n");
}

static void a_cell_may_have_several_lines(void **state)
{
	check("live.Events.exceptions()", (struct table_layout){50, 2, false, false},
	      "\n                  Method Timing\n\n"
	      "Timed Met Invocatio Minimum T Average T Maximum T\n"
	      "hod       ns        ime       ime       ime      \n"
	      "--------- --------- --------- --------- ---------\n"
	      "live.Even     2,848 0.003450  0.125000  152.00000\n"
	      "ts.exc...           ms        ms        0 ms     \n");
}

static void a_character_is_one_column(void **state)
{
	check("a.B.stra\xc3\x9f"
	      "e()",
	      (struct table_layout){0, 1, false, false},
	      "\n                                 Method Timing\n\n"
	      "Timed Method                Invocations Minimum Time Average Time  Maximum Time\n"
	      "--------------------------- ----------- ------------ ------------ -------------\n"
	      "a.B.stra\xc3\x9f"
	      "e()                      2,848  0.003450 ms  0.125000 ms 152.000000 ms\n");
}

static void a_table_without_rows_says_so(void **state)
{
	check(NULL, (struct table_layout){0, 1, false, false}, "\nNo events found for 'Method Timing'.\n");
}

static void json_has_numbers_where_the_table_has(void **state)
{
	check("live.Events.\"exceptions\"()", (struct table_layout){.json = true},
	      "{\"view\":\"Method Timing\",\"rows\":[{\"Timed Method\":\"live.Events.\\\"exceptions\\\"()\",\"Invocations\":2848,"
	      "\"Minimum Time\":\"0.003450 ms\",\"Average Time\":\"0.125000 ms\",\"Maximum Time\":\"152.000000 ms\"}]}\n");
	check(NULL, (struct table_layout){.json = true}, "{\"view\":\"Method Timing\",\"rows\":[]}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_wide_as_needed),
		cmocka_unit_test(what_is_too_long_loses_its_beginning),
		cmocka_unit_test(parameters_go_before_anything_is_cut),
		cmocka_unit_test(a_cell_may_have_several_lines),
		cmocka_unit_test(a_character_is_one_column),
		cmocka_unit_test(a_table_without_rows_says_so),
		cmocka_unit_test(json_has_numbers_where_the_table_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
