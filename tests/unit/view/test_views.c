// SPDX-License-Identifier: BSD-2-Clause
/* Views of calls by method: what they add up, how they are narrowed, and how methods are told apart. */
#include "tests/unit/view/shown.h"

static int setup_views(void **state)
{
	setup(state);
	request.layout.width = 100;
	return 0;
}

static uint64_t method_of(uint64_t class_key, const char *name, const char *descriptor)
{
	return jfr_method(r.w, &(struct jfr_method_constant){class_key, name, descriptor, 1, false});
}

static uint64_t method(const char *name, const char *descriptor)
{
	return method_of(recording_class(&r, "com/acme/Cart"), name, descriptor);
}

static void call_in(uint64_t thread, int64_t start, int64_t duration, uint64_t method_key, uint64_t stack)
{
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = start,
							 .duration = duration,
							 .thread = thread,
							 .method = method_key,
							 .stack = stack,
							 .cpu = duration / 4,
							 .blocked = duration - duration / 4});
}

static void call(int64_t duration, uint64_t method_key)
{
	call_in(0, T0, duration, method_key, 0);
}

static void narrow(const char *methods, struct call_filter_options o)
{
	struct filter_list *l = filter_list_new();
	struct diag d = {0};

	if (methods) {
		assert_int_equal(filter_list_add(l, methods, FILTER_TRACE, &d), 0);
		o.methods = l;
	}
	if (call_filter_init(&filter, &o, &d))
		fail_msg("%s", d.text);
	filter_list_free(l);
}

CASE(latency_has_a_histogram_for_each_method_most_total_first, setup_views, teardown)
{
	uint64_t get = method("get", "()V"), put = method("put", "()V");

	for (int i = 0; i < 2000; i++)
		call(8, get);
	call(5 * MS, put);
	call(40 * MS, put);
	show("latency");
	assert_contains(shown(), "\ncom.acme.Cart.put(): 2 calls, 45.0 ms in all, longest 40.0 ms\n");
	assert_contains(shown(), "\ncom.acme.Cart.get(): 2,000 calls, 16.0 us in all, longest 8 ns\n");
	assert_contains(shown(),
			"          8 ns           2,000  ########################################  100.00 %\n");
	assert_contains(shown(),
			"        4.2 ms               1  ########################################   50.00 %\n");
	assert_contains(shown(),
			"       33.6 ms               1  ########################################  100.00 %\n");
	assert_true(strstr(shown(), "Cart.put()") < strstr(shown(), "Cart.get()"));
}

CASE(latency_has_shorter_bars_in_a_narrow_terminal, setup_views, teardown)
{
	request.layout.width = 80;
	call(5 * MS, method("put", "()V"));
	show("latency");
	assert_contains(shown(), "  #####################################  100.00 %\n");
	assert_lines_fit(80);
}

CASE(top_leaves_methods_out_and_says_how_many, setup_views, teardown)
{
	request.top = 1;
	call(8, method("get", "()V"));
	call(9, method("put", "()V"));
	call(7, method("add", "()V"));
	show("latency");
	assert_contains(shown(), "Cart.put()");
	assert_contains(shown(), "\nand 2 more methods\n");
	assert_lacks(shown(), "Cart.get()");
	show("method-trace");
	assert_contains(shown(), "\nand 2 more\n");
}

CASE(method_trace_has_where_the_time_went, setup_views, teardown)
{
	uint64_t get = method("get", "()V");

	call(4 * MS, get);
	call(4 * MS, get);
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0,
							 .duration = 12 * MS,
							 .method = get,
							 .cpu = JFR_MISSING,
							 .run_queue = JFR_MISSING,
							 .blocked = JFR_MISSING});
	show("method-trace");
	assert_contains(
		shown(),
		"Traced Method       Calls   Total Minimum Average Maximum  CPU Run Queue Blocked Unknown Thrown\n");
	assert_contains(
		shown(),
		"com.acme.Cart.get()     3 20.0 ms  4.0 ms  6.7 ms 12.0 ms 10 %       0 %    30 %    60 %      0\n");
	request.layout.json = true;
	show("method-trace");
	assert_contains(
		shown(),
		"{\"method\":\"com.acme.Cart.get()\",\"calls\":3,\"totalNs\":20000000,\"outermostNs\":null,"
		"\"selfNs\":null,\"minNs\":4000000,\"averageNs\":6666666,\"maxNs\":12000000,\"whereTotalNs\":8000000,\"cpuNs\":2000000,\"runQueueNs\":0,\"blockedNs\":6000000,"
		"\"unknownNs\":12000000,\"thrown\":0,\"allocatedBytes\":null}");
}

