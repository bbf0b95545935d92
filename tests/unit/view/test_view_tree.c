// SPDX-License-Identifier: BSD-2-Clause
/* The slowest calls as trees: which calls become one node, and what a node adds up. */
#include "tests/unit/view/shown.h"

/* Times in ms from T0. A quarter of a call is CPU time, the rest blocked. */
static void call(uint64_t thread, const char *name, int64_t from, int64_t to)
{
	int64_t duration = (to - from) * MS;

	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0 + from * MS,
							 .duration = duration,
							 .thread = recording_thread(&r, thread),
							 .method = recording_method(&r, name),
							 .cpu = duration / 4,
							 .blocked = duration - duration / 4});
}

static void wait_in(uint64_t thread, const char *reason, uint64_t waker, int64_t from, int64_t to)
{
	jfr_thread_wait(r.w, &(struct jfr_thread_wait){.start = T0 + from * MS,
						       .duration = (to - from) * MS,
						       .thread = recording_thread(&r, thread),
						       .reason = reason,
						       .waker = waker ? recording_thread(&r, waker) : 0});
}

/* serve [0, 100] calls load twice, in which read is called, and pay once; a call of another thread lies in between. */
static void shop_calls(void)
{
	call(1, "read", 12, 18);
	call(1, "load", 10, 20);
	call(2, "load", 11, 19);
	call(1, "read", 32, 40);
	call(1, "load", 30, 44);
	call(1, "pay", 50, 80);
	call(1, "serve", 0, 100);
}

CASE(calls_of_a_method_below_one_caller_are_one_node, setup, teardown)
{
	shop_calls();
	show("tree");
	assert_contains(shown(), "     total      self       cpu      runq   blocked\n");
	assert_contains(shown(), "    100 ms   46.0 ms   25.0 ms      0 ns   75.0 ms  com.acme.Cart.serve()\n");
	assert_contains(shown(), "   30.0 ms   30.0 ms    7.5 ms      0 ns   22.5 ms    com.acme.Cart.pay()\n"
				 "   24.0 ms   10.0 ms    6.0 ms      0 ns   18.0 ms    2 × com.acme.Cart.load()\n"
				 "   14.0 ms   14.0 ms    3.5 ms      0 ns   10.5 ms      2 × com.acme.Cart.read()\n");
	assert_contains(shown(), "\n    8.0 ms    8.0 ms    2.0 ms      0 ns    6.0 ms  com.acme.Cart.load()\n");
	assert_contains(shown(), "\"worker-1\"\n");
}

CASE(a_narrow_terminal_keeps_total_self_and_blocked, setup, teardown)
{
	request.layout.width = 80;
	shop_calls();
	show("tree");
	assert_contains(shown(), "     total      self   blocked\n"
				 "    100 ms   46.0 ms   75.0 ms  com.acme.Cart.serve()\n");
}

CASE(the_longest_wait_stands_below_the_innermost_call, setup, teardown)
{
	wait_in(1, "disk", 0, 33, 39);
	wait_in(1, "futex", 2, 52, 70);
	wait_in(2, "sleep", 0, 33, 39); /* another thread's */
	shop_calls();
	show("tree");
	assert_contains(
		shown(),
		"com.acme.Cart.pay()\n"
		"                                                        18.0 ms futex, woken by \"worker-2\"\n");
	assert_contains(shown(),
			"2 × com.acme.Cart.read()\n"
			"                                                          longest wait 6.0 ms disk\n");
	assert_lacks(shown(), "sleep");
}

CASE(json_has_the_longest_wait_of_callers_too, setup, teardown)
{
	request.layout.json = true;
	wait_in(1, "futex", 2, 52, 70);
	shop_calls();
	show("tree");
	assert_contains(
		shown(),
		"{\"node\":1,\"parent\":null,\"method\":\"com.acme.Cart.serve()\",\"calls\":1,\"thrown\":0,"
		"\"totalNs\":100000000,\"selfNs\":46000000,\"cpuNs\":25000000,\"runQueueNs\":0,\"blockedNs\":75000000,"
		"\"longestWaitNs\":18000000,\"waitReason\":\"futex\",\"waker\":\"worker-2\",\"startTime\":\"");
	assert_contains(shown(), "{\"node\":2,\"parent\":1,\"method\":\"com.acme.Cart.pay()\"");
	assert_contains(shown(), "{\"node\":4,\"parent\":3,\"method\":\"com.acme.Cart.read()\",\"calls\":2");
}

