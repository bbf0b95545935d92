// SPDX-License-Identifier: BSD-2-Clause
/* `frtrace view events`: rows in the order of time, groups by a field's values, and the types of a recording. */
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "user/view/views.h"

#define MS 1000000ll

static struct recording r;
static struct bytes out;
static struct call_filter all;
static struct diag diag;
static struct view_request request;

static int setup(void **state)
{
	r = recording_new_with(JFR_KERNEL_WAITS);
	recording_begin(&r);
	bytes_init(&out);
	diag = (struct diag){0};
	request = (struct view_request){
		.layout = {.width = 120, .cell_height = 1}, .filter = &all, .event = "MethodTrace", .diag = &diag};
	return 0;
}

static int teardown(void **state)
{
	recording_free(&r);
	bytes_release(&out);
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

static int show(void)
{
	struct jfr_file file;
	int err;

	if (!r.file.size)
		recording_end(&r, true);
	bytes_clear(&out);
	jfr_file_init(&file, r.file.data, r.file.size);
	err = view_show(view_find("events"), &file, &request, &out);
	assert_null(file.fault.what);
	jfr_file_release(&file);
	bytes_put_u8(&out, 0);
	return err;
}

static const char *assert_has(const char *part)
{
	const char *found = strstr((char *)out.data, part);

	if (!found)
		fail_msg("no '%s' in:\n%s", part, (char *)out.data);
	return found;
}

CASE(events_stand_in_the_order_of_time_and_the_longest_first_with_top, setup, teardown)
{
	call("put", 20 * MS, 5 * MS, true);
	call("get", 0, MS, false);
	call("end", 30 * MS, 2 * MS, false);
	assert_int_equal(show(), 0);
	assert_has("jdk.MethodTrace\n");
	assert_true(assert_has("Cart.get()") < assert_has("Cart.put()"));
	assert_true(assert_has("Cart.put()") < assert_has("Cart.end()"));
	request.top = 2;
	assert_int_equal(show(), 0);
	assert_true(assert_has("Cart.put()") < assert_has("Cart.end()"));
	assert_has("and 1 more\n");
	assert_null(strstr((char *)out.data, "Cart.get()"));
}

CASE(json_has_plain_values_of_each_field, setup, teardown)
{
	request.layout.json = true;
	call("put", 0, 5 * MS, true);
	assert_int_equal(show(), 0);
	assert_has("{\"view\":\"jdk.MethodTrace\",\"rows\":[{\"startTime\":\"");
	assert_has("\"durationNs\":5000000,");
	assert_has("\"method\":\"com.acme.Cart.put()\",");
	assert_has("\"thrown\":true,");
	assert_has("\"cpuTime\":5000000,");
}

CASE(groups_have_exact_percentiles_and_most_time_first, setup, teardown)
{
	for (int i = 1; i <= 200; i++)
		call("get", i * MS, i * 1000, i % 50 == 0);
	call("put", 300 * MS, 50 * MS, false);
	request.by = "method";
	request.layout.json = true;
	assert_int_equal(show(), 0);
	assert_has("{\"view\":\"jdk.MethodTrace by method\",\"rows\":[{\"value\":\"com.acme.Cart.put()\",\"events\":1,"
		   "\"totalNs\":50000000,\"p50Ns\":50000000,\"p99Ns\":50000000,\"maxNs\":50000000,\"thrown\":0},"
		   "{\"value\":\"com.acme.Cart.get()\",\"events\":200,\"totalNs\":20100000,\"p50Ns\":100000,"
		   "\"p99Ns\":198000,\"maxNs\":200000,\"thrown\":4}]}\n");
}

CASE(types_are_listed_with_their_counts, setup, teardown)
{
	request.event = NULL;
	call("get", 0, MS, false);
	call("get", 2 * MS, MS, false);
	assert_int_equal(show(), 0);
	assert_has("\njdk.MethodTrace");
	assert_has(" 2\n");
	assert_null(strstr((char *)out.data, "jdk.MethodTiming"));
}

CASE(a_missing_type_or_field_is_named_with_what_there_is, setup, teardown)
{
	call("get", 0, MS, false);
	request.by = "user";
	assert_int_equal(show(), -EINVAL);
	assert_non_null(
		strstr(diag.text, "jdk.MethodTrace has no field 'user' to group by; it has startTime, duration, "));
	request.event = "Serve";
	assert_int_equal(show(), -ENOENT);
	assert_non_null(strstr(diag.text, "there are no events of type 'Serve'"));
}
