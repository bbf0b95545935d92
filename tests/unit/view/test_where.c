// SPDX-License-Identifier: BSD-2-Clause
/* Views that a condition on a value narrows, or that are split by values. */
#include "tests/unit/view/valued.h"
#include "user/export/export.h"

static void where(const char *condition)
{
	const struct call_filter_options options = {.where = condition};

	call_filter_release(&filter);
	assert_int_equal(call_filter_init(&filter, &options, &diag), 0);
}

/* How many calls of query() the condition passes, 0 to 9. */
static void assert_queries(const char *condition, int want)
{
	char row[64];

	where(condition);
	show("method-trace");
	snprintf(row, sizeof(row), "com.acme.Cart.query() %5d ", want);
	if (want ? !strstr(shown(), row) : !strstr(shown(), "No events found"))
		fail_msg("%s: not %d in: %s", condition, want, shown());
}

CASE(each_operator_compares_numbers_and_texts, setup_users, teardown)
{
	static const struct {
		const char *condition;
		int passed;
	} rows[] = {
		{"rows=2", 1},
		{"rows!=2", 3},
		{"rows<3", 2},
		{"rows>1", 2},
		{"rows>3", 0},
		{"rows=2.0", 1},
		{"rows<2.5", 2},
		{"rows=02", 1},
		{"rows~2", 1},
		{"rows=N/A", 1},
		{"rows!=N/A", 3},
		{"rows>-9e18", 3},
		{"rows=two", 0},
		{"rows~N/A", 0},
		{"rows=2ms", 0},
		{"sql=select a", 2},
		{"sql!=select a", 2},
		{"sql=select", 0},
		{"sql~select", 3},
		{"sql~s*b", 1},
		{"sql=N/A", 1},
		{"sql~b", 1},
		{"sql<5", 0},
		{"sql=", 0},
		{"sql~", 3},
		{"thrown=false", 4},
		{"duration>3ms", 2},
		{"duration=3ms", 1},
		{"duration>3000000", 2},
		{"method~Cart.query", 4},
		{"eventThread=worker-1", 4},
	};

	query("select a", 1, 10, 12);
	query("select b", 2, 20, 80);
	query("select a", 3, 85, 89);
	query(NULL, INT32_MIN, 90, 93);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_queries(rows[i].condition, rows[i].passed);
}

CASE(numbers_in_texts_are_compared_as_numbers, setup_users, teardown)
{
	query("9", 1, 0, 1);
	query("10", 2, 2, 3);
	query("x", 3, 4, 5);
	assert_queries("sql>9", 1);
	assert_queries("sql<10", 1);
	assert_queries("sql<1e3", 2);
	assert_queries("sql=9.0", 0);
}

CASE(a_condition_needs_a_field_an_operator_and_a_comparable_value)
{
	static const char *const wrong[] = {"", "id", "=5", "a.b=5", "id ==5", "id<x", "id>", "id<nan", "id>0x10"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(call_filter_init(&filter, &(struct call_filter_options){.where = wrong[i]}, &diag),
				 -EINVAL);
		assert_contains(diag.text, "wrong --where '");
		call_filter_release(&filter);
	}
}

CASE(a_field_that_no_call_has_is_refused_with_what_is_near, setup_users, teardown)
{
	request_with_queries();
	where("sq1=select a");
	assert_int_equal(try_to_show("slowest"), -ENOENT);
	assert_string_equal(diag.text, "no call has a field 'sq1'; near: sql");
	where("amount=7");
	assert_int_equal(try_to_show("method-trace"), -ENOENT);
	assert_string_equal(diag.text, "no call has a field 'amount'; it has sql, rows, who, httpMethod, url, status");
	where("duratoin>1ms");
	assert_int_equal(try_to_show("tree"), -ENOENT);
	assert_string_equal(diag.text, "no call has a field 'duratoin'; near: duration");
	request.event = "db.Audit";
	where("sql=select a");
	assert_int_equal(try_to_show("events"), -ENOENT);
	assert_contains(diag.text, "db.Audit has no field 'sql'");
}

CASE(values_of_events_beside_a_call_count, setup_users, teardown)
{
	audit(1, "load", "ann", 10, 30);
	call(1, "load", 10, 30);
	audit(1, "load", "bob", 40, 50);
	call(1, "load", 40, 50);
	call(1, "load", 60, 90);
	where("who=bob");
	show("method-trace");
	assert_contains(shown(), "com.acme.Cart.load()     1 10.0 ms");
	show("latency");
	assert_contains(shown(), "load(): 1 call, 10.0 ms");
}

