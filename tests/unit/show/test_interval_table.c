// SPDX-License-Identifier: BSD-2-Clause
/* The table and its JSON, of intervals made by hand. */
#include "user/show/interval_table.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/json.h"
#include "tests/lib/test.h"

#define ROWS 30

static struct segment segment;
static struct interval_row row[ROWS];
static struct interval interval;
static struct interval_table_setup how;
static char *text;

static int setup(void **state)
{
	uint32_t class_id;

	setenv("TZ", "UTC", 1);
	segment = fake_segment_new();
	class_id = fake_class(&segment, "com/acme/Cart", fake_loader(&segment, "a/L", "app"), 0);
	fake_method(&segment, class_id, "checkout", "(Lcom/acme/Order;)V", 0);
	fake_method(&segment, class_id, "price", "()I", FRT_METHOD_LOWER_BOUND);
	memset(row, 0, sizeof(row));
	row[0] = (struct interval_row){
		.method = 1,
		.calls = 1204,
		.thrown = 2,
		.total = 9800000000,
		.average = 8100000,
		.p50 = 7900000,
		.p99 = 31000000,
		.maximum = 210400000,
		.bucketed = true,
		.since_start = {
			.count = 5000, .thrown = 3, .total = 40000000000, .minimum = 1000, .maximum = 300000000}};
	row[1] = (struct interval_row){.method = 2, .open = 1, .oldest_age = 42100000000};
	interval = (struct interval){.end = 1500000000,
				     .length = 5000000000,
				     .calls = 1204,
				     .thrown = 2,
				     .open = 1,
				     .oldest_age = 42100000000,
				     .oldest_method = 2,
				     .row = row,
				     .rows = 2,
				     .order = INTERVAL_TOTAL};
	how = (struct interval_table_setup){
		.segment = &segment, .realtime = 1000000000000000000, .ticks_offset = -500000000, .lost = 7};
	return 0;
}

static int teardown(void **state)
{
	fake_segment_free(&segment);
	free(text);
	text = NULL;
	return 0;
}

static unsigned int print(void)
{
	size_t size;
	FILE *to;
	unsigned int lines;

	free(text);
	to = open_memstream(&text, &size);
	lines = interval_table_print(to, &interval, &how);
	fclose(to);
	return lines;
}

static unsigned int count_lines(void)
{
	unsigned int n = 0;

	for (const char *p = text; (p = strchr(p, '\n')); p++)
		n++;
	return n;
}

static size_t longest_line(void)
{
	size_t most = 0;

	for (const char *p = text; *p; p += strcspn(p, "\n") + 1) {
		size_t columns = 0;

		for (const char *c = p; *c != '\n'; c++)
			columns += (*c & 0xc0) != 0x80;
		most = columns > most ? columns : most;
	}
	return most;
}

CASE(table_has_a_row_for_each_method, setup, teardown)
{
	assert_int_equal(print(), 4);
	assert_string_equal(
		text,
		"01:46:41   1,204 calls in 5.0 s   2 thrown   7 lost   1 open, oldest 42.1 s in com.acme.Cart.price()\n"
		"calls  errors     avg     p50      p99     max  total  open  method\n"
		"1,204       2  8.1 ms  7.9 ms  31.0 ms  210 ms  9.8 s     0  com.acme.Cart.checkout(Order)\n"
		"    0       0       -       -        -       -      -     1  com.acme.Cart.price()\n");
}

static void print_json(void)
{
	size_t size;
	FILE *to;

	free(text);
	to = open_memstream(&text, &size);
	interval_json(to, &interval, &how);
	fclose(to);
}