/* Calls come in the order of their ends. visit() calls itself twice, the second time by way of of(). */
CASE(method_trace_has_self_times_and_times_without_recursion, setup_views, teardown)
{
	uint64_t visit = method("visit", "()V"), of = method("of", "()V"), one = recording_thread(&r, 1);

	call_in(one, T0 + 2 * MS, 3 * MS, visit, 0);
	call_in(one, T0 + 7 * MS, 1 * MS, visit, 0);
	call_in(one, T0 + 6 * MS, 9 * MS, of, 0);
	call_in(one, T0, 20 * MS, visit, 0);
	call_in(recording_thread(&r, 2), T0 + MS, 2 * MS, of, 0); /* of another thread */
	call_in(one, T0 + 20 * MS, 4 * MS, of, 0);
	request.layout.width = 120;
	show("method-trace");
	assert_contains(shown(), "Traced Method         Calls   Total Outermost    Self");
	assert_contains(shown(), "com.acme.Cart.visit()     3 24.0 ms   20.0 ms 12.0 ms");
	assert_contains(shown(), "com.acme.Cart.of()        3 15.0 ms   15.0 ms 14.0 ms");
	assert_true(strstr(shown(), "visit()") < strstr(shown(), "of()"));
	request.by_self = true;
	show("method-trace");
	assert_true(strstr(shown(), "of()") < strstr(shown(), "visit()"));
}

/* Calls that are not shown are no part of the self time of those that are. */
CASE(self_times_do_not_depend_on_what_is_shown, setup_views, teardown)
{
	uint64_t outer = method("outer", "()V"), inner = method("inner", "()V"), one = recording_thread(&r, 1);

	call_in(one, T0 + 2 * MS, 3 * MS, inner, 0);
	call_in(one, T0, 8 * MS, outer, 0);
	narrow("*::outer", (struct call_filter_options){0});
	request.layout.json = true;
	show("method-trace");
	assert_contains(shown(), "\"totalNs\":8000000,\"outermostNs\":8000000,\"selfNs\":5000000,");
	assert_lacks(shown(), "inner");
}

/* The child's stream comes late. */
CASE(calls_may_come_before_those_inside_them, setup_views, teardown)
{
	uint64_t outer = method("outer", "()V"), inner = method("inner", "()V"), one = recording_thread(&r, 1);

	call_in(one, T0, 8 * MS, outer, 0);
	call_in(one, T0 + 2 * MS, 3 * MS, inner, 0);
	show("method-trace");
	assert_contains(shown(), "com.acme.Cart.outer()     1 8.0 ms 5.0 ms");
}

CASE(calls_of_unknown_threads_have_no_self_time, setup_views, teardown)
{
	uint64_t outer = method("outer", "()V"), inner = method("inner", "()V");

	call_in(recording_thread(&r, 1), T0, 2 * MS, outer, 0);
	call_in(0, T0 + 2 * MS, 3 * MS, inner, 0);
	call_in(0, T0, 8 * MS, outer, 0);
	request.layout.json = true;
	show("method-trace");
	assert_contains(shown(), "\"totalNs\":10000000,\"outermostNs\":null,\"selfNs\":null,");
}

CASE(where_time_went_has_no_columns_if_the_file_does_not_know, setup_views, teardown)
{
	recording_free(&r);
	r = recording_new();
	recording_begin(&r);
	call(4 * MS, method("get", "()V"));
	show("method-trace");
	assert_contains(shown(), "Traced Method       Calls  Total Minimum Average Maximum Thrown\n");
	request.layout.json = true;
	show("method-trace");
	assert_contains(shown(), "\"whereTotalNs\":null,\"cpuNs\":null,\"runQueueNs\":null,\"blockedNs\":null,");
}

CASE(a_filter_selects_methods_and_overloads, setup_views, teardown)
{
	call(MS, method("get", "()V"));
	call(MS, method("add", "(I)V"));
	call(MS, method("add", "(J)V"));
	narrow("*Cart::add(int)", (struct call_filter_options){0});
	show("method-trace");
	assert_contains(shown(), "Cart.add(int)");
	assert_lacks(shown(), "Cart.add(long)");
	assert_lacks(shown(), "Cart.get()");
}