CASE(a_request_passes_if_a_call_inside_it_has_the_value, setup_users, teardown)
{
	request_with_queries(); /* "select b" is in it */
	query("select b", 5, 210, 240);
	call(1, "other", 200, 300);
	query("select c", 6, 410, 420);
	call(1, "wrong", 400, 500);
	call(2, "elsewhere", 0, 500); /* around them, on another thread */
	where("sql=select b");
	show("slowest");
	assert_contains(shown(), "Cart.serve()");
	assert_contains(shown(), "sql=\"select a\" rows=1"); /* all that is in it */
	assert_contains(shown(), "Cart.other()");
	assert_lacks(shown(), "Cart.wrong()");
	assert_lacks(shown(), "Cart.elsewhere()");
	show("tree");
	assert_contains(shown(), "4 × com.acme.Cart.query()");
	assert_lacks(shown(), "Cart.wrong()");
	request.merged = true;
	show("tree");
	assert_contains(shown(), "Cart.other()");
	assert_lacks(shown(), "Cart.wrong()");
	where("sql=select d");
	request.merged = false;
	show("slowest");
	assert_contains(shown(), "No events found");
}

CASE(a_request_that_has_the_value_itself_passes, setup_users, teardown)
{
	query("select b", 5, 210, 240);
	query("select c", 6, 410, 420);
	where("rows>5");
	show("slowest");
	assert_contains(shown(), "sql=\"select c\"");
	assert_lacks(shown(), "sql=\"select b\"");
}

CASE(events_pass_by_a_field_of_their_own, setup_users, teardown)
{
	request_with_queries();
	audit(1, "load", "ann", 110, 130);
	call(1, "load", 110, 130);
	request.event = "db.Query";
	where("rows>1");
	show("events");
	assert_contains(shown(), "select b");
	assert_lacks(shown(), "     1 ");
	request.by = "sql";
	show("events");
	assert_contains(shown(), "select a      1  4.0 ms");
	request.event = "db.Audit";
	request.by = NULL;
	where("who~nn");
	show("events");
	assert_contains(shown(), "ann");
}

static void wait_of(uint64_t thread, const char *reason, int64_t from, int64_t to)
{
	struct jfr_thread_wait e = {.start = T0 + from * MS,
				    .duration = (to - from) * MS,
				    .thread = recording_thread(&r, thread),
				    .reason = reason,
				    .system_call = "read"};

	jfr_thread_wait(r.w, &e);
}

/* Each is at a place of its own, so it has a reason of its own. */
static void waits_in_and_out_of_queries(void)
{
	wait_of(1, "sleep", 30, 70);  /* in "select b" */
	wait_of(1, "socket", 86, 88); /* in the third query */
	wait_of(1, "disk", 94, 99);   /* in serve() only */
	wait_of(2, "pipe", 30, 70);   /* of another thread */
	wait_of(1, "poll", 150, 160);
	request_with_queries();
}

CASE(waits_pass_if_they_are_in_a_call_with_the_value, setup_users, teardown)
{
	waits_in_and_out_of_queries();
	request.by = "reason";
	where("sql=select b");
	show("waits");
	assert_contains(shown(), "sleep");
	for (size_t i = 0; i < 4; i++)
		assert_lacks(shown(), ((const char *const[]){"socket", "disk", "pipe", "poll"})[i]);
	where("sql~select");
	filter.slower_ns = 10 * MS; /* of the wait */
	show("waits");
	assert_contains(shown(), "sleep");
	assert_lacks(shown(), "socket");
}

CASE(waits_are_added_up_by_the_value_of_the_innermost_call_with_one, setup_users, teardown)
{
	waits_in_and_out_of_queries();
	wait_of(1, "socket", 10, 11); /* in the first query, of the same SQL as the third */
	wait_of(1, "sleep", 91, 92);  /* in one whose value is missing */
	request.by = "sql";
	show("waits");
	assert_contains(shown(), "Waits by sql");
	assert_contains(shown(), "\nselect b sleep      1 40.0 ms 40.0 ms 40.0 ms\n");
	assert_contains(shown(), "\nselect a socket     2  3.0 ms  1.5 ms  2.0 ms\n");
	assert_contains(shown(), "\nN/A      pipe       1 40.0 ms");
	assert_contains(shown(), "\nN/A      disk       1  5.0 ms");
	assert_contains(shown(), "\nN/A      sleep      1  1.0 ms");
	assert_lacks(shown(), "Reason\n");
	request.layout.json = true;
	request.by = "rows";
	show("waits");
	assert_contains(shown(), "{\"value\":2,\"reason\":\"sleep\",\"waits\":1,\"totalNs\":40000000,");
	assert_contains(shown(), "{\"value\":null,\"reason\":\"pipe\",");
	request.by = "slq";
	assert_int_equal(try_to_show("waits"), -EINVAL);
	assert_contains(diag.text, "near: sql");
	request.by = "hodler";
	assert_int_equal(try_to_show("waits"), -EINVAL);
	assert_string_equal(diag.text, "waits have no table and no value 'hodler'; near: holder");
	request.by = "class-name";
	assert_int_equal(try_to_show("waits"), -EINVAL);
}

