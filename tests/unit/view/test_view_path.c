// SPDX-License-Identifier: BSD-2-Clause
#include "tests/unit/view/valued.h"

/* A part of a call of thread 1 that began at `call`. */
static void part_of(int64_t call, int64_t whole, int64_t offset, int64_t duration, uint64_t thread, const char *state)
{
	struct jfr_path_segment e = {.start = call + offset,
				     .duration = duration,
				     .thread = recording_thread(&r, thread),
				     .offset = offset,
				     .depth = thread - 1,
				     .state = state,
				     .resource = !strcmp(state, "socket") ? "10.0.0.7:5432" : NULL,
				     .end = strcmp(state, "cpu") ? "ended by postgres (process 77)" : NULL,
				     .waiter = thread > 1 ? recording_thread(&r, thread - 1) : 0,
				     .waited = thread > 1 ? "futex" : NULL,
				     .method = recording_method(&r, "checkout"),
				     .call_thread = recording_thread(&r, 1),
				     .call_start = call,
				     .call_duration = whole};

	if (thread == 2)
		e.inside = recording_method(&r, "parse");
	if (thread == 3)
		e.task = recording_class(&r, "com/acme/Report");
	if (strcmp(state, "cpu"))
		e.stack = recording_stack(&r, recording_method(&r, "query"), 12);
	jfr_path_segment(r.w, &e);
}

static void two_calls(void)
{
	part_of(T0, 3 * MS, MS, 2 * MS, 1, "cpu");
	part_of(T0, 3 * MS, 0, MS, 2, "cpu");
	part_of(T0 + 10 * MS, 20 * MS, 15 * MS, 5 * MS, 1, "cpu");
	part_of(T0 + 10 * MS, 20 * MS, MS, 14 * MS, 2, "socket");
	part_of(T0 + 10 * MS, 20 * MS, 0, MS, 1, "cpu");
}

static const char rows_of_two_calls[] =
	"{\"view\":\"Critical Paths\",\"rows\":["
	"{\"call\":1,\"title\":\"\",\"method\":\"com.acme.Cart.checkout()\",\"startTime\":\"2023-11-14T22:13:20.010Z\","
	"\"totalNs\":20000000,\"offsetNs\":0,\"durationNs\":1000000,\"thread\":\"worker-1\",\"state\":\"cpu\",\"resource\":\"\","
	"\"why\":\"\",\"frames\":[],\"depth\":0},"
	"{\"call\":1,\"title\":\"\",\"method\":\"com.acme.Cart.checkout()\",\"startTime\":\"2023-11-14T22:13:20.010Z\","
	"\"totalNs\":20000000,\"offsetNs\":1000000,\"durationNs\":14000000,\"thread\":\"worker-2\","
	"\"state\":\"socket\",\"resource\":\"10.0.0.7:5432\",\"why\":\"ended a wait of worker-1 (futex); ended by postgres (process 77)\","
	"\"frames\":[\"com.acme.Cart.query()\"],\"depth\":1},"
	"{\"call\":1,\"title\":\"\",\"method\":\"com.acme.Cart.checkout()\",\"startTime\":\"2023-11-14T22:13:20.010Z\","
	"\"totalNs\":20000000,\"offsetNs\":15000000,\"durationNs\":5000000,\"thread\":\"worker-1\",\"state\":\"cpu\",\"resource\":\"\","
	"\"why\":\"\",\"frames\":[],\"depth\":0},"
	"{\"call\":2,\"title\":\"\",\"method\":\"com.acme.Cart.checkout()\",\"startTime\":\"2023-11-14T22:13:20Z\","
	"\"totalNs\":3000000,\"offsetNs\":0,\"durationNs\":1000000,\"thread\":\"worker-2\",\"state\":\"cpu\",\"resource\":\"\","
	"\"why\":\"ended a wait of worker-1 (futex)\",\"frames\":[\"com.acme.Cart.parse()\"],\"depth\":1},"
	"{\"call\":2,\"title\":\"\",\"method\":\"com.acme.Cart.checkout()\",\"startTime\":\"2023-11-14T22:13:20Z\","
	"\"totalNs\":3000000,\"offsetNs\":1000000,\"durationNs\":2000000,\"thread\":\"worker-1\",\"state\":\"cpu\",\"resource\":\"\","
	"\"why\":\"\",\"frames\":[],\"depth\":0}]}\n";