CASE(a_filter_that_only_excludes_shows_the_others, setup_views, teardown)
{
	call(MS, method("get", "()V"));
	call(MS, method("add", "(I)V"));
	narrow("!*Cart::add", (struct call_filter_options){0});
	show("method-trace");
	assert_contains(shown(), "Cart.get()");
	assert_lacks(shown(), "Cart.add");
}

CASE(a_filter_may_have_a_threshold_of_its_own, setup_views, teardown)
{
	call(MS, method("get", "()V"));
	call(3 * MS, method("get", "()V"));
	call(MS, method("add", "(I)V"));
	narrow("*Cart::get:2ms;*Cart::add", (struct call_filter_options){0});
	show("method-trace");
	assert_contains(shown(), "com.acme.Cart.get()        1 3.0 ms");
	assert_contains(shown(), "com.acme.Cart.add(int)     1 1.0 ms");
}

CASE(calls_are_narrowed_by_thread_duration_and_time, setup_views, teardown)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 22), get = method("get", "()V");
	static const char *const names[] = {"worker-1", "worker-2*", "*", "worker"};
	static const int found[] = {3, 1, 4, 0};
	struct jfr_file file;
	char text[64];

	call_in(one, T0, MS, get, 0);
	call_in(one, T0 + 1000 * MS, 2 * MS, get, 0);
	call_in(one, T0 + 2000 * MS, 3 * MS, get, 0);
	call_in(two, T0 + 3000 * MS, 4 * MS, get, 0);
	recording_end(&r, true);
	for (int i = 0; i < 4; i++) {
		narrow(NULL, (struct call_filter_options){.thread = names[i]});
		bytes_clear(&out);
		jfr_file_init(&file, r.file.data, r.file.size);
		assert_int_equal(view_show(view_find("latency"), &file, &request, &out), 0);
		jfr_file_release(&file);
		call_filter_release(&filter);
		bytes_put_u8(&out, 0);
		snprintf(text, sizeof(text), found[i] ? "Cart.get(): %d call" : "No events found", found[i]);
		assert_contains(shown(), text);
	}
}

static void assert_calls(struct call_filter_options o, int want)
{
	struct jfr_file file;
	char text[64];

	narrow(NULL, o);
	bytes_clear(&out);
	jfr_file_init(&file, r.file.data, r.file.size);
	assert_int_equal(view_show(view_find("latency"), &file, &request, &out), 0);
	jfr_file_release(&file);
	call_filter_release(&filter);
	bytes_put_u8(&out, 0);
	snprintf(text, sizeof(text), want ? "Cart.get(): %d call" : "No events found", want);
	assert_contains(shown(), text);
}

/* NANOS is 22:13:20 in UTC. */
CASE(times_of_day_are_those_of_the_recording, setup_views, teardown)
{
	uint64_t get = method("get", "()V");

	for (int i = 0; i < 4; i++)
		call_in(0, T0 + i * 1000ll * MS, (i + 1) * MS, get, 0);
	recording_end(&r, true);
	assert_calls((struct call_filter_options){.slower_ns = 2 * MS}, 3);
	assert_calls((struct call_filter_options){.from = "22:13:21"}, 3);
	assert_calls((struct call_filter_options){.from = "22:13:21.5"}, 2);
	assert_calls((struct call_filter_options){.from = "22:13:21", .to = "22:13:22"}, 1);
	assert_calls((struct call_filter_options){.to = "22:13"}, 0);
	assert_calls((struct call_filter_options){.from = "22:13:22", .to = "01:00"}, 2); /* over midnight */
	assert_calls((struct call_filter_options){.slower_ns = 2 * MS, .to = "22:13:22"}, 1);
}

CASE(wrong_options_say_what_would_be_right, setup_views, teardown)
{
	static const char *const wrong[] = {"25:00", "22:60", "22", "22:13:20x", "22:13.5", "", "-1:00"};
	struct filter_list *l = filter_list_new();
	struct diag d = {0};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_true(call_filter_init(&filter, &(struct call_filter_options){.from = wrong[i]}, &d) < 0);
		assert_contains(d.text, "it has to be a time of day, as in 21:31 or 21:31:53.333");
		call_filter_release(&filter);
	}
	assert_int_equal(filter_list_add(l, "+com.acme.Cart", FILTER_TRACE, &d), 0);
	assert_true(call_filter_init(&filter, &(struct call_filter_options){.methods = l}, &d) < 0);
	assert_contains(d.text, "'+' and '@' do not work here");
	assert_true(d.usage);
	filter_list_free(l);
}