CASE(waits_have_the_values_of_the_call_that_waited_longest, setup_users, teardown)
{
	waits_in_and_out_of_queries();
	wait_of(1, "sleep", 10, 11);
	request.by = "reason";
	show("waits");
	assert_contains(shown(), " Longest Its Values  ");
	assert_contains(shown(), "\nsleep      2 41.0 ms 20.5 ms 40.0 ms sql=\"select b\" rows=2\n");
	assert_contains(shown(), "\nsocket     1  2.0 ms  2.0 ms  2.0 ms sql=\"select a\" rows=3\n");
	assert_contains(shown(), "\ndisk       1  5.0 ms  5.0 ms  5.0 ms  "); /* in serve() only */
	request.layout.width = 50;
	show("waits");
	assert_contains(shown(), "\nsleep      2 41.0 ms 40.0 ms sql=\"select b\" rows=2\n");
	request.layout.json = true;
	show("waits");
	assert_contains(shown(), "\"longestNs\":40000000,\"values\":{\"db.Query\":{\"sql\":\"select b\",\"rows\":2}}}");
	assert_contains(shown(), "{\"reason\":\"disk\",\"waits\":1,\"totalNs\":5000000,\"averageNs\":5000000,"
				 "\"longestNs\":5000000,\"values\":null}");
}

CASE(the_holder_of_a_lock_has_the_values_of_its_call, setup_users, teardown)
{
	struct jfr_frame frames[] = {
		{method_named("jdk/internal/misc/Unsafe.park"), -1, 0, JFR_FRAME_NATIVE},
		{method_named("java/util/concurrent/locks/ReentrantLock.lock"), 9, 5, JFR_FRAME_JIT},
		{method_named("a/Shop.enter"), 7, 5, JFR_FRAME_JIT}};
	uint64_t stack = jfr_stack(r.w, frames, 3, false);

	for (int i = 0; i < 2; i++) /* the second one is longer */
		jfr_thread_wait(r.w, &(struct jfr_thread_wait){.start = T0 + (i ? 25 : 9) * MS,
							       .duration = (i ? 40 : 3) * MS,
							       .thread = recording_thread(&r, 2),
							       .reason = "futex",
							       .waker = recording_thread(&r, 1),
							       .stack = stack});
	query("select a", 1, 8, 13);
	query("select b", 2, 20, 66);
	request_with_queries();
	call(2, "get", 0, 100);
	request.by = "holder";
	show("waits");
	assert_contains(shown(), "com.acme.Cart.query()     2 43.0 ms 21.5 ms 40.0 ms sql=\"select b\" rows=2\n");
	request.by = "place";
	show("waits");
	assert_contains(shown(), "a.Shop.enter():7     2 43.0 ms 21.5 ms 40.0 ms\n"); /* the call that waits has none */
}

CASE(waits_pass_if_they_are_in_a_call_of_the_method, setup_users, teardown)
{
	struct filter_list *methods = filter_list_new();

	waits_in_and_out_of_queries();
	request.by = "reason";
	assert_int_equal(filter_list_add(methods, "*Cart::query:50ms", FILTER_TRACE, &diag), 0);
	assert_int_equal(call_filter_init(&filter, &(struct call_filter_options){.methods = methods}, &diag), 0);
	show("waits");
	assert_contains(shown(), "sleep");
	assert_lacks(shown(), "socket");
	filter_list_free(methods);
	call_filter_release(&filter);
	methods = filter_list_new();
	assert_int_equal(filter_list_add(methods, "*::serve", FILTER_TRACE, &diag), 0);
	assert_int_equal(call_filter_init(&filter, &(struct call_filter_options){.methods = methods}, &diag), 0);
	show("waits");
	assert_contains(shown(), "sleep");
	assert_contains(shown(), "socket");
	assert_contains(shown(), "disk");
	assert_lacks(shown(), "pipe");
	assert_lacks(shown(), "poll");
	filter_list_free(methods);
}