CASE(where_time_went_has_columns_when_it_is_known, setup, teardown)
{
	interval.split = true;
	row[0].split =
		(struct breakdown_sum){.calls = 3, .duration = 200, .run_queue = 2, .blocked = 192, .worst = 11400000};
	print();
	assert_contains(text, "max  total  cpu  runq  blocked  worst wait  open  method\n");
	assert_contains(text, "210 ms  9.8 s  3 %   1 %     96 %     11.4 ms     0  com.acme");
	assert_contains(text, "       -      -    -     -        -           -     1  com.acme.Cart.price()");
	print_json();
	assert_string_equal(json_text(json_at(text, "methods") + 1, "where.blockedNs"), "192");
	assert_string_equal(json_text(json_at(text, "methods") + 1, "where.worstWaitNs"), "11400000");
}

CASE(self_times_have_columns_when_calls_are_nested, setup, teardown)
{
	row[0].self = 1500000000;
	row[0].outermost = 9300000000;
	interval.nested = true;
	print();
	assert_contains(text, "max  total   self  open  method\n");
	assert_contains(text, "210 ms  9.8 s  1.5 s     0  com.acme");
	interval.recursive = true;
	print();
	assert_contains(text, "max  total  outer   self  open  method\n");
	assert_contains(text, "210 ms  9.8 s  9.3 s  1.5 s     0  com.acme");
	print_json();
	assert_string_equal(json_text(json_at(text, "methods") + 1, "selfNs"), "1500000000");
	assert_string_equal(json_text(json_at(text, "methods") + 1, "outermostNs"), "9300000000");
	row[0].self = INTERVAL_UNKNOWN;
	print();
	assert_contains(text, "210 ms  9.8 s  9.3 s     -     0  com.acme");
	print_json();
	assert_string_equal(json_text(json_at(text, "methods") + 1, "selfNs"), "null");
}

CASE(what_calls_allocate_has_a_column_when_it_is_counted, setup, teardown)
{
	interval.allocated = true;
	row[0].allocated = 12345678;
	row[1].since_start.unknown = FRT_UNKNOWN_ALLOCATED;
	print();
	assert_contains(text, "max  total    alloc  open  method\n");
	assert_contains(text, "210 ms  9.8 s  11.8 MB     0  com.acme");
	assert_contains(text, "     -      -        -     1  com.acme.Cart.price()");
	print_json();
	assert_string_equal(json_text(json_at(text, "methods") + 1, "allocatedBytes"), "12345678");
	row[0].allocated = INTERVAL_UNKNOWN;
	print();
	assert_contains(text, "210 ms  9.8 s      -     0  com.acme");
	print_json();
	assert_string_equal(json_text(json_at(text, "methods") + 1, "allocatedBytes"), "null");
}

CASE(no_percentiles_are_no_number, setup, teardown)
{
	row[0].bucketed = false;
	print();
	assert_contains(text, "8.1 ms    -    -  210 ms");
}

CASE(nothing_is_one_line, setup, teardown)
{
	interval = (struct interval){.length = 1000000000};
	how.lost = 0;
	assert_int_equal(print(), 1);
	assert_string_equal(text, "01:46:40   0 calls in 1.0 s   0 thrown   0 lost   0 open\n");
}

CASE(the_whole_recording_is_named_so, setup, teardown)
{
	interval.whole = true;
	interval.calls = 1;
	print();
	assert_contains(text, "   1 call in all of 5.0 s   ");
}

static void many_rows(void)
{
	for (uint32_t i = 0; i < ROWS; i++)
		row[i] = row[0];
	interval.rows = ROWS;
}

CASE(rows_beyond_the_top_are_counted, setup, teardown)
{
	many_rows();
	assert_int_equal(print(), INTERVAL_TABLE_ROWS + 3);
	assert_contains(text, "\nand 10 more methods\n");
	how.top = ROWS - 1;
	assert_int_equal(print(), ROWS + 2);
	assert_contains(text, "\nand 1 more method\n");
	how.top = ROWS + 1;
	assert_int_equal(print(), ROWS + 2);
	assert_lacks(text, "more");
}

