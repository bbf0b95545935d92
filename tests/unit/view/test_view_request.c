// SPDX-License-Identifier: BSD-2-Clause
/* Requests that are joined over threads by a value. */
#include "tests/unit/view/valued.h"

static int setup_joined(void **state)
{
	setup_users(state);
	request.by = "who";
	return 0;
}

/* A call with a value. */
static void said(uint64_t thread, const char *name, const char *who, int64_t from, int64_t to)
{
	audit(thread, name, who, from, to);
	call(thread, name, from, to);
}

/* ann takes from 0 to 100 ms, with gaps from 5 to 40 and from 60 to 70. bob takes less. */
static void two_requests(void)
{
	said(1, "accept", "ann", 0, 5);
	said(2, "price", "ann", 40, 60);
	said(2, "work", "bob", 61, 65);
	said(3, "reply", "ann", 70, 100);
	said(1, "accept", "bob", 6, 7);
	call(1, "idle", 200, 300);
}

CASE(calls_of_one_value_are_shown_over_threads_with_the_gaps_between, setup_joined, teardown)
{
	two_requests();
	show("request");
	assert_contains(shown(), "     begin       gap  duration\n"
				 "who=ann: 100 ms, 45.0 ms of it in none of 3 calls on 3 threads, 22:13:20.000\n"
				 "      0 ns              5.0 ms  com.acme.Cart.accept() \"worker-1\" who=\"ann\"\n"
				 "   40.0 ms   35.0 ms   20.0 ms  com.acme.Cart.price() \"worker-2\" who=\"ann\"\n"
				 "   70.0 ms   10.0 ms   30.0 ms  com.acme.Cart.reply() \"worker-3\" who=\"ann\"\n"
				 "who=bob: 59.0 ms, 54.0 ms of it in none of 2 calls on 2 threads, 22:13:20.006\n"
				 "      0 ns              1.0 ms  com.acme.Cart.accept() \"worker-1\" who=\"bob\"\n"
				 "   55.0 ms   54.0 ms    4.0 ms  com.acme.Cart.work() \"worker-2\" who=\"bob\"\n");
	assert_contains(shown(), "\n1 other call has no value\n");
}

CASE(requests_in_json_have_a_row_for_each_call, setup_joined, teardown)
{
	two_requests();
	request.layout.json = true;
	request.top = 1;
	show("request");
	assert_contains(shown(), "{\"request\":1,\"value\":\"ann\",\"totalNs\":100000000,\"outsideNs\":45000000,"
				 "\"startTime\":\"2023-11-14T22:13:20.040Z\",\"beginNs\":40000000,\"gapNs\":35000000,"
				 "\"durationNs\":20000000,\"depth\":0,\"thread\":\"worker-2\",\"method\":"
				 "\"com.acme.Cart.price()\",\"thrown\":0,\"values\":{\"db.Audit\":{\"who\":\"ann\"}}}");
	assert_contains(shown(), "\"beginNs\":0,\"gapNs\":null,");
	assert_lacks(shown(), "bob");
}

CASE(a_call_inside_another_one_of_its_thread_has_no_gap, setup_joined, teardown)
{
	said(1, "submit", "ann", 10, 12);
	said(2, "work", "ann", 50, 80);
	said(1, "handle", "ann", 0, 90); /* waits for it */
	show("request");
	assert_contains(shown(), "who=ann: 90.0 ms, 0 ns of it in none of 3 calls on 2 threads");
	assert_contains(shown(), "      0 ns             90.0 ms  com.acme.Cart.handle() \"worker-1\"");
	assert_contains(shown(), "   10.0 ms              2.0 ms    com.acme.Cart.submit() \"worker-1\"");
	assert_contains(shown(), "   50.0 ms   38.0 ms   30.0 ms  com.acme.Cart.work() \"worker-2\"");
}

/* Nothing has ended before it, but the request had begun. */
CASE(a_gap_without_an_end_before_it_is_since_the_beginning, setup_joined, teardown)
{
	said(2, "work", "ann", 50, 80);
	said(1, "handle", "ann", 0, 90);
	show("request");
	assert_contains(shown(), "   50.0 ms   50.0 ms   30.0 ms  com.acme.Cart.work()");
}

CASE(options_select_requests_and_calls, setup_joined, teardown)
{
	struct call_filter_options options = {.where = "who=bob"};

	two_requests();
	assert_int_equal(call_filter_init(&filter, &options, &diag), 0);
	show("request");
	assert_contains(shown(), "who=bob");
	assert_lacks(shown(), "who=ann");
	call_filter_release(&filter);
	options = (struct call_filter_options){.where = "duration>25ms"}; /* one call of it has that */
	assert_int_equal(call_filter_init(&filter, &options, &diag), 0);
	show("request");
	assert_contains(shown(), "none of 3 calls");
	assert_lacks(shown(), "who=bob");
	call_filter_release(&filter);
	filter.slower_ns = 60 * MS; /* the request */
	show("request");
	assert_contains(shown(), "none of 3 calls");
	assert_lacks(shown(), "who=bob");
	filter.slower_ns = 101 * MS;
	show("request");
	assert_contains(shown(), "No events found");
	filter = (struct call_filter){.thread = "worker-2"}; /* the calls */
	show("request");
	assert_contains(shown(), "who=ann: 20.0 ms, 0 ns of it in none of 1 call on 1 thread, ");
}

CASE(numbers_join_and_missing_ones_join_nothing, setup_joined, teardown)
{
	request.by = "rows";
	query("a", 7, 0, 10);
	query("b", 7, 20, 30);
	query("c", 8, 40, 41);
	query("d", INT32_MIN, 50, 90); /* missing */
	show("request");
	assert_contains(shown(), "rows=7: 30.0 ms, 10.0 ms of it in none of 2 calls on 1 thread");
	assert_contains(shown(), "rows=8: 1.0 ms");
	assert_contains(shown(), "\n1 other call has no value\n");
	assert_lacks(shown(), "N/A");
}

CASE(a_field_that_no_call_has_joins_nothing, setup_joined, teardown)
{
	two_requests();
	request.by = "whom";
	assert_int_equal(try_to_show("request"), -EINVAL);
	assert_contains(diag.text, "no call has a value 'whom' by -e to tell calls apart; near: who");
	request.by = NULL;
	assert_int_equal(try_to_show("request"), -EINVAL);
	assert_contains(diag.text, "--by=id");
}

CASE(of_many_calls_of_a_request_the_first_are_shown, setup_joined, teardown)
{
	static char who[401];

	memset(who, 'x', 400);
	said(1, "accept", who, 0, 5);
	for (int i = 0; i < 60; i++)
		said(2, "price", who, 10 + i, 11 + i);
	request.layout.width = 80;
	show("request");
	assert_contains(shown(), "and 11 more calls\n");
	assert_contains(shown(), "who=\"xxx");
}
