// SPDX-License-Identifier: BSD-2-Clause
/* Chunks are judged by tests/lib/jfr_dissect, which refuses any violation of the format. */
#include "format/jfr/jfr_write_internal.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"

static struct diag diag;

CASE(chunk_without_events_is_sound)
{
	struct recording r = recording_new();

	recording_begin(&r);
	recording_end(&r, true);
	assert_int_equal(recording_read(&r)->events, 0);
	assert_int_equal(r.d->chunk[0].checkpoints, 1); /* an empty one: see test_jfr_tools' silent chunk */
	recording_free(&r);
}

CASE(method_trace_keeps_every_value)
{
	static const int64_t times[] = {0, 1, 127, 128, T0, INT64_MAX, -1, INT64_MIN};
	struct recording r = recording_new();
	size_t i, n = sizeof(times) / sizeof(*times);
	uint64_t thread, method;

	recording_begin(&r);
	thread = recording_thread(&r, 7);
	method = recording_method(&r, "checkout");
	for (i = 0; i < n; i++)
		jfr_method_trace(r.w, &(struct jfr_method_trace){.start = times[i],
								 .duration = times[n - 1 - i],
								 .thread = thread,
								 .method = method,
								 .thrown = i & 1});
	assert_int_equal(jfr_chunk_events(r.w), n);
	recording_end(&r, true);
	assert_int_equal(dissect_count(recording_read(&r), TRACE), n);
	for (i = 0; i < n; i++) {
		const struct dissect_event *e = dissect_find(r.d, TRACE, i);
		int64_t v;

		assert_true(event_number(&r, e, "startTime") == times[i]);
		assert_true(event_number(&r, e, "duration") == times[n - 1 - i]);
		assert_int_equal(event_number(&r, e, "thrown"), i & 1);
		assert_int_equal(event_number(&r, e, "eventThread.javaThreadId"), 7);
		assert_int_equal(event_number(&r, e, "eventThread.osThreadId"), 4007);
		assert_event_text(&r, e, "eventThread.javaName", "worker-7");
		assert_event_text(&r, e, "eventThread.osName", "worker-7");
		assert_event_text(&r, e, "eventThread.group.name", "main");
		assert_event_text(&r, e, "method.name", "checkout");
		assert_event_text(&r, e, "method.descriptor", "()V");
		assert_event_text(&r, e, "method.type.name", "com/acme/Cart");
		assert_event_text(&r, e, "method.type.package.name", "com/acme");
		assert_false(dissect_number(r.d, e, "stackTrace.truncated", &v));
	}
	recording_free(&r);
}

CASE(only_the_last_chunk_is_flagged_as_last)
{
	struct recording r = recording_new();
	int i;

	for (i = 0; i < 3; i++) {
		recording_begin(&r);
		recording_end(&r, i == 2);
	}
	recording_read(&r);
	assert_int_equal(r.d->chunk[0].flags, 1);
	assert_int_equal(r.d->chunk[1].flags, 1);
	assert_int_equal(r.d->chunk[2].flags, 3);
	assert_int_equal(r.d->chunk[2].state, 0);
	recording_free(&r);
}

CASE(chunks_start_one_after_the_other_on_one_tick_base)
{
	static const int64_t starts[] = {T0 + 5000, T0 + 5000, T0 + 1000, T0 + 9000};
	struct recording r = recording_new();
	int i;

	for (i = 0; i < 4; i++) {
		r.now = starts[i];
		recording_begin(&r);
		recording_end(&r, i == 3);
	}
	recording_read(&r);
	assert_true(r.d->chunk[0].start_ticks == T0 + 5000 && r.d->chunk[0].start_nanos == NANOS + 5000);
	assert_true(r.d->chunk[0].duration == 1000000);
	assert_true(r.d->chunk[1].start_ticks == T0 + 5001);
	assert_true(r.d->chunk[2].start_ticks == T0 + 5002);
	assert_true(r.d->chunk[3].start_ticks == T0 + 9000 && r.d->chunk[3].start_nanos == NANOS + 9000);
	recording_free(&r);
}

