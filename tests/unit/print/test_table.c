// SPDX-License-Identifier: BSD-2-Clause
/* Tables: what is shortened, what is dropped, and what never is. */
#include "user/print/table.h"
#include "tests/lib/test.h"

static const struct table_column columns[] = {
	{"Timed Method", "method", TABLE_METHOD, 0}, {"Calls", "calls", TABLE_NUMBER, 0},
	{"Total", "totalNs", TABLE_NUMBER, 0},	     {"Minimum", "minNs", TABLE_NUMBER, 2},
	{"Maximum", "maxNs", TABLE_NUMBER, 1},	     {NULL, "whereNs", TABLE_NUMBER, 0},
};

static void row(struct table *table, const char *method)
{
	table_put(table, method);
	table_put_count(table, 2848);
	table_put_time(table, 356000000);
	table_put_time(table, 8);
	table_put_time(table, TABLE_UNKNOWN);
	table_put_time(table, 17);
}

static void check_rows(const char *const *methods, struct table_layout layout, const char *want)
{
	struct bytes out;
	struct table table;

	bytes_init(&out);
	table_init(&table, "Method Timing", columns, sizeof(columns) / sizeof(columns[0]));
	for (; *methods; methods++)
		row(&table, *methods);
	assert_true(table_print(&table, &layout, &out));
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data, want);
	table_release(&table);
	bytes_release(&out);
}

static void check(const char *method, struct table_layout layout, const char *want)
{
	check_rows((const char *const[]){method, NULL}, layout, want);
}

CASE(columns_are_as_wide_as_needed)
{
	check("live.Events.exceptions()", (struct table_layout){120, 1, false, false, false},
	      "\n                    Method Timing\n\n"
	      "Timed Method             Calls  Total Minimum Maximum\n"
	      "------------------------ ----- ------ ------- -------\n"
	      "live.Events.exceptions() 2,848 356 ms    8 ns     N/A\n");
}

CASE(parameters_go_before_packages_and_these_before_columns)
{
	check("a.bb.Cart.add(String, int, long)", (struct table_layout){46, 1, false, false, false},
	      "\n                Method Timing\n\n"
	      "Timed Method      Calls  Total Minimum Maximum\n"
	      "----------------- ----- ------ ------- -------\n"
	      "a.b.Cart.add(...) 2,848 356 ms    8 ns     N/A\n");
	check("a.bb.Cart.addSomething(String, int, long)", (struct table_layout){46, 1, false, false, false},
	      "\n                Method Timing\n\n"
	      "Timed Method      Calls  Total Minimum Maximum\n"
	      "----------------- ----- ------ ------- -------\n"
	      "Cart.addSomething 2,848 356 ms    8 ns     N/A\n");
	check("a.bb.Cart.addSomethings(String, int, long)", (struct table_layout){46, 1, false, false, false},
	      "\n                Method Timing\n\n"
	      "Timed Method              Calls  Total Maximum\n"
	      "------------------------- ----- ------ -------\n"
	      "Cart.addSomethings(...)   2,848 356 ms     N/A\n");
}

CASE(class_and_method_are_never_cut)
{
	check("com.acme.Statement.executeUpdate(String)", (struct table_layout){20, 1, false, false, false},
	      "\n           Method Timing\n\n"
	      "Timed Method            Calls  Total\n"
	      "----------------------- ----- ------\n"
	      "Statement.executeUpdate 2,848 356 ms\n");
}

CASE(overloads_can_be_told_apart)
{
	check_rows((const char *const[]){"com.acme.Cart.add(int)", "com.acme.Cart.add(long)",
					 "com.acme.Cart.get(String)", NULL},
		   (struct table_layout){30, 1, false, false, false},
		   "\n        Method Timing\n\n"
		   "Timed Method      Calls  Total\n"
		   "----------------- ----- ------\n"
		   "c.a.Cart.add(int) 2,848 356 ms\n"
		   "Cart.add(long)    2,848 356 ms\n"
		   "c.a.Cart.get(...) 2,848 356 ms\n");
}

CASE(a_character_is_one_column)
{
	check("a.B.stra\xc3\x9f"
	      "e()",
	      (struct table_layout){120, 1, false, false, false},
	      "\n              Method Timing\n\n"
	      "Timed Method Calls  Total Minimum Maximum\n"
	      "------------ ----- ------ ------- -------\n"
	      "a.B.stra\xc3\x9f"
	      "e() 2,848 356 ms    8 ns     N/A\n");
}

static void check_column(struct table_column column, const char *text, struct table_layout layout, const char *want)
{
	const struct table_column one[] = {column, {"Calls", "calls", TABLE_NUMBER, 0}};
	struct bytes out;
	struct table table;

	bytes_init(&out);
	table_init(&table, "T", one, 2);
	table_put(&table, text);
	table_put_count(&table, 7);
	assert_true(table_print(&table, &layout, &out));
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data, want);
	table_release(&table);
	bytes_release(&out);
}

