// SPDX-License-Identifier: BSD-2-Clause
/* Values of -e in the views of slow requests: which of many calls was the slow one, and what was it about? */
#include "tests/unit/view/valued.h"

CASE(slowest_has_the_values_of_each_call_inside, setup_users, teardown)
{
	request_with_queries();
	show("slowest");
	assert_contains(shown(), "        > 2.0ms com.acme.Cart.query() sql=\"select a\" rows=1\n"
				 "        > 60.0ms com.acme.Cart.query() sql=\"select b\" rows=2\n"
				 "        > 4.0ms com.acme.Cart.query() sql=\"select a\" rows=3\n"
				 "        > 3.0ms com.acme.Cart.query() sql=N/A rows=N/A\n");
}

CASE(slowest_has_the_values_of_the_request_itself, setup_users, teardown)
{
	query("select a", 7, 0, 50);
	show("slowest");
	assert_contains(shown(), "\"worker-1\"\n        sql=\"select a\" rows=7\n");
	request.layout.json = true;
	show("slowest");
	assert_contains(shown(), "\"values\":{\"db.Query\":{\"sql\":\"select a\",\"rows\":7}}}");
}

CASE(a_call_without_values_has_null_in_json, setup_users, teardown)
{
	request.layout.json = true;
	request_with_queries();
	show("slowest");
	assert_contains(shown(), "\"values\":null}");
}

CASE(requests_and_statements_are_called_what_they_are, setup_users, teardown)
{
	statement("select a\nfrom b", 10, 30);
	statement(NULL, 40, 60);
	http_request("/checkout/17", 0, 100);
	show("slowest");
	assert_contains(shown(), " blocked] GET /checkout/17  com.acme.Cart.handle()\n");
	assert_contains(shown(), "\"worker-1\"\n        status=200\n"
				 "        > 20.0ms select a from b\n"
				 "        > 20.0ms com.acme.Cart.execute() sql=N/A\n");
	show("tree");
	assert_contains(shown(), "                GET /checkout/17 status=200\n");
	request.layout.json = true;
	show("slowest");
	assert_contains(
		shown(),
		"\"values\":{\"http.Request\":{\"httpMethod\":\"GET\",\"url\":\"/checkout/17\",\"status\":200}}}");
}

CASE(a_long_statement_is_cut_to_the_line, setup_users, teardown)
{
	char sql[400] = "select ";

	memset(sql + 7, 'a', sizeof(sql) - 8);
	statement(sql, 0, 10);
	http_request("/a", 0, 100);
	statement(sql, 200, 300);
	show("slowest");
	for (const char *at = shown(); *at; at += strcspn(at, "\n"), at += *at == '\n')
		assert_true(strcspn(at, "\n") <= 120);
	assert_contains(shown(), "aaa...\n");
}

CASE(tree_has_the_values_of_the_longest_call, setup_users, teardown)
{
	request_with_queries();
	show("tree");
	assert_contains(shown(), "4 × com.acme.Cart.query()\n"
				 "                                                        "
				 "longest 60.0 ms: sql=\"select b\" rows=2\n");
	request.layout.json = true;
	show("tree");
	assert_contains(
		shown(),
		"\"longestNs\":60000000,\"values\":{\"db.Query\":{\"sql\":\"select b\",\"rows\":2}},\"waitResource\":\"\",\"waitService\":\"\",\"waitProcess\":\"\",\"waitContainer\":\"\",\"allocatedBytes\":null");
	assert_contains(
		shown(),
		"\"longestNs\":100000000,\"values\":null,\"waitResource\":\"\",\"waitService\":\"\",\"waitProcess\":\"\",\"waitContainer\":\"\",\"allocatedBytes\":null");
}

CASE(tree_has_the_values_of_a_single_call, setup_users, teardown)
{
	query("select a", 1, 10, 30);
	call(1, "serve", 0, 100);
	show("tree");
	assert_contains(shown(), "  com.acme.Cart.query()\n"
				 "                                                        sql=\"select a\" rows=1\n");
}

CASE(tree_by_a_value_has_a_line_for_each, setup_users, teardown)
{
	request.by = "sql";
	request_with_queries();
	show("tree");
	assert_contains(shown(),
			"   60.0 ms   60.0 ms   60.0 ms      0 ns      0 ns    com.acme.Cart.query() "
			"sql=\"select b\"\n"
			"    6.0 ms    6.0 ms    6.0 ms      0 ns      0 ns    2 × com.acme.Cart.query() "
			"sql=\"select a\"\n"
			"    3.0 ms    3.0 ms    3.0 ms      0 ns      0 ns    com.acme.Cart.query() sql=N/A\n");
	assert_lacks(shown(), "longest");
}

CASE(merged_tree_by_a_value_adds_up_requests, setup_users, teardown)
{
	request.by = "sql";
	request.merged = true;
	request_with_queries();
	query("select b", 9, 210, 240);
	call(1, "serve", 200, 300);
	show("tree");
	assert_contains(shown(), "   90.0 ms   90.0 ms   90.0 ms      0 ns      0 ns    2 × com.acme.Cart.query() "
				 "sql=\"select b\"\n");
}

CASE(tree_by_a_value_that_no_call_has_is_refused, setup_users, teardown)
{
	request.by = "slq";
	request_with_queries();
	assert_int_equal(try_to_show("tree"), -EINVAL);
	assert_contains(diag.text, "no call has a value 'slq'");
}