static void timing_with(int64_t start, uint64_t method_key, int64_t invocations, int64_t average, int64_t p99)
{
	int64_t time = invocations ? average : JFR_MISSING;

	jfr_method_timing(r.w, &(struct jfr_method_timing){.start = start,
							   .method = method_key,
							   .invocations = invocations,
							   .minimum = time,
							   .average = time,
							   .p99 = p99,
							   .maximum = time,
							   .self = JFR_MISSING,
							   .outermost = JFR_MISSING});
}

static void timing(int64_t start, uint64_t method_key, int64_t invocations, int64_t average)
{
	timing_with(start, method_key, invocations, average, JFR_MISSING);
}

CASE(timing_is_sorted_by_total_and_has_the_last_of_each_method, setup_views, teardown)
{
	uint64_t few = method("few", "()V"), many = method("many", "()V"), none = method("none", "()V");

	timing(T0, few, 1, 900 * MS);
	timing(T0, method("gone", "()V"), 3, MS); /* of another recording, or not loaded any more */
	timing(T0 + 5, none, 0, 0);
	timing(T0 + 5, few, 2, 8 * MS);
	timing(T0 + 5, many, 1000000, 20);
	show("method-timing");
	assert_contains(shown(), "com.acme.Cart.many()   1,000,000 20.0 ms   20 ns   20 ns   20 ns\n");
	assert_contains(shown(), "com.acme.Cart.few()            2 16.0 ms  8.0 ms  8.0 ms  8.0 ms\n");
	assert_contains(shown(), "com.acme.Cart.none()           0    0 ns     N/A     N/A     N/A\n");
	assert_contains(shown(), "com.acme.Cart.gone()           3  3.0 ms  1.0 ms  1.0 ms  1.0 ms\n");
	assert_true(strstr(shown(), "many()") < strstr(shown(), "few()"));
	assert_true(strstr(shown(), "few()") < strstr(shown(), "none()"));
}

CASE(a_time_below_zero_is_not_known, setup_views, teardown)
{
	timing(T0, method("pay", "()V"), 3, -7);
	show("method-timing");
	assert_contains(shown(), "com.acme.Cart.pay()           3   N/A");
	assert_lacks(shown(), "0 ns");
}

CASE(timing_has_percentiles, setup_views, teardown)
{
	timing(T0 + 5, method("few", "()V"), 1, 8 * MS);
	timing_with(T0 + 5, method("many", "()V"), 1000, 20, 31 * MS);
	show("method-timing");
	assert_contains(shown(), " Average     P99 Maximum\n");
	assert_contains(shown(), "com.acme.Cart.many()       1,000 20.0 us   20 ns   20 ns 31.0 ms   20 ns\n");
	assert_contains(shown(), "com.acme.Cart.few()            1  8.0 ms  8.0 ms  8.0 ms     N/A  8.0 ms\n");
}

CASE(timing_shows_no_percentiles_where_the_recording_has_none, setup_views, teardown)
{
	timing(T0, method("few", "()V"), 2, 8 * MS);
	assert_lacks(show("method-timing"), "P99");
	request.layout.json = true;
	show("method-timing");
	assert_contains(shown(), "\"averageNs\":8000000,\"p99Ns\":null,");
}

static void timing_nested(uint64_t method_key, int64_t average, int64_t self, int64_t outermost)
{
	jfr_method_timing(r.w, &(struct jfr_method_timing){.start = T0,
							   .method = method_key,
							   .invocations = 10,
							   .minimum = average,
							   .average = average,
							   .p99 = JFR_MISSING,
							   .maximum = average,
							   .self = self,
							   .outermost = outermost});
}

CASE(timing_has_self_times_and_times_without_recursion, setup_views, teardown)
{
	timing_nested(method("visit", "()V"), 3 * MS, 2 * MS, 9 * MS);
	timing_nested(method("leaf", "()V"), MS / 2, 5 * MS, 5 * MS);
	timing_nested(method("lost", "()V"), MS / 5, JFR_MISSING, JFR_MISSING);
	show("method-timing");
	assert_contains(shown(), "Timed Method          Invocations   Total Outermost   Self");
	assert_contains(shown(), "com.acme.Cart.visit()          10 30.0 ms    9.0 ms 2.0 ms");
	assert_contains(shown(), "com.acme.Cart.leaf()           10  5.0 ms    5.0 ms 5.0 ms");
	assert_contains(shown(), "com.acme.Cart.lost()           10  2.0 ms       N/A    N/A");
	assert_true(strstr(shown(), "visit()") < strstr(shown(), "leaf()"));
	request.by_self = true;
	show("method-timing");
	assert_true(strstr(shown(), "leaf()") < strstr(shown(), "visit()"));
	assert_true(strstr(shown(), "visit()") < strstr(shown(), "lost()"));
}