static void check_text(const char *text, struct table_layout layout, const char *want)
{
	check_column((struct table_column){"Thread", "thread", TABLE_TEXT, 0}, text, layout, want);
}

CASE(words_are_never_cut)
{
	check_column((struct table_column){"Waits", "waits", TABLE_WORDS, 0}, "31.2 ms safepoint",
		     (struct table_layout){20, 1, false, false, false},
		     "\n           T\n\nWaits             Calls\n----------------- -----\n31.2 ms safepoint     7\n");
}

CASE(other_texts_lose_an_end)
{
	check_text("pool-1-thread-17", (struct table_layout){20, 1, false, false, false},
		   "\n         T\n\nThread         Calls\n-------------- -----\npool-1-thre...     7\n");
	check_text("pool-1-thread-17", (struct table_layout){20, 1, true, false, false},
		   "\n         T\n\nThread         Calls\n-------------- -----\n...1-thread-17     7\n");
	check_text(
		"pool-1-thread-17", (struct table_layout){20, 2, false, false, false},
		"\n         T\n\nThread         Calls\n-------------- -----\npool-1-thread-     7\n17                  \n");
}

CASE(rows_that_are_left_out_are_counted)
{
	struct table_layout layout = {120, 1, false, false, false};
	struct bytes out;
	struct table table;

	bytes_init(&out);
	table_init(&table, "T", columns, sizeof(columns) / sizeof(columns[0]));
	row(&table, "a.B.c()");
	table.more = 1204;
	assert_true(table_print(&table, &layout, &out));
	bytes_put_u8(&out, 0);
	assert_contains((char *)out.data, "\nand 1,204 more\n");
	table_release(&table);
	bytes_release(&out);
}

CASE(a_table_without_rows_says_so)
{
	check(NULL, (struct table_layout){120, 1, false, false, false}, "\nNo events found for 'Method Timing'.\n");
}

CASE(json_has_plain_numbers_and_null)
{
	check("live.Events.\"exceptions\"()", (struct table_layout){.json = true, false},
	      "{\"view\":\"Method Timing\",\"rows\":[{\"method\":\"live.Events.\\\"exceptions\\\"()\",\"calls\":2848,"
	      "\"totalNs\":356000000,\"minNs\":8,\"maxNs\":null,\"whereNs\":17}]}\n");
	check(NULL, (struct table_layout){.json = true, false}, "{\"view\":\"Method Timing\",\"rows\":[]}\n");
}

/* Where nothing is left to drop, the table is too wide: it is printed all the same. */
CASE(the_first_column_is_dropped_once)
{
	static const struct table_column first[] = {{"Start", NULL, TABLE_TEXT, 1},
						    {"Method", "method", TABLE_METHOD, 0}};
	static const struct table_layout narrow = {10, 1, false, false, false};
	struct bytes out;
	struct table table;

	bytes_init(&out);
	table_init(&table, "Open Calls", first, 2);
	table_put(&table, "20:08:35.749");
	table_put(&table, "com.acme.Cart.checkout()");
	assert_true(table_print(&table, &narrow, &out));
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data, "\n Open Calls\n\nMethod       \n-------------\nCart.checkout\n");
	table_release(&table);
	bytes_release(&out);
}

/* A value in 30 columns, a thread that is the same in each row, a number. */
static void check_values(bool drops_alike, unsigned int width, const char *want)
{
	static const struct table_column of[] = {
		{"sql", NULL, TABLE_VALUE, 0}, {"Thread", NULL, TABLE_TEXT, 1}, {"Rows", NULL, TABLE_NUMBER, 2}};
	const struct table_layout layout = {width, 1, false, false, false};
	struct bytes out;
	struct table table;

	bytes_init(&out);
	table_init(&table, "T", of, 3);
	table.drops_alike = drops_alike;
	for (int i = 0; i < 2; i++) {
		table_put(&table, i ? "b" : "select x from y where z = 'zz'");
		table_put(&table, "http-request-17");
		table_put_count(&table, i);
	}
	assert_true(table_print(&table, &layout, &out));
	bytes_put_u8(&out, 0);
	assert_contains((char *)out.data, want);
	table_release(&table);
	bytes_release(&out);
}

CASE(a_value_is_cut_after_other_columns)
{
	check_values(false, 60, "\nselect x from y where z = 'zz' http-request-17    0\n");
	check_values(false, 50, "\nselect x from y where z = 'zz' http-reques...    0\n");
	check_values(false, 30, "\nselect x from ... http-requ...\n"); /* the number goes first */
	check_values(false, 20, "\nselect x from y w...\n");
}

CASE(columns_that_are_alike_go_first)
{
	check_values(true, 60, "\nselect x from y where z = 'zz' http-request-17    0\n");
	check_values(true, 50, "\nselect x from y where z = 'zz'    0\n");
}