CASE(an_event_beside_its_call_has_its_values, setup_users, teardown)
{
	audit(1, "load", "ann", 10, 30);
	call(1, "load", 10, 30);
	call(1, "load", 40, 50);
	call(1, "serve", 0, 100);
	show("slowest");
	assert_contains(shown(), "        > 20.0ms com.acme.Cart.load() who=\"ann\"\n"
				 "        > 10.0ms com.acme.Cart.load()\n");
	assert_contains(shown(), "\"worker-1\"\n        > 20.0ms");
}

/* Of another thread, of another time; and one that is not before its call. */
CASE(an_event_of_another_call_is_none_of_this_one, setup_users, teardown)
{
	audit(2, "load", "ann", 10, 30);
	call(1, "load", 10, 30);
	audit(1, "load", "bob", 40, 50);
	call(1, "load", 40, 51);
	audit(1, "load", "cid", 60, 70);
	query("select a", 1, 60, 70);
	call(1, "load", 60, 70);
	call(1, "serve", 0, 100);
	show("slowest");
	assert_lacks(shown(), "who=");
	assert_contains(shown(), "sql=\"select a\" rows=1\n");
}

CASE(values_are_cut_to_the_width, setup_users, teardown)
{
	static char sql[501];

	for (int i = 0; i < 500; i++)
		sql[i] = 'a' + i % 26;
	request.layout.width = 80;
	query(sql, 1, 10, 30);
	query(sql + 1, 2, 40, 50);
	call(1, "serve", 0, 100);
	query(sql, 3, 200, 250);
	show("slowest");
	assert_contains(shown(), "        > 20.0ms com.acme.Cart.query() sql=\"abc");
	assert_contains(shown(), "...\n");
	assert_lines_fit(80);
	show("tree");
	assert_contains(shown(), "longest 20.0 ms: sql=\"abc");
	assert_lines_fit(80);
	request.by = "sql";
	show("tree");
	assert_contains(shown(), "query() sql=\"abc");
	assert_lines_fit(80);
	request.by = NULL;
	request.whole = true;
	show("slowest");
	assert_contains(shown(), sql);
}

CASE(a_cut_value_ends_with_a_whole_character, setup_users, teardown)
{
	static unsigned short sql[200]; /* UTF-16 */
	struct jfr_method_trace call = call_of(1, "query", 0, 50);

	for (int i = 0; i < 200; i++)
		sql[i] = 0x20ac; /* EURO SIGN */
	jfr_user_event(r.w, QUERY, &call,
		       (struct jfr_user_value[]){{.text = sql, .length = 200, .wide = true}, {.number = 1}});
	request.layout.width = 60;
	show("slowest");
	assert_contains(shown(), "€€€€...\n");
}

CASE(line_ends_in_values_are_blanks, setup_users, teardown)
{
	query("select a\n  from\tb\x1b[31m", 1, 10, 30);
	call(1, "serve", 0, 100);
	show("slowest");
	assert_contains(shown(), "sql=\"select a   from b [31m\" rows=1\n");
	request.layout.json = true;
	show("tree");
	assert_contains(shown(), "\"sql\":\"select a\\n  from\\u0009b\\u001b[31m\"");
}

CASE(slowest_says_which_statement_takes_the_time, setup_users, teardown)
{
	statement("select a", 10, 20);
	statement("select slow", 20, 50);
	http_request("/cart", 0, 100);
	statement("select slow", 210, 240);
	statement("select slow", 250, 290);
	http_request("/checkout", 200, 300);
	show("slowest");
	assert_contains(
		shown(),
		"50 % of the time of these 2 calls went into 3 of \"select slow\", most of it in GET /checkout.");
}

CASE(slowest_says_in_which_request_a_statement_takes_the_time, setup_users, teardown)
{
	for (int i = 0; i < 6; i++) {
		statement("select slow", 200 * i + 10, 200 * i + 90);
		http_request("/cart/checkout", 200 * i, 200 * i + 100);
	}
	show("slowest");
	assert_contains(shown(), "calls went into 6 of \"select slow\", most of it in GET /cart/checkout.");
}

CASE(slowest_does_so_for_paths_with_ids, setup_users, teardown)
{
	static const char *const paths[] = {"/cart/17/pay", "/cart/18/pay",
					    "/cart/0f8fad5b-d9cb-469f-a165-70867728950e/pay", "/cart/pay"};

	for (int i = 0; i < 4; i++) {
		statement("select slow", 200 * i + 10, 200 * i + 90);
		http_request(paths[i], 200 * i, 200 * i + 100);
	}
	show("slowest");
	assert_contains(shown(), "calls went into 4 of \"select slow\", most of it in GET /cart/*/pay.");
}

static void expect_one_statement(void)
{
	http_request("/cart", 0, 100);
	show("slowest");
	assert_contains(shown(), "80 % of the time of this call went into 1 of \"select slow\" in GET /cart.");
}

CASE(slowest_counts_a_statement_inside_another_one_once, setup_users, teardown)
{
	statement("select slow", 20, 80);
	statement("select slow", 10, 90);
	expect_one_statement();
}

CASE(slowest_says_so_of_one_request, setup_users, teardown)
{
	statement("select slow", 10, 90);
	expect_one_statement();
}

CASE(slowest_says_nothing_if_no_statement_stands_out, setup_users, teardown)
{
	statement("select a", 10, 20);
	statement("select b", 20, 30);
	http_request("/cart", 0, 100);
	show("slowest");
	assert_null(strstr(shown(), "went into"));
}