CASE(timing_has_no_self_times_where_no_call_is_in_another, setup_views, teardown)
{
	timing_nested(method("leaf", "()V"), 333, 3334, 3334); /* the average is rounded */
	assert_lacks(show("method-timing"), "Self");
}

CASE(overloads_keep_their_parameters_in_narrow_tables, setup_views, teardown)
{
	uint64_t servlet = recording_class(&r, "org/apache/catalina/servlets/DefaultServlet");

	request.layout.width = 80;
	call(MS, method_of(servlet, "service", "(Ljavax/servlet/http/HttpServletRequest;)V"));
	call(MS, method_of(servlet, "service", "(Ljavax/servlet/ServletRequest;)V"));
	show("method-trace");
	assert_contains(shown(), "\nDefaultServlet.service(HttpServletRequest) ");
	assert_contains(shown(), "\nDefaultServlet.service(ServletRequest) ");
}

static uint64_t loaded_class(const char *loader_name, uint64_t identity)
{
	uint64_t loader = jfr_loader(r.w, &(struct jfr_loader_constant){"a/WebappLoader", loader_name, identity});

	return jfr_class(r.w, &(struct jfr_class_constant){.name = "shop/Order", .loader = loader, .modifiers = 1});
}

CASE(classes_of_one_name_are_named_with_their_loaders, setup_views, teardown)
{
	request.layout.width = 120;
	call(3 * MS, method_of(loaded_class("app", 1), "get", "()V"));
	call(2 * MS, method_of(loaded_class(NULL, 2), "get", "()V"));
	call(MS, method_of(loaded_class(NULL, 3), "get", "()V"));
	call(MS, method_of(loaded_class("app", 1), "put", "()V"));
	show("method-trace");
	assert_contains(shown(), "shop.Order.get() (loader app) ");
	assert_contains(shown(), "shop.Order.get() (loader a.WebappLoader #1) ");
	assert_contains(shown(), "shop.Order.get() (loader a.WebappLoader #2) ");
	assert_contains(shown(), "shop.Order.put() ");
	assert_lacks(shown(), "put() (loader");
}

CASE(classes_of_one_name_are_added_up_if_asked, setup_views, teardown)
{
	for (uint64_t loader = 1; loader <= 3; loader++) {
		uint64_t class = loaded_class(NULL, loader);
		uint64_t get = jfr_method(r.w, &(struct jfr_method_constant){class, "get", "()V", 1, false});

		call_in(recording_thread(&r, 1), T0 + (int64_t)loader * 10 * MS, (int64_t)loader * MS, get, 0);
		timing(T0, get, 10 * (int64_t)loader, (int64_t)loader * MS);
	}
	request.by = "class-name";
	assert_contains(show("method-trace"), "shop.Order.get()     3 6.0 ms  1.0 ms  2.0 ms  3.0 ms");
	assert_lacks(shown(), "loader");
	assert_contains(show("method-timing"), "shop.Order.get()          60 140 ms  1.0 ms  2.3 ms  3.0 ms");
	assert_lacks(shown(), "loader");
	assert_contains(show("latency"), "shop.Order.get(): 3 calls, 6.0 ms in all, longest 3.0 ms");
	assert_contains(show("callers"), "shop.Order.get()");
	assert_lacks(shown(), "loader");
	assert_contains(show("method-calls"), "    3 6.0 ms");
	request.merged = true;
	assert_contains(show("tree"), "3 × shop.Order.get()");
	request.by = "user";
	assert_true(try_to_show("method-timing") < 0);
	assert_true(try_to_show("callers") < 0);
}

CASE(parameters_of_one_name_have_their_descriptors, setup_views, teardown)
{
	request.layout.width = 200;
	call(3 * MS, method("at", "(Ljava/util/Date;)V"));
	call(2 * MS, method("at", "(Ljava/sql/Date;)V"));
	show("method-trace");
	assert_contains(shown(), "\ncom.acme.Cart.at(Date)(Ljava/util/Date;)V ");
	assert_contains(shown(), "\ncom.acme.Cart.at(Date)(Ljava/sql/Date;)V ");
}