CASE(methods_have_a_row_for_each_value, setup_users, teardown)
{
	request_with_queries();
	request.by = "sql";
	show("method-trace");
	assert_contains(shown(), "Traced Method         sql      Calls   Total    Self Minimum");
	assert_contains(shown(), "com.acme.Cart.serve()              1  100 ms 31.0 ms  100 ms");
	assert_contains(shown(), "com.acme.Cart.query() select b     1 60.0 ms 60.0 ms");
	assert_contains(shown(), "com.acme.Cart.query() select a     2  6.0 ms");
	assert_contains(shown(), "com.acme.Cart.query()              1  3.0 ms"); /* its value is missing */
	request.layout.json = true;
	request.by = "rows";
	show("method-trace");
	assert_contains(shown(), "{\"method\":\"com.acme.Cart.query()\",\"value\":2,\"calls\":1,\"totalNs\":60000000,");
	assert_contains(shown(), "{\"method\":\"com.acme.Cart.serve()\",\"value\":null,\"calls\":1,");
	request.layout.json = false;
	request.by = "thrown";
	show("method-trace");
	assert_contains(shown(), "com.acme.Cart.query() false      4 ");
	request.by = "sql";
	show("latency");
	assert_contains(shown(), "com.acme.Cart.query() sql=select a: 2 calls, 6.0 ms in all, longest 4.0 ms\n");
	assert_contains(shown(), "com.acme.Cart.query(): 1 call, 3.0 ms in all");
	request.by = "slq";
	assert_int_equal(try_to_show("method-trace"), -EINVAL);
	assert_contains(diag.text, "no call has a value 'slq' by -e to tell calls apart; near: sql");
}

CASE(values_are_cut_after_all_other_columns_of_events, setup_users, teardown)
{
	char sql[61];

	memset(sql, 's', 60);
	sql[60] = 0;
	query(sql, 1, 10, 12);
	query("select b", 2, 20, 80);
	request.event = "db.Query";
	request.layout.width = 100;
	show("events");
	assert_contains(shown(), sql); /* is longer than half of the table */
	assert_contains(shown(), " cpuTime\n");
	assert_lacks(shown(), "worker-1"); /* alike */
	assert_lacks(shown(), "thrown");
	assert_lacks(shown(), "thrownClass");
	assert_lines_fit(100);
	request.layout.width = 60;
	show("events");
	assert_contains(shown(), "ssssssssssssssssssssssssss...");
	assert_lines_fit(60);
}

static size_t times_of(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, word)); at++)
		n++;
	return n;
}

typedef void export_form(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to);

/* What the export has of the calls that pass, to be freed. */
static char *exported(export_form *form, enum call_scope scope)
{
	struct jfr_file file;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	jfr_file_init(&file, r.file.data, r.file.size);
	assert_int_equal(call_scope_prepare(&filter, scope, NULL, &file, &diag), 0);
	form(&file, &filter, false, to);
	assert_null(file.fault.what);
	jfr_file_release(&file);
	fclose(to);
	return text;
}

CASE(exports_have_the_calls_that_pass_or_their_requests, setup_users, teardown)
{
	char *text;

	request_with_queries();
	query("select c", 6, 410, 420);
	call(1, "other", 400, 500);
	recording_end(&r, true);
	ended = true;
	where("sql=select a");
	text = exported(export_csv, SCOPE_CALL);
	assert_int_equal(times_of(text, "\r\n"), 3);
	assert_int_equal(times_of(text, "Cart.query()"), 2);
	free(text);
	text = exported(export_otlp, SCOPE_REQUESTS);
	assert_int_equal(times_of(text, "\"name\":\"Cart.query\""), 4);
	assert_int_equal(times_of(text, "\"name\":\"Cart.serve\""), 1);
	assert_int_equal(times_of(text, "\"name\":\"Cart.other\""), 0);
	free(text);
}

CASE(csv_of_events_has_their_fields_and_no_missing_values, setup_users, teardown)
{
	struct jfr_file file;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	query("a \"b\", c", 1, 10, 12);
	query("=1+1", 2, 20, 80);
	query(NULL, INT32_MIN, 90, 93);
	call(1, "serve", 0, 100);
	recording_end(&r, true);
	ended = true;
	where("rows!=5");
	jfr_file_init(&file, r.file.data, r.file.size);
	export_events(&file, "db.Query", &filter, to);
	fclose(to);
	assert_contains(text, "start_ns,duration_ns,thread_id,thread,sql,rows,method,thrown,");
	assert_contains(text, ",2000000,1,worker-1,\"a \"\"b\"\", c\",1,com.acme.Cart.query(),false,");
	assert_contains(text, ",60000000,1,worker-1,'=1+1,2,com.acme.Cart.query(),false,");
	assert_contains(text, ",3000000,1,worker-1,,,com.acme.Cart.query(),false,");
	assert_int_equal(times_of(text, "\r\n"), 4);
	free(text);
	to = open_memstream(&text, &size);
	jfr_file_rewind(&file);
	export_events(&file, "db.Audit", &filter, to);
	fclose(to);
	assert_string_equal(text, "start_ns,duration_ns,thread_id,thread\r\n");
	free(text);
	jfr_file_release(&file);
}