/* With the line of the cursor all is on the screen, whatever its size: else the next frame would not find it. */
CASE(table_fits_any_screen, setup, teardown)
{
	many_rows();
	how.top = 100;
	for (how.height = 1; how.height < 50; how.height++)
		for (how.width = 1; how.width < 150; how.width++) {
			unsigned int lines = print();

			assert_int_equal(lines, count_lines());
			assert_true(lines < how.height || lines == 1);
			if (how.width >= 30)
				assert_true(longest_line() <= how.width);
		}
}

CASE(keys_and_scrolled_rows_fit_any_screen, setup, teardown)
{
	many_rows();
	how.top = 100;
	how.keys = true;
	for (how.height = 1; how.height < 50; how.height++)
		for (how.width = 30; how.width < 150; how.width += 7)
			for (interval.order = 0; interval.order < INTERVAL_COLUMNS; interval.order++) {
				unsigned int lines;

				how.first = 0;
				how.first = interval.rows - interval_table_rows(&interval, &how);
				lines = print();
				assert_int_equal(lines, count_lines());
				assert_true(lines < how.height || lines <= 2);
				assert_true(longest_line() <= how.width);
			}
}

CASE(rows_begin_where_the_user_has_scrolled_to, setup, teardown)
{
	row[0].method = 2;
	row[1].method = 1;
	interval.open = 0;
	how.keys = true;
	how.top = 1;
	how.first = 1;
	print();
	assert_lacks(text, "price");
	assert_contains(text, "com.acme.Cart.checkout");
	assert_contains(text, "rows 2 to 2 of 2\n");
	assert_lacks(text, "q ends");
	how.height = 24;
	print();
	assert_contains(text, "\nq ends   s, left, right: sorted by total   up, down: scroll\n");
	interval.whole = true;
	print();
	assert_lacks(text, "q ends");
}

CASE(the_column_of_the_order_is_marked_and_stays, setup, teardown)
{
	interval.order = INTERVAL_P50;
	how.keys = true;
	how.width = 60;
	print();
	assert_contains(text, "  P50  ");
	assert_contains(text, "  total  ");
	how.keys = false;
	print();
	assert_lacks(text, "P50");
}

CASE(colours_are_used_only_where_they_are_wanted, setup, teardown)
{
	interval.order = INTERVAL_TOTAL;
	how.keys = true;
	print();
	assert_null(strchr(text, '\033'));
	how.colours = true;
	print();
	assert_contains(text, "\033[1mTOTAL\033[m");
	assert_contains(text, "\033[31m     2\033[m");
	assert_lacks(text, "\033[31m     0");
}

CASE(narrow_screens_keep_calls_total_class_and_method, setup, teardown)
{
	how.width = 80;
	print();
	assert_contains(text, "calls  errors     avg     p50      p99     max  total  method\n");
	assert_contains(text, "  c.acme.Cart.checkout(...)\n");
	assert_contains(text, "  com.acme.Cart.price()\n");
	how.width = 40;
	print();
	assert_contains(text, "calls  total  method\n");
	assert_contains(text, "1,204  9.8 s  c.acme.Cart.checkout(...)\n");
}

CASE(where_time_went_stays_longer_than_percentiles, setup, teardown)
{
	interval.split = true;
	row[0].split = (struct breakdown_sum){.calls = 3, .duration = 200, .run_queue = 2, .blocked = 192};
	how.width = 60;
	print();
	assert_contains(text, "calls      p99  total  cpu  blocked  method\n");
}

CASE(columns_go_before_class_and_method, setup, teardown)
{
	uint32_t class_id = fake_class(&segment, "org/apache/tomcat/DelegatingPreparedStatement", 0, 0);

	row[0].method = fake_method(&segment, class_id, "executeUpdate", "(Ljava/lang/String;)I", 0);
	how.width = 80;
	print();
	assert_contains(text, "calls     avg      p99     max  total  method\n");
	assert_contains(text, "  DelegatingPreparedStatement.executeUpdate\n");
}

CASE(overloads_can_be_told_apart, setup, teardown)
{
	row[1] = row[0];
	row[1].method = fake_method(&segment, 1, "checkout", "(Lcom/acme/Order;ZZZ)V", 0);
	how.width = 60;
	print();
	assert_contains(text, "Cart.checkout(Order)\n");
	assert_contains(text, "Cart.checkout(Order, b");
}