CASE(recursion_is_a_node_for_each_level, setup, teardown)
{
	call(1, "walk", 2, 8);
	call(1, "walk", 1, 9);
	call(1, "walk", 0, 10);
	show("tree");
	assert_contains(shown(), "   10.0 ms    2.0 ms    2.5 ms      0 ns    7.5 ms  com.acme.Cart.walk()\n");
	assert_contains(shown(), "    8.0 ms    2.0 ms    2.0 ms      0 ns    6.0 ms    com.acme.Cart.walk()\n"
				 "    6.0 ms    6.0 ms    1.5 ms      0 ns    4.5 ms      com.acme.Cart.walk()\n");
}

CASE(merged_trees_have_the_calls_of_all_roots, setup, teardown)
{
	request.merged = true;
	shop_calls();
	call(1, "pay", 201, 203);
	call(1, "serve", 200, 210);
	show("tree");
	assert_contains(shown(), "    110 ms   54.0 ms   27.5 ms      0 ns   82.5 ms  2 × com.acme.Cart.serve()\n");
	assert_contains(shown(), "the longest: ");
	assert_contains(shown(), "   32.0 ms   32.0 ms    8.0 ms      0 ns   24.0 ms    2 × com.acme.Cart.pay()\n");
}

CASE(slow_roots_are_compared_with_fast_ones, setup, teardown)
{
	request.merged = true;
	filter.slower_ns = 50 * MS;
	shop_calls(); /* serve takes 100 ms, with 24 ms in load and 30 ms in pay */
	call(1, "load", 201, 205);
	call(1, "audit", 206, 207);
	call(1, "serve", 200, 210);
	call(1, "load", 301, 303);
	call(1, "serve", 300, 306);
	wait_in(1, "futex", 0, 202, 204);
	show("tree");
	assert_contains(shown(), "     total      self       cpu      runq   blocked each slow each fast\n");
	assert_contains(
		shown(),
		"    100 ms   46.0 ms   25.0 ms      0 ns   75.0 ms    100 ms    8.0 ms  com.acme.Cart.serve()\n");
	assert_contains(shown(), "1 slow of 3, ");
	assert_contains(
		shown(),
		"   30.0 ms   30.0 ms    7.5 ms      0 ns   22.5 ms   30.0 ms         -    com.acme.Cart.pay()\n"
		"   24.0 ms   10.0 ms    6.0 ms      0 ns   18.0 ms   24.0 ms    3.0 ms    2 × com.acme.Cart.load()\n"
		"   14.0 ms   14.0 ms    3.5 ms      0 ns   10.5 ms   14.0 ms         -      2 × com.acme.Cart.read()\n");
	assert_lacks(shown(), "audit");
	assert_lacks(shown(), "futex");
}

CASE(json_of_merged_trees_has_the_fast_calls, setup, teardown)
{
	request.merged = request.layout.json = true;
	filter.slower_ns = 50 * MS;
	shop_calls();
	call(1, "load", 201, 205);
	call(1, "serve", 200, 210);
	show("tree");
	assert_contains(shown(), "\"fastCalls\":1,\"fastTotalNs\":10000000,");
	assert_contains(shown(), "\"fastCalls\":1,\"fastTotalNs\":4000000,");
	assert_contains(shown(), "\"fastCalls\":0,\"fastTotalNs\":0,");
}

CASE(short_calls_are_one_line_if_they_are_enough_together, setup, teardown)
{
	request.min_share = 20;
	call(1, "read", 52, 58); /* too little for a line */
	call(1, "pay", 40, 80);
	call(1, "read", 81, 93);
	call(1, "load", 0, 12);
	call(1, "serve", 0, 100);
	show("tree");
	assert_contains(shown(),
			"    com.acme.Cart.pay()\n"
			"   24.0 ms                                            2 shorter calls of 2 methods\n");
	assert_lacks(shown(), "read");
}

CASE(depth_cuts_the_tree, setup, teardown)
{
	request.depth = 1;
	shop_calls();
	show("tree");
	assert_contains(shown(), "2 × com.acme.Cart.load()\n");
	assert_lacks(shown(), "read");
}

CASE(a_deep_recursion_is_cut_and_said_to_be, setup, teardown)
{
	for (int i = 1; i <= 600; i++) /* the innermost call ends first */
		call(1, "walk", 1000 - i, 2000 + i);
	show("tree");
	assert_contains(shown(), "Left out: 88 calls and waits");
}

#define WITHOUT_LENGTH                                                                                      \
	"\"calls\":1,\"thrown\":0,\"totalNs\":0,\"selfNs\":0,\"cpuNs\":0,\"runQueueNs\":0,\"blockedNs\":0," \
	"\"longestWaitNs\":null"