CASE(parts_come_in_the_order_of_time_and_the_longest_call_first, setup, teardown)
{
	two_calls();
	request.layout.json = true;
	show("path");
	assert_string_equal(shown(), rows_of_two_calls);
}

/* The merge sorts a chunk's events by their ends, so the parts of several paths are mixed. */
CASE(parts_of_a_merged_file_belong_to_their_calls, setup, teardown)
{
	part_of(T0 + 10 * MS, 20 * MS, 0, MS, 1, "cpu");
	part_of(T0, 3 * MS, 0, MS, 2, "cpu");
	part_of(T0 + 10 * MS, 20 * MS, MS, 14 * MS, 2, "socket");
	part_of(T0, 3 * MS, MS, 2 * MS, 1, "cpu");
	part_of(T0 + 10 * MS, 20 * MS, 15 * MS, 5 * MS, 1, "cpu");
	request.layout.json = true;
	show("path");
	assert_string_equal(shown(), rows_of_two_calls);
}

CASE(paths_are_those_of_the_chosen_methods, setup, teardown)
{
	struct filter_list *methods = filter_list_new();

	two_calls();
	assert_int_equal(filter_list_add(methods, "*::serve", FILTER_TRACE, &diag), 0);
	assert_int_equal(call_filter_init(&filter, &(struct call_filter_options){.methods = methods}, &diag), 0);
	show("path");
	assert_null(strstr(shown(), "14.0 ms"));
	filter_list_free(methods);
}

CASE(a_part_says_which_task_its_thread_was_running, setup, teardown)
{
	part_of(T0, 20 * MS, 15 * MS, 5 * MS, 1, "cpu");
	part_of(T0, 20 * MS, 0, 15 * MS, 3, "socket");
	request.layout.json = true;
	show("path");
	assert_contains(shown(),
			"ended a wait of worker-2 (futex) in task com.acme.Report; ended by postgres (process 77)");
}

static int setup_tasks(void **state)
{
	return setup_users_until(state, true);
}

/* Its path is longer than its own call. */
CASE(a_request_with_tasks_has_its_title_and_says_which_one_was_the_last, setup_tasks, teardown)
{
	struct jfr_method_trace own = call_of(1, "handle", 10, 20);
	struct jfr_path_segment e = {.start = T0 + 20 * MS,
				     .duration = 10 * MS,
				     .thread = recording_thread(&r, 2),
				     .offset = 10 * MS,
				     .depth = 1,
				     .state = "cpu",
				     .waited = "task",
				     .waiter = recording_thread(&r, 1),
				     .method = recording_method(&r, "checkout"),
				     .call_thread = recording_thread(&r, 1),
				     .call_start = T0 + 10 * MS,
				     .call_duration = 20 * MS};

	jfr_path_segment(r.w, &e);
	e.waited = "request";
	jfr_path_segment(r.w, &e);
	part_of(T0 + 10 * MS, 20 * MS, 0, 10 * MS, 1, "cpu");
	own.request = 20 * MS;
	jfr_user_event(r.w, REQUEST, &own,
		       (struct jfr_user_value[]){text_of("GET"), text_of("/late"), {.number = 200}});
	request.layout.html = true;
	show("path");
	assert_contains(shown(), "GET /late");
	assert_contains(shown(), "ran the last task of worker-1");
	assert_contains(shown(), "ended the request of worker-1");
}

/* The request's event comes behind the parts of its path. A call of another thread at the same time is not the request. */
CASE(paths_begin_with_the_titles_of_their_calls, setup_users, teardown)
{
	two_calls();
	http_request("/checkout/17", 10, 30);
	call(2, "handle", 0, 3);
	show("path");
	assert_contains(shown(), "\n   1 GET /checkou... Cart.checkout()  20.0 ms ");
	assert_contains(shown(), "\n   2                 Cart.checkout()   3.0 ms ");
}

CASE(top_keeps_the_longest_calls, setup, teardown)
{
	two_calls();
	request.top = 1;
	show("path");
	assert_contains(shown(), "14.0 ms");
	assert_contains(shown(), "and 1 more call\n");
	assert_null(strstr(shown(), "3.0 ms"));
}