CASE(a_class_in_two_loaders_is_named_with_them, setup, teardown)
{
	uint32_t other = fake_class(&segment, "com/acme/Cart", fake_loader(&segment, "a/L", "plugin"), 0);
	uint32_t id = fake_method(&segment, other, "checkout", "(Lcom/acme/Order;)V", 0);
	struct frt_class *a = (struct frt_class *)segment_class(&segment, other);
	struct frt_method *m = (struct frt_method *)segment_method(&segment, id);

	/* the agent gives equal strings one number */
	a->name = segment_class(&segment, 1)->name;
	m->name = segment_method(&segment, 1)->name;
	m->descriptor = segment_method(&segment, 1)->descriptor;
	row[2] = row[0];
	row[2].method = id;
	interval.rows = 3;
	print();
	assert_contains(text, "com.acme.Cart.checkout(Order) (loader app)\n");
	assert_contains(text, "com.acme.Cart.checkout(Order) (loader plugin)\n");
	assert_contains(text, "com.acme.Cart.price()\n");
}

static void assert_json(const char *path, const char *want)
{
	assert_string_equal(json_text(text, path), want);
}

CASE(json_has_all_of_it_in_one_line, setup, teardown)
{
	const char *methods;

	print_json();
	assert_int_equal(count_lines(), 1);
	assert_json("time", "2001-09-09T01:46:41.500000000Z");
	assert_json("timeNs", "1000000000");
	assert_json("intervalNs", "5000000000");
	assert_json("calls", "1204");
	assert_json("lost", "7");
	assert_json("oldestOpenNs", "42100000000");
	assert_json("methodsNotShown", "0");
	methods = json_at(text, "methods") + 1;
	assert_string_equal(json_text(methods, "class"), "com.acme.Cart");
	assert_string_equal(json_text(methods, "method"), "checkout");
	assert_string_equal(json_text(methods, "descriptor"), "(Lcom/acme/Order;)V");
	assert_string_equal(json_text(methods, "loader"), "app");
	assert_string_equal(json_text(methods, "lowerBound"), "false");
	assert_string_equal(json_text(methods, "calls"), "1204");
	assert_string_equal(json_text(methods, "thrown"), "2");
	assert_string_equal(json_text(methods, "averageNs"), "8100000");
	assert_string_equal(json_text(methods, "p50Ns"), "7900000");
	assert_string_equal(json_text(methods, "p99Ns"), "31000000");
	assert_string_equal(json_text(methods, "maxNs"), "210400000");
	assert_string_equal(json_text(methods, "totalNs"), "9800000000");
	assert_string_equal(json_text(methods, "oldestOpenNs"), "null");
	assert_string_equal(json_text(methods, "sinceStart.calls"), "5000");
	assert_string_equal(json_text(methods, "sinceStart.minNs"), "1000");
}

CASE(json_of_a_method_without_calls_has_no_times, setup, teardown)
{
	const char *methods;

	interval.row = row + 1;
	interval.rows = 1;
	print_json();
	methods = json_at(text, "methods") + 1;
	assert_string_equal(json_text(methods, "lowerBound"), "true");
	assert_string_equal(json_text(methods, "averageNs"), "null");
	assert_string_equal(json_text(methods, "p99Ns"), "null");
	assert_string_equal(json_text(methods, "maxNs"), "null");
	assert_string_equal(json_text(methods, "open"), "1");
	assert_string_equal(json_text(methods, "oldestOpenNs"), "42100000000");
	assert_string_equal(json_text(methods, "sinceStart.maxNs"), "null");
}

CASE(json_shows_all_unless_told_otherwise, setup, teardown)
{
	many_rows();
	print_json();
	assert_json("methodsNotShown", "0");
	how.top = 3;
	print_json();
	assert_json("methodsNotShown", "27");
}