/* They took less than the clock can tell; a wait at that moment is before it or after it. */
CASE(calls_without_length_nest_and_have_no_waits, setup, teardown)
{
	wait_in(1, "park", 0, 4, 6);
	call(1, "inner", 5, 5);
	call(1, "outer", 5, 5);
	call(1, "around", 0, 10);
	request.layout.json = true;
	show("tree");
	assert_contains(shown(), "\"longestWaitNs\":2000000,\"waitReason\":\"park\"");
	assert_contains(shown(), "\"node\":2,\"parent\":1,\"method\":\"com.acme.Cart.outer()\"," WITHOUT_LENGTH);
	assert_contains(shown(), "\"node\":3,\"parent\":2,\"method\":\"com.acme.Cart.inner()\"," WITHOUT_LENGTH);
}

CASE(an_empty_recording_has_no_tree, setup, teardown)
{
	show("tree");
	assert_contains(shown(), "No events found for 'Slowest Calls as Trees'.");
}

CASE(self_times_are_at_most_once_methods_are_throttled, setup, teardown)
{
	call(1, "early", 0, 100);
	jfr_message(r.w, T0 + 1000 * MS, "throttled",
		    "counted and timed only from 1.0 s after the start on (1): com.acme.Cart.hot()");
	jfr_message(r.w, T0 + 500 * MS, "gaps", "1 wait is lost");
	call(1, "read", 2010, 2020);
	call(1, "late", 2000, 2050);
	show("tree");
	assert_contains(shown(), "    100 ms    100 ms   25.0 ms      0 ns   75.0 ms  com.acme.Cart.early()\n");
	assert_contains(shown(), "   50.0 ms ≤ 40.0 ms   12.5 ms      0 ns   37.5 ms  com.acme.Cart.late()\n");
	assert_contains(shown(), "   10.0 ms ≤ 10.0 ms    2.5 ms      0 ns    7.5 ms    com.acme.Cart.read()\n");
	assert_contains(shown(), "\n≤: self time may include calls of methods that the throttle turned off:\n"
				 "  counted and timed only from 1.0 s after the start on (1): com.acme.Cart.hot()\n");
	assert_lacks(shown(), "gaps");
	request.layout.json = true;
	show("tree");
	assert_contains(shown(), "\"method\":\"com.acme.Cart.early()\",\"calls\":1,\"thrown\":0");
	assert_contains(shown(), "\"throttledCalls\":0,\"longestNs\":100000000");
	assert_contains(shown(), "\"throttledCalls\":1,\"longestNs\":50000000");
}

CASE(nothing_is_said_of_the_throttle_if_all_was_before, setup, teardown)
{
	call(1, "early", 0, 100);
	jfr_message(r.w, T0 + 1000 * MS, "throttled", "counted and timed only");
	show("tree");
	assert_lacks(shown(), "≤");
}

/* A task that `by` hands over, and `on` begins and ends. */
static void task(uint64_t by, uint64_t on, int64_t submitted, int64_t from, int64_t to)
{
	jfr_task(r.w, &(struct jfr_task){.start = T0 + submitted * MS,
					 .duration = (from - submitted) * MS,
					 .thread = recording_thread(&r, on),
					 .submitter = recording_thread(&r, by),
					 .outcome = "ran",
					 .run_time = (to - from) * MS});
}

/* serve [0, 100] calls pay, which hands over a task, in which another one is handed over; a third one is nobody's. */
static void shop_tasks(void)
{
	call(1, "pay", 20, 40);
	call(1, "serve", 0, 100);
	task(1, 2, 30, 50, 90);
	call(2, "read", 52, 60);
	call(2, "load", 51, 80);
	task(2, 3, 55, 60, 130);
	call(3, "read", 62, 120);
	task(4, 3, 135, 140, 150);
	call(3, "read", 141, 145);
}

CASE(calls_in_a_task_stand_below_the_call_that_handed_it_over, setup, teardown)
{
	shop_tasks();
	wait_in(2, "disk", 0, 65, 75);
	show("tree");
	assert_contains(shown(), "    100 ms   80.0 ms   25.0 ms      0 ns   75.0 ms  com.acme.Cart.serve()\n");
	assert_contains(
		shown(),
		"   20.0 ms   20.0 ms    5.0 ms      0 ns   15.0 ms    com.acme.Cart.pay()\n"
		"   29.0 ms   21.0 ms    7.2 ms      0 ns   21.8 ms      com.acme.Cart.load()\n"
		"                                                          \"worker-2\" after 20.0 ms in the queue, N/A\n"
		"                                                          10.0 ms disk\n"
		"    8.0 ms    8.0 ms    2.0 ms      0 ns    6.0 ms        com.acme.Cart.read()\n"
		"   58.0 ms   58.0 ms   14.5 ms      0 ns   43.5 ms          com.acme.Cart.read()\n"
		"                                                              \"worker-3\" after 5.0 ms in the queue, N/A\n");
	assert_contains(shown(), "\n    4.0 ms    4.0 ms    1.0 ms      0 ns    3.0 ms  com.acme.Cart.read()\n");
}