CASE(methods_are_the_same_in_all_chunks, setup_views, teardown)
{
	call(MS, method("get", "()V"));
	recording_end(&r, false);
	recording_begin(&r);
	call(MS, method("get", "()V"));
	show("method-trace");
	assert_contains(shown(), "com.acme.Cart.get()     2 2.0 ms");
}

CASE(calls_of_a_pair_are_sorted_by_total, setup_views, teardown)
{
	uint64_t a = recording_stack(&r, method("serve", "()V"), 3), b = recording_stack(&r, method("batch", "()V"), 4);
	uint64_t get = method("get", "()V");

	for (int i = 0; i < 5; i++)
		call_in(0, T0, MS, get, a);
	call_in(0, T0, 9 * MS, get, b);
	call_in(0, T0, MS / 2, get, 0);
	show("method-calls");
	assert_contains(shown(), "com.acme.Cart.get() com.acme.Cart.batch()           1 9.0 ms\n");
	assert_contains(shown(), "com.acme.Cart.get() com.acme.Cart.serve()           5 5.0 ms\n");
	assert_contains(shown(), "com.acme.Cart.get() N/A                             1 500 us\n");
	assert_true(strstr(shown(), "batch()") < strstr(shown(), "serve()"));
}

/* A stack of these methods, the caller first. */
static uint64_t stack_of(const char *const *names)
{
	struct jfr_frame frames[16];
	int n = 0;

	for (; names[n]; n++)
		frames[n] = (struct jfr_frame){method(names[n], "()V"), 1, 0, JFR_FRAME_JIT};
	return jfr_stack(r.w, frames, n, false);
}

static void many_calls(int count, const char *name, const char *const *callers)
{
	uint64_t key = method(name, "()V"), stack = stack_of(callers);

	for (int i = 0; i < count; i++)
		call_in(0, T0, MS, key, stack);
}

CASE(chains_of_callers_are_indented_below_what_they_call, setup_views, teardown)
{
	many_calls(60, "get", (const char *const[]){"answer", "handle", "filter", NULL});
	many_calls(40, "get", (const char *const[]){"answer", "retry", "timer", NULL});
	show("callers");
	assert_contains(shown(), "  com.acme.Cart.get()\n"
				 "           100  100.0 %        100 ms    com.acme.Cart.answer()\n"
				 "            60   60.0 %       60.0 ms      com.acme.Cart.handle()\n"
				 "            60   60.0 %       60.0 ms        com.acme.Cart.filter()\n"
				 "            40   40.0 %       40.0 ms      com.acme.Cart.retry()\n"
				 "            40   40.0 %       40.0 ms        com.acme.Cart.timer()\n");
}

CASE(what_callers_share_is_printed_once, setup_views, teardown)
{
	many_calls(60, "get", (const char *const[]){"handle", "a", "b", "c", "d", NULL});
	many_calls(40, "get", (const char *const[]){"retry", "a", "b", "c", "d", NULL});
	many_calls(10, "put", (const char *const[]){"b", "c", "d", NULL});
	show("callers");
	assert_contains(shown(), " com.acme.Cart.handle()\n"
				 "            60   60.0 %       60.0 ms      com.acme.Cart.a()\n"
				 "            60   60.0 %       60.0 ms      com.acme.Cart.b()\n");
	assert_contains(shown(), " com.acme.Cart.retry()\n"
				 "            40   40.0 %       40.0 ms      com.acme.Cart.a(), 3 callers as above\n"
				 "            10  100.0 %       10.0 ms  com.acme.Cart.put()\n"
				 "            10  100.0 %       10.0 ms    com.acme.Cart.b()\n");
}

CASE(depth_and_share_bound_the_tree, setup_views, teardown)
{
	many_calls(985, "get", (const char *const[]){"handle", "a", "b", NULL});
	many_calls(15, "get", (const char *const[]){"retry", NULL});
	request.depth = 2;
	request.min_share = 2;
	show("callers");
	assert_contains(shown(), "Cart.a()");
	assert_lacks(shown(), "Cart.b()");
	assert_lacks(shown(), "Cart.retry()");
	request.depth = request.min_share = 0;
	show("callers");
	assert_contains(shown(), "Cart.b()");
	assert_contains(shown(), "Cart.retry()");
}