CASE(merged_paths_show_what_would_have_to_become_faster, setup, teardown)
{
	two_calls();
	request.layout.json = true;
	request.merged = true;
	show("path");
	assert_string_equal(
		shown(),
		"{\"view\":\"What Critical Paths Went Through\",\"rows\":["
		"{\"durationNs\":14000000,\"calls\":1,\"method\":\"com.acme.Cart.checkout()\","
		"\"thread\":\"worker-*\",\"state\":\"socket\",\"resource\":\"10.0.0.7:5432\",\"where\":\"com.acme.Cart.query()\"},"
		"{\"durationNs\":8000000,\"calls\":2,\"method\":\"com.acme.Cart.checkout()\","
		"\"thread\":\"worker-*\",\"state\":\"cpu\",\"resource\":\"\",\"where\":\"\"},"
		"{\"durationNs\":1000000,\"calls\":1,\"method\":\"com.acme.Cart.checkout()\","
		"\"thread\":\"worker-*\",\"state\":\"cpu\",\"resource\":\"\",\"where\":\"com.acme.Cart.parse()\"}]}\n");
}

CASE(shares_are_of_all_calls_of_the_method, setup, teardown)
{
	two_calls();
	request.merged = true;
	request.top = 2;
	show("path");
	assert_contains(shown(), " 61 % 14.0 ms ");
	assert_contains(shown(), " 35 %  8.0 ms ");
	assert_contains(shown(), "and 1 more\n");
}

/* A call of 20 ms. It waited for thread 2, which ran for `first` and waited for thread 3, which was in `state` for `second`. */
static void a_chain(const char *state, int64_t first, int64_t second)
{
	cart_call(recording_thread(&r, 1), T0, 5 * MS, 0, 15 * MS);
	part_of(T0, 20 * MS, 15 * MS, 5 * MS, 1, "cpu");
	part_of(T0, 20 * MS, 15 * MS - first, first, 2, "cpu");
	part_of(T0, 20 * MS, 15 * MS - first - second, second, 3, state);
	part_of(T0, 20 * MS, 0, 15 * MS - first - second, 3, "cpu");
}

CASE(slowest_says_what_is_at_the_end_of_the_chain, setup, teardown)
{
	a_chain("socket", MS, 13 * MS);
	show("slowest");
	assert_contains(shown(),
			"13.0ms at the end of the chain: \"worker-3\", socket 10.0.0.7:5432 in com.acme.Cart.query()\n"
			"            com.acme.Cart.query():12\n");
}

CASE(slowest_says_what_a_first_step_waited_for, setup, teardown)
{
	cart_call(recording_thread(&r, 1), T0, 5 * MS, 0, 15 * MS);
	part_of(T0, 20 * MS, 15 * MS, 5 * MS, 1, "cpu");
	part_of(T0, 20 * MS, 0, 15 * MS, 2, "socket");
	show("slowest");
	assert_contains(
		shown(),
		"15.0ms at the end of the chain: \"worker-2\", socket 10.0.0.7:5432 in com.acme.Cart.query()\n");
}

CASE(slowest_says_no_more_than_waits_do_of_a_first_step_that_ran, setup, teardown)
{
	a_chain("socket", 14 * MS, MS / 2);
	a_chain("unknown", MS, 13 * MS);
	show("slowest");
	assert_null(strstr(shown(), "end of the chain"));
}

/* Sums and differences of times must not overflow. */
CASE(forged_times_of_parts_are_cut, setup, teardown)
{
	static const int64_t times[] = {INT64_MIN, -1, INT64_MAX / 2, INT64_MAX};
	struct jfr_path_segment e = {.start = T0, .duration = MS, .state = "cpu"};

	cart_call(recording_thread(&r, 1), T0, 5 * MS, 0, 15 * MS);
	e.thread = e.call_thread = recording_thread(&r, 1);
	e.method = recording_method(&r, "checkout");
	for (size_t i = 0; i < 16; i++) {
		e.offset = times[i % 4];
		e.call_duration = times[i / 4];
		e.depth = e.offset;
		jfr_path_segment(r.w, &e);
	}
	show("slowest");
	assert_contains(shown(), "checkout");
	show("path");
	assert_contains(shown(), "checkout");
}