CASE(forgotten_thread_is_left_out_and_reported)
{
	struct recording r = recording_new();
	uint64_t thread, method = recording_method(&r, "m");
	const struct dissect_event *e;
	int i;

	recording_begin(&r);
	thread = recording_thread(&r, 1);
	for (i = 0; i < 3; i++) {
		assert_true(jfr_thread_known(r.w, thread));
		recording_end(&r, false);
		recording_begin(&r);
	}
	assert_false(jfr_thread_known(r.w, thread));
	recording_call(&r, thread, method);
	recording_call(&r, thread, method + 100);
	recording_call(&r, 0, 0);
	recording_end(&r, true);
	e = dissect_find(recording_read(&r), TRACE, 0);
	assert_event_text(&r, e, "method.name", "m");
	assert_null(dissect_text(r.d, e, "eventThread.javaName"));
	assert_event_text(&r, dissect_find(r.d, "frtrace.Message", 0), "text",
			  "2 events whose thread had been forgotten were written without it");
	assert_event_text(&r, dissect_find(r.d, "frtrace.Message", 1), "text",
			  "1 events whose method is unknown were written without it");
	assert_int_equal(dissect_count(r.d, "frtrace.Message"), 2);
	recording_free(&r);
}

CASE(events_outside_a_chunk_are_dropped_and_reported)
{
	struct recording r = recording_new();

	recording_call(&r, 0, 0);
	jfr_message(r.w, 0, "a", "b");
	recording_begin(&r);
	recording_end(&r, true);
	assert_int_equal(recording_read(&r)->events, 1);
	assert_event_text(&r, dissect_find(r.d, "frtrace.Message", 0), "text",
			  "2 events outside of a chunk were dropped");
	recording_free(&r);
}

CASE(events_beyond_the_chunk_limit_are_dropped_and_reported)
{
	struct recording r = recording_new();
	uint64_t method = recording_method(&r, "m");
	int i;

	recording_begin(&r);
	r.w->events_limit = 1000; /* instead of 1 GB */
	for (i = 0; i < 200; i++)
		recording_call(&r, 0, method);
	jfr_message(r.w, T0, "a", "b");
	recording_end(&r, false);
	recording_begin(&r);
	recording_call(&r, 0, method);
	recording_end(&r, true);
	i = dissect_count(recording_read(&r), TRACE);
	assert_in_range(i, 50, 80);
	assert_int_equal(dissect_count(r.d, "frtrace.Message"), 1);
	assert_int_equal(atoi(dissect_text(r.d, dissect_find(r.d, "frtrace.Message", 0), "text")), 200 - (i - 1) + 1);
	recording_free(&r);
}

CASE(chunks_are_opened_and_closed_in_turn)
{
	struct recording r = recording_new();
	const void *bytes;
	size_t size;

	assert_int_equal(jfr_chunk_finish(r.w, T0, true, &bytes, &size, &diag), -EINVAL);
	assert_int_equal(jfr_chunk_size(r.w), 0);
	assert_int_equal(jfr_chunk_events(r.w), 0);
	recording_begin(&r);
	assert_int_equal(jfr_chunk_begin(r.w, T0, &diag), -EBUSY);
	assert_string_equal(diag.text, "cannot begin a chunk: the previous one is open");
	recording_end(&r, true);
	recording_free(&r);
}

CASE(size_of_the_open_chunk_is_approximately_right)
{
	struct recording r = recording_new();
	size_t told;
	int i;

	recording_begin(&r);
	for (i = 0; i < 1000; i++)
		recording_call(&r, recording_thread(&r, i + 1), recording_method(&r, "m"));
	told = jfr_chunk_size(r.w);
	recording_end(&r, true);
	assert_true(told > r.file.size * 9 / 10 && told <= r.file.size);
	recording_free(&r);
}

CASE(all_of_a_million_events_are_written)
{
	struct recording r = recording_new();
	uint64_t thread = 0, method = recording_method(&r, "m");
	size_t i, n = 1000000;
	int64_t start, sum = 0;

	recording_begin(&r);
	for (i = 0; i < n; i++) {
		if (i % 1000 == 0)
			thread = recording_thread(&r, i / 1000 + 1);
		recording_call(&r, thread, method);
		if (jfr_chunk_size(r.w) > 4 << 20) {
			recording_end(&r, false);
			recording_begin(&r);
		}
	}
	recording_end(&r, true);
	assert_int_equal(recording_read(&r)->events, n);
	assert_true(r.d->chunks > 3);
	for (i = 0; i < n; i++) {
		assert_true(dissect_number(r.d, &r.d->event[i], "startTime", &start));
		sum += start;
	}
	assert_true(start > T0 + 100 * (int64_t)n);
	assert_true(sum > (int64_t)n * T0);
	recording_free(&r);
}

/* A whole small recording; 0 or -ENOMEM. */
static int small_recording(struct recording *r)
{
	const void *bytes;
	size_t size;
	int err, i;

	err = jfr_chunk_begin(r->w, r->now += 1000, &diag);
	if (err)
		return err;
	recording_companions(r->w);
	for (i = 1; i < 40; i++)
		recording_call(r, recording_thread(r, i), recording_method(r, i & 1 ? "odd" : "even"));
	err = jfr_chunk_finish(r->w, r->now, false, &bytes, &size, &diag);
	if (!err)
		bytes_put(&r->file, bytes, size);
	return err;
}