CASE(json_has_the_node_that_handed_a_task_over_as_the_parent, setup, teardown)
{
	request.layout.json = true;
	shop_tasks();
	show("tree");
	assert_contains(shown(), "{\"node\":2,\"parent\":1,\"method\":\"com.acme.Cart.pay()\"");
	assert_contains(shown(), "{\"node\":3,\"parent\":2,\"method\":\"com.acme.Cart.load()\"");
	assert_contains(shown(), "\"thread\":\"worker-2\"");
	assert_contains(shown(), "\"queuedNs\":20000000,\"task\":\"N/A\"");
	assert_contains(shown(), "{\"node\":5,\"parent\":4,\"method\":\"com.acme.Cart.read()\"");
	assert_contains(shown(), "\"queuedNs\":5000000");
}

CASE(a_task_that_the_thread_itself_runs_stands_below_its_submit, setup, teardown)
{
	call(1, "read", 41, 49);
	call(1, "pay", 20, 60);
	call(1, "serve", 0, 100);
	task(1, 1, 40, 40, 50);
	show("tree");
	assert_contains(
		shown(),
		"    com.acme.Cart.pay()\n"
		"    8.0 ms    8.0 ms    2.0 ms      0 ns    6.0 ms      com.acme.Cart.read()\n"
		"                                                          \"worker-1\" after 0 ns in the queue");
}

/* While it waits for a task of its own, a thread of a fork/join pool runs others' tasks. */
CASE(a_task_of_another_request_is_not_below_the_call_that_runs_it, setup, teardown)
{
	call(1, "read", 41, 49);
	call(1, "pay", 20, 60);
	call(1, "serve", 0, 100);
	task(2, 1, 35, 40, 50); /* of a call that is not recorded */
	wait_in(1, "disk", 0, 42, 48);
	show("tree");
	assert_lacks(shown(), "read()");
	assert_contains(shown(), "com.acme.Cart.pay()\n"
				 "                                                        6.0 ms disk\n");
}

CASE(slowest_names_the_tasks_that_a_call_handed_over, setup, teardown)
{
	shop_tasks();
	for (int i = 0; i < 5; i++)
		task(1, 4, 95, 95, 96);
	task(1, 4, 101, 102, 110);
	show("slowest");
	assert_contains(shown(), "        > 20.0ms com.acme.Cart.pay()\n"
				 "        handed over: 40.0 ms on \"worker-2\" after 20.0 ms in the queue, N/A\n"
				 "        handed over: 1.0 ms on \"worker-4\" after 0 ns in the queue, N/A\n");
	assert_contains(shown(), "        handed over: 2 shorter tasks\n");
}

static size_t slowest_entries(void)
{
	size_t n = 0;

	show("slowest");
	for (const char *at = shown(); (at = strstr(at, "\n[")); at++)
		n++;
	return n;
}

CASE(calls_in_a_task_are_no_entry_of_their_own_in_slowest, setup, teardown)
{
	shop_tasks();
	assert_int_equal(slowest_entries(), 2);
	assert_contains(shown(), "com.acme.Cart.serve()");
	assert_contains(shown(), "[4.0ms");
}

/* serve [0, 10] hands over load [20, 90], in which another task is handed over; another thread's calls are shorter. */
CASE(a_call_in_a_task_is_an_entry_while_the_one_that_handed_it_over_is_none, setup, teardown)
{
	call(1, "serve", 0, 10);
	task(1, 2, 5, 15, 95);
	call(2, "load", 20, 90);
	task(2, 3, 30, 40, 80);
	call(3, "read", 45, 75);
	for (int i = 0; i < 3; i++)
		call(4, "pay", 100 * i, 100 * i + 20 + i);
	request.top = 2;
	assert_int_equal(slowest_entries(), 2);
	assert_contains(shown(), "[70.0ms");
	assert_contains(shown(), "[22.0ms");
	request.top = 5;
	assert_int_equal(slowest_entries(), 4);
	assert_contains(shown(), "[10.0ms");
	assert_lacks(shown(), "[70.0ms");
	assert_lacks(shown(), "[30.0ms");
}

CASE(a_call_around_a_task_that_its_thread_runs_is_an_entry, setup, teardown)
{
	call(1, "read", 41, 49);
	call(1, "serve", 0, 100);
	task(1, 1, 40, 40, 50);
	task(2, 1, 60, 65, 70); /* helps another request */
	call(1, "load", 66, 69);
	call(2, "pay", 50, 80);
	assert_int_equal(slowest_entries(), 2);
}
