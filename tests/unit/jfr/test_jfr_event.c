// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/recording.h"
#include "tests/lib/test.h"

CASE(companion_events_keep_every_value)
{
	struct recording r = recording_new();
	const struct dissect_event *e;

	recording_begin(&r);
	recording_companions(r.w);
	recording_end(&r, true);
	assert_int_equal(recording_read(&r)->events, 13);
	e = dissect_find(r.d, "jdk.ActiveRecording", 0);
	assert_int_equal(event_number(&r, e, "id"), 3);
	assert_event_text(&r, e, "destination", "/tmp/x.jfr");
	assert_int_equal(event_number(&r, e, "disk"), 1);
	assert_true(event_number(&r, e, "maxAge") == INT64_MAX &&
		    event_number(&r, e, "recordingDuration") == INT64_MAX);
	assert_true(event_number(&r, e, "maxSize") == 1 << 30 &&
		    event_number(&r, e, "recordingStart") == 1700000000000);
	e = dissect_find(r.d, "jdk.JVMInformation", 0);
	assert_event_text(&r, e, "jvmVersion", "17.0.15");
	assert_null(dissect_text(r.d, e, "jvmFlags"));
	assert_int_equal(event_number(&r, e, "pid"), 4242);
	assert_event_text(&r, dissect_find(r.d, "jdk.OSInformation", 0), "osVersion", "Linux 6.18");
	e = dissect_find(r.d, "jdk.CPUInformation", 0);
	assert_true(event_number(&r, e, "sockets") == 1 && event_number(&r, e, "cores") == 2 &&
		    event_number(&r, e, "hwThreads") == 4);
	assert_event_text(&r, dissect_find(r.d, "jdk.VirtualizationInformation", 0), "name",
			  "KVM virtualization detected");
	e = dissect_find(r.d, "jdk.PhysicalMemory", 0);
	assert_true(event_number(&r, e, "totalSize") == 8ll << 30 && event_number(&r, e, "usedSize") == 3ll << 30);
	e = dissect_find(r.d, "frtrace.Clock", 0);
	assert_true(event_number(&r, e, "tsc") == -5 && event_number(&r, e, "monotonic") == T0 + 1);
	assert_true(event_number(&r, e, "realtime") == NANOS + 1 && event_number(&r, e, "error") == 40);
	assert_true(event_number(&r, dissect_find(r.d, "jdk.DataLoss", 0), "total") == -1);
	assert_event_text(&r, dissect_find(r.d, "jdk.Shutdown", 0), "reason", "killed by signal 9");
	assert_event_text(&r, dissect_find(r.d, "frtrace.Message", 0), "text", "too large");
	e = dissect_find(r.d, "frtrace.ResourceAttribute", 0);
	assert_event_text(&r, e, "key", "service.name");
	assert_event_text(&r, e, "value", "shop");
	assert_event_text(&r, e, "type", "string");
	e = dissect_find(r.d, "frtrace.OpenCall", 0);
	assert_int_equal(event_number(&r, e, "duration"), 77);
	assert_event_text(&r, e, "remark", "no stack");
	recording_free(&r);
}

CASE(active_setting_names_its_event_type_and_no_other)
{
	struct recording r = recording_new();
	const struct dissect_event *e;

	recording_begin(&r);
	recording_call(&r, recording_thread(&r, 1), recording_method(&r, "m"));
	jfr_active_setting(r.w, T0, TRACE, "enabled", "true");
	jfr_active_setting(r.w, T0, "jdk.NoSuchEvent", "enabled", "true");
	recording_end(&r, true);
	assert_int_equal(dissect_count(recording_read(&r), "jdk.ActiveSetting"), 1);
	e = dissect_find(r.d, "jdk.ActiveSetting", 0);
	/* the id with which MethodTrace events begin, in two bytes after their size */
	assert_int_equal(event_number(&r, e, "id"), (r.file.data[69] & 0x7f) | r.file.data[70] << 7);
	recording_free(&r);
}

CASE(long_texts_are_cut)
{
	struct recording r = recording_new();
	size_t size = 3 << 20;
	char *text = malloc(size + 1);
	const char *got;

	memset(text, 'x', size);
	text[size] = 0;
	recording_begin(&r);
	jfr_message(r.w, T0, "long", text);
	recording_call(&r, jfr_thread(r.w, &(struct jfr_thread_constant){.name = text, .os_id = 1, .java_id = 1}), 0);
	recording_end(&r, true);
	recording_read(&r);
	got = dissect_text(r.d, dissect_find(r.d, "frtrace.Message", 0), "text");
	assert_int_equal(strlen(got), 1 << 20);
	assert_string_equal(got + (1 << 20) - 4, "x...");
	assert_int_equal(strlen(dissect_text(r.d, dissect_find(r.d, TRACE, 0), "eventThread.javaName")), 1000);
	recording_free(&r);
	free(text);
}