CASE(failed_allocation_costs_one_chunk_at_most)
{
	struct jfr_origin origin = {.start_ticks = T0, .start_nanos = NANOS};
	bool happened = true;
	unsigned int n;
	int err;

	fail_nth_or_skip();
	for (n = 1; happened; n++) {
		struct recording r = {.now = T0};

		bytes_reserve(&r.file, 1 << 20); /* this allocation must not fail */
		fail_nth(n);
		err = jfr_writer_new(&r.w, &origin, &diag);
		if (!err)
			err = small_recording(&r);
		happened = fail_nth_end();
		assert_int_equal(err, happened ? -ENOMEM : 0);
		assert_true(!err || strstr(diag.text, "cannot "));
		if (r.w) {
			assert_int_equal(small_recording(&r), 0);
			assert_int_equal(dissect_count(recording_read(&r), TRACE), err ? 39 : 78);
			assert_event_text(&r, dissect_find(r.d, TRACE, 38), "method.name", "odd");
		}
		recording_free(&r);
	}
	assert_true(n > 30);
}

static void put_split(struct recording *r, int64_t v)
{
	jfr_method_trace(r->w, &(struct jfr_method_trace){.start = INT64_MAX,
							  .duration = INT64_MIN,
							  .thrown = true,
							  .cpu = v,
							  .run_queue = v + 1,
							  .blocked = v + 2,
							  .pause = v + 3,
							  .major_faults = v + 4,
							  .minor_faults = v + 5,
							  .system_calls = v + 6,
							  .system_call_time = v + 7});
}

CASE(split_of_the_time_is_kept)
{
	static const char *const fields[] = {"cpuTime",	    "runQueueTime", "blockedTime", "pauseTime",
					     "majorFaults", "minorFaults",  "syscalls",	   "syscallTime"};
	static const int64_t values[] = {0, 1000000, JFR_MISSING};

	for (enum jfr_kernel kernel = JFR_KERNEL_WAITS; kernel <= JFR_KERNEL_FULL; kernel++) {
		struct recording r = recording_new_with(kernel);

		recording_begin(&r);
		for (size_t i = 0; i < 3; i++)
			put_split(&r, values[i]);
		recording_end(&r, true);
		assert_int_equal(dissect_count(recording_read(&r), TRACE), 3);
		for (size_t i = 0; i < 3; i++)
			for (int n = 0; n < (kernel == JFR_KERNEL_FULL ? 8 : 4); n++)
				assert_true(event_number(&r, dissect_find(r.d, TRACE, i), fields[n]) == values[i] + n);
		recording_free(&r);
	}
}

CASE(waits_and_pauses_are_kept)
{
	struct recording r = recording_new_with(JFR_KERNEL_WAITS);
	struct jfr_thread_wait wait = {.start = T0 + 5, .duration = 7, .reason = "futex", .ongoing = true};
	const struct dissect_event *e;

	recording_begin(&r);
	wait.thread = recording_thread(&r, 3);
	wait.waker = recording_thread(&r, 4);
	wait.stack = recording_stack(&r, recording_method(&r, "park"), 17);
	jfr_thread_wait(r.w, &wait);
	jfr_run_queue(r.w, T0 + 12, 2, wait.thread);
	jfr_vm_pause(r.w, &(struct jfr_vm_pause){
				  .start = T0, .duration = 9, .what = "safepoint", .name = "G1Collect", .own = true});
	recording_end(&r, true);
	e = dissect_find(recording_read(&r), "frtrace.ThreadWait", 0);
	assert_true(event_number(&r, e, "duration") == 7);
	assert_event_text(&r, e, "reason", "futex");
	assert_event_text(&r, e, "eventThread.javaName", "worker-3");
	assert_event_text(&r, e, "wakerThread.javaName", "worker-4");
	assert_event_text(&r, e, "stackTrace.frames.0.method.name", "park");
	assert_true(event_number(&r, e, "ongoing") == 1);
	e = dissect_find(r.d, "frtrace.RunQueue", 0);
	assert_true(event_number(&r, e, "startTime") == T0 + 12 && event_number(&r, e, "duration") == 2);
	assert_event_text(&r, e, "eventThread.javaName", "worker-3");
	e = dissect_find(r.d, "frtrace.VMPause", 0);
	assert_true(event_number(&r, e, "duration") == 9);
	assert_event_text(&r, e, "what", "safepoint");
	assert_event_text(&r, e, "name", "G1Collect");
	assert_true(event_number(&r, e, "byFrtrace") == 1);
	recording_free(&r);
}
