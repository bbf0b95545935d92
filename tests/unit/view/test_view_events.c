// SPDX-License-Identifier: BSD-2-Clause
/* `frtrace view events`: rows in the order of time, groups by a field's values, and the types of a recording. */
#include "tests/unit/view/shown.h"

static int setup_events(void **state)
{
	setup(state);
	request.event = "MethodTrace";
	return 0;
}

static void call(const char *name, int64_t start, int64_t duration, bool thrown)
{
	uint64_t class_key = recording_class(&r, "com/acme/Cart");
	uint64_t key = jfr_method(r.w, &(struct jfr_method_constant){class_key, name, "()V", 1, false});

	jfr_method_trace(
		r.w,
		&(struct jfr_method_trace){
			.start = T0 + start, .duration = duration, .method = key, .thrown = thrown, .cpu = duration});
}

static const char *assert_has(const char *part)
{
	const char *found = strstr(shown(), part);

	if (!found)
		fail_msg("no '%s' in:\n%s", part, shown());
	return found;
}

CASE(events_stand_in_the_order_of_time_and_the_longest_first_with_top, setup_events, teardown)
{
	call("put", 20 * MS, 5 * MS, true);
	call("get", 0, MS, false);
	call("end", 30 * MS, 2 * MS, false);
	show("events");
	assert_has("jdk.MethodTrace\n");
	assert_true(assert_has("Cart.get()") < assert_has("Cart.put()"));
	assert_true(assert_has("Cart.put()") < assert_has("Cart.end()"));
	request.top = 2;
	show("events");
	assert_true(assert_has("Cart.put()") < assert_has("Cart.end()"));
	assert_has("and 1 more\n");
	assert_lacks(shown(), "Cart.get()");
}

CASE(json_has_plain_values_of_each_field, setup_events, teardown)
{
	request.layout.json = true;
	call("put", 0, 5 * MS, true);
	show("events");
	assert_has("{\"view\":\"jdk.MethodTrace\",\"rows\":[{\"startTime\":\"");
	assert_has("\"durationNs\":5000000,");
	assert_has("\"method\":\"com.acme.Cart.put()\",");
	assert_has("\"thrown\":true,");
	assert_has("\"cpuTime\":5000000,");
}

CASE(groups_have_exact_percentiles_and_most_time_first, setup_events, teardown)
{
	for (int i = 1; i <= 200; i++)
		call("get", i * MS, i * 1000, i % 50 == 0);
	call("put", 300 * MS, 50 * MS, false);
	request.by = "method";
	request.layout.json = true;
	show("events");
	assert_has(
		"{\"view\":\"jdk.MethodTrace by method\",\"rows\":[{\"value\":\"com.acme.Cart.put()\",\"events\":1,"
		"\"totalNs\":50000000,\"p50Ns\":50000000,\"p99Ns\":50000000,\"maxNs\":50000000,\"cpuNs\":50000000,\"runQueueNs\":0,\"blockedNs\":0,"
		"\"unknownNs\":0,\"thrown\":0},"
		"{\"value\":\"com.acme.Cart.get()\",\"events\":200,\"totalNs\":20100000,\"p50Ns\":100000,"
		"\"p99Ns\":198000,\"maxNs\":200000,\"cpuNs\":20100000,\"runQueueNs\":0,\"blockedNs\":0,\"unknownNs\":0,\"thrown\":4}]}\n");
}

static void split_call(int64_t start, int64_t cpu, int64_t run_queue, int64_t blocked)
{
	uint64_t class_key = recording_class(&r, "com/acme/Cart");
	uint64_t key = jfr_method(r.w, &(struct jfr_method_constant){class_key, "ask", "()V", 1, false});

	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0 + start,
							 .duration = cpu + run_queue + blocked,
							 .method = key,
							 .cpu = cpu,
							 .run_queue = run_queue,
							 .blocked = blocked});
}

CASE(groups_say_where_their_time_went, setup_events, teardown)
{
	split_call(0, MS, 2 * MS, 3 * MS);
	split_call(10 * MS, 0, 0, 4 * MS);
	request.by = "method";
	request.layout.width = 120;
	show("events");
	assert_has("Events");
	assert_has(" CPU Run Queue Blocked Thrown\n");
	assert_has(" 10 %      20 %    70 %      0\n");
}

CASE(types_are_listed_with_their_counts, setup_events, teardown)
{
	request.event = NULL;
	call("get", 0, MS, false);
	call("get", 2 * MS, MS, false);
	show("events");
	assert_has("\njdk.MethodTrace");
	assert_has(" 2\n");
	assert_lacks(shown(), "jdk.MethodTiming");
}

CASE(a_missing_type_or_field_is_named_with_what_there_is, setup_events, teardown)
{
	call("get", 0, MS, false);
	request.by = "user";
	assert_int_equal(try_to_show("events"), -EINVAL);
	assert_non_null(
		strstr(diag.text, "jdk.MethodTrace has no field 'user' to group by; it has startTime, duration, "));
	request.event = "Serve";
	assert_int_equal(try_to_show("events"), -ENOENT);
	assert_contains(diag.text, "there are no events of type 'Serve'");
}