static void assert_place_fits(const struct jfr_field *f)
{
	size_t size = f->type == JFR_STRING ? sizeof(char *) : f->type == JFR_BOOLEAN ? 1 : f->type == JFR_INT ? 4 : 8;

	if (f->size != size || f->at % size)
		fail_msg("%s: %u bytes at %u", f->name, f->size, f->at);
}

CASE(each_field_has_a_value_of_its_own)
{
	for (int type = JFR_FIRST_EVENT; type < JFR_TYPES; type++) {
		const struct jfr_field *f = jfr_schema_fields(type);

		assert_string_equal(f->name, "startTime");
		assert_int_equal(f->at, 0);
		for (; f->name; f++) {
			assert_place_fits(f);
			for (const struct jfr_field *other = f + 1; other->name; other++)
				if (other->at < f->at + f->size && f->at < other->at + other->size)
					fail_msg("%s and %s have one value", f->name, other->name);
		}
	}
}

/* The chunk of one call, written by hand or from the schema's rows. */
static struct bytes call_written(enum jfr_kernel kernel, bool from_rows)
{
	struct recording r = recording_new_with(kernel);
	struct jfr_method_trace e = {.start = T0 + 1,
				     .duration = 300,
				     .thread = recording_thread(&r, 1),
				     .method = recording_method(&r, "m"),
				     .thrown = true,
				     .cpu = 1,
				     .run_queue = 200,
				     .blocked = JFR_MISSING,
				     .pause = 4,
				     .major_faults = 5,
				     .minor_faults = 60000,
				     .system_calls = 7,
				     .system_call_time = 8};

	recording_begin(&r);
	e.stack = recording_stack(&r, e.method, 17);
	if (from_rows)
		jfr_event_write(r.w, JFR_METHOD_TRACE, &e);
	else
		jfr_method_trace(r.w, &e);
	recording_end(&r, true);
	jfr_writer_free(r.w);
	return r.file;
}

/* The size of an event stands before it, in one byte or in four. */
CASE(method_trace_is_what_its_rows_say)
{
	for (int kernel = JFR_KERNEL_NONE; kernel <= JFR_KERNEL_FULL; kernel++) {
		struct bytes fast = call_written(kernel, false), rows = call_written(kernel, true);
		size_t size = fast.data[68] - 1;

		assert_int_equal(rows.data[68] & 0x7f, size + 4);
		assert_memory_equal(fast.data + 69, rows.data + 72, size);
		bytes_release(&fast);
		bytes_release(&rows);
	}
}

/* Calls of one thread, written one by one or together. */
static struct bytes calls_written(const int64_t *start, size_t n, bool together)
{
	struct recording r = recording_new_with(JFR_KERNEL_WAITS);
	uint64_t thread = recording_thread(&r, 1), method = recording_method(&r, "m");
	struct jfr_trace_call call[16];

	recording_begin(&r);
	for (size_t i = 0; i < n; i++) {
		struct jfr_method_trace e = {
			.start = start[i], .duration = 100ll << 3 * i, .thread = thread, .method = method};

		e.cpu = e.duration;
		call[i] = (struct jfr_trace_call){.start = e.start, .duration = e.duration};
		assert_true(jfr_trace_keys(r.w, e.stack, e.method, &call[i].keys));
		if (!together)
			jfr_method_trace(r.w, &e);
	}
	if (together)
		jfr_method_traces(r.w, thread, call, n);
	recording_end(&r, true);
	jfr_writer_free(r.w);
	return r.file;
}

/* The upper bits of a start are kept from call to call. */
CASE(calls_written_together_are_those_written_one_by_one)
{
	static const int64_t start[] = {0,
					5,
					(1 << 28) - 1,
					1 << 28,
					(1 << 28) + 1,
					7,
					1ll << 40,
					(1ll << 56) - 1,
					1ll << 56,
					(1ll << 56) - 2,
					(1ll << 40) + 3,
					INT64_MAX,
					-1};
	size_t n = sizeof(start) / sizeof(start[0]);
	struct bytes single = calls_written(start, n, false), together = calls_written(start, n, true);

	assert_int_equal(single.size, together.size);
	assert_memory_equal(single.data, together.data, single.size);
	bytes_release(&single);
	bytes_release(&together);
}
