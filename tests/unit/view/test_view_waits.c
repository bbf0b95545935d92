// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/recording.h"
#include "user/view/export.h"
#include "user/view/views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct recording r;
static struct bytes out;

static int setup(void **state)
{
	r = recording_new_with(JFR_KERNEL_WAITS);
	recording_begin(&r);
	bytes_init(&out);
	return 0;
}

static int teardown(void **state)
{
	recording_free(&r);
	bytes_release(&out);
	return 0;
}

#define US 1000
#define MS 1000000

static void call(uint64_t thread, int64_t start, int64_t cpu, int64_t run_queue, int64_t blocked)
{
	struct jfr_method_trace e = {.start = start, .duration = cpu + run_queue + blocked, .cpu = cpu};

	e.run_queue = run_queue;
	e.blocked = blocked;
	e.thread = thread;
	e.method = recording_method(&r, "checkout");
	e.stack = recording_stack(&r, recording_method(&r, "serve"), 17);
	jfr_method_trace(r.w, &e);
}

static void wait_in(uint64_t thread, int64_t start, int64_t duration, const char *reason, uint64_t waker)
{
	struct jfr_thread_wait e = {
		.start = start, .duration = duration, .thread = thread, .reason = reason, .waker = waker};

	e.system_call = "read";
	jfr_thread_wait(r.w, &e);
}

static char *show(int (*view)(struct jfr_file *, const struct table_layout *, struct bytes *))
{
	struct table_layout layout = {.width = 100, .cell_height = 1};
	struct jfr_file file;

	recording_end(&r, true);
	jfr_file_init(&file, r.file.data, r.file.size);
	assert_int_equal(view(&file, &layout, &out), 0);
	assert_null(file.fault.what);
	jfr_file_release(&file);
	bytes_put_u8(&out, 0);
	return (char *)out.data;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

static void a_slow_call_says_where_its_time_went(void **state)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);
	const char *text;

	wait_in(one, T0 + 100 * US, 11400 * US, "futex", two);
	wait_in(one, T0 + 11600 * US, 100 * US, "other", 0);
	wait_in(two, T0 + MS, 11400 * US, "disk", one);	  /* another's */
	wait_in(one, T0 + 90 * MS, 10 * US, "pipe", two); /* at another time */
	call(one, T0, 400 * US, 100 * US, 11500 * US);
	call(two, T0, 5 * US, 0, 0);
	text = show(view_slowest);
	assert_has(text,
		   "[12.0ms = 0.4 cpu + 0.1 runq + 11.5 blocked (futex 11.4, read 0.1)] com.acme.Cart.checkout()  <- "
		   "com.acme.Cart.serve():17\n");
	assert_has(text, "\"worker-1\"\n        11.4ms futex, woken by \"worker-2\"\n");
	assert_has(text, "[5.0us = 5.0 cpu + 0.0 runq + 0.0 blocked] com.acme.Cart.checkout()");
	assert_null(strstr(text, "disk"));
	assert_null(strstr(text, "pipe"));
}

static void a_call_without_a_split_says_so(void **state)
{
	struct jfr_method_trace e = {.start = T0, .duration = 3 * MS, .method = recording_method(&r, "checkout")};

	e.cpu = e.run_queue = e.blocked = JFR_MISSING;
	e.pause = 600 * US;
	jfr_method_trace(r.w, &e);
	assert_has(show(view_slowest), "[3.0ms, where is not known] com.acme.Cart.checkout()\n");
	assert_has((char *)out.data, "\"?\", the JVM paused for 0.6ms\n");
}

static void what_a_call_asked_of_the_kernel_is_shown(void **state)
{
	struct jfr_method_trace e = {.start = T0, .duration = 3 * MS, .method = recording_method(&r, "checkout")};

	recording_free(&r);
	r = recording_new_with(JFR_KERNEL_FULL);
	recording_begin(&r);
	e.method = recording_method(&r, "checkout");
	e.system_calls = 204;
	e.system_call_time = 1500 * US;
	e.major_faults = 2;
	e.minor_faults = 19;
	jfr_method_trace(r.w, &e);
	e.duration = 2 * MS;
	e.system_calls = e.minor_faults = 1;
	e.major_faults = 0;
	jfr_method_trace(r.w, &e);
	e.duration = MS;
	e.system_calls = e.system_call_time = e.minor_faults = e.major_faults = JFR_MISSING;
	jfr_method_trace(r.w, &e);
	assert_has(show(view_slowest), "\"?\", 204 system calls of 1.5ms, 21 page faults (2 read from a disk)\n");
	assert_has((char *)out.data, "\"?\", 1 system call of 1.5ms, 1 page fault\n");
	assert_has((char *)out.data, "\"?\"\n");
}

static void waits_are_shown_by_the_call_that_they_are_in_also_from_another_chunk(void **state)
{
	uint64_t one = recording_thread(&r, 1);

	wait_in(one, T0 + MS, 2 * MS, "sleep", 0);
	recording_end(&r, false);
	recording_begin(&r);
	call(recording_thread(&r, 1), T0, MS, 0, 2 * MS);
	assert_has(show(view_slowest), "2.0 blocked (sleep 2.0)]");
}

static void only_the_longest_waits_are_listed_and_all_are_added_up(void **state)
{
	uint64_t one = recording_thread(&r, 1);
	const char *text;

	for (int i = 0; i < 9; i++)
		wait_in(one, T0 + 18 * i * MS, (10 + i) * MS, "poll", one);
	call(one, T0, 50 * MS, 0, 126 * MS);
	text = show(view_slowest);
	assert_has(text, "126.0 blocked (poll 126.0)]");
	assert_has(
		text,
		"18.0ms poll, woken by \"worker-1\"\n        17.0ms poll, woken by \"worker-1\"\n        16.0ms poll");
	assert_null(strstr(text, "15.0ms"));
}

static void waits_are_grouped_by_reason_and_waker_and_locks_by_place(void **state)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);
	struct jfr_method_constant park = {recording_class(&r, "jdk/internal/misc/Unsafe"), "park", "(ZJ)V", 1, false};
	struct jfr_frame frames[] = {{jfr_method(r.w, &park), -1, 0, JFR_FRAME_NATIVE},
				     {recording_method(&r, "lock"), 33, 5, JFR_FRAME_JIT}};
	struct jfr_thread_wait e = {.start = T0, .duration = 40 * MS, .thread = one, .reason = "futex", .waker = two};
	const char *text;

	e.stack = jfr_stack(r.w, frames, 2, false);
	jfr_thread_wait(r.w, &e);
	wait_in(one, T0 + 50 * MS, 2 * MS, "futex", two);
	wait_in(two, T0 + 50 * MS, 3 * MS, "socket", 0);
	text = show(view_waits);
	assert_has(text, "Waits by Reason");
	assert_has(text, "Waits by Waker");
	assert_has(text, "(not known, or an interrupt)");
	assert_has(text, "com.acme.Cart.lock():33 ");
	assert_has(text, "(no stack: shorter than --wait-stack)");
	assert_null(strstr(text, "Unsafe"));
	assert_true(strstr(text, "futex") < strstr(text, "socket"));
	assert_true(strstr(text, "worker-2") < strstr(text, "(not known"));
}

static void chrome_has_states_of_threads_and_pauses_beside_calls(void **state)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);
	struct jfr_file file;
	size_t size;
	char *text;
	FILE *to;

	call(one, T0, 400 * US, 100 * US, 11500 * US);
	wait_in(one, T0 + 100 * US, 11400 * US, "futex", two);
	jfr_run_queue(r.w, T0 + 11500 * US, 100 * US, one);
	jfr_vm_pause(r.w, &(struct jfr_vm_pause){.start = T0 + 200 * US, .duration = 50 * US, .what = "GC"});
	recording_end(&r, true);
	jfr_file_init(&file, r.file.data, r.file.size);
	to = open_memstream(&text, &size);
	assert_int_equal(export_chrome(&file, false, to), 0);
	fclose(to);
	jfr_file_release(&file);
	assert_has(text, "\"cpuNs\":400000,\"runQueueNs\":100000,\"blockedNs\":11500000");
	assert_has(
		text,
		"\"name\":\"futex\",\"pid\":1,\"tid\":1,\"ts\":100,\"dur\":11400,\"args\":{\"wokenBy\":\"worker-2\"}");
	assert_has(text, "\"name\":\"run queue\",\"pid\":1,\"tid\":1,\"ts\":11500,\"dur\":100,");
	assert_has(text, "\"name\":\"GC\",\"pid\":1,\"tid\":0,\"ts\":200,\"dur\":50,");
	free(text);
}

static void open(uint64_t thread, int64_t start, int64_t duration)
{
	struct jfr_open_call e = {.start = start, .duration = duration, .thread = thread};

	e.method = recording_method(&r, "checkout");
	jfr_open_call(r.w, &e);
}

static void an_open_call_says_what_its_thread_still_waits_for(void **state)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);
	struct jfr_thread_wait e = {
		.start = T0 + 5 * MS, .duration = 42 * MS, .thread = one, .reason = "futex", .ongoing = true};
	const char *text;

	jfr_thread_wait(r.w, &e);
	wait_in(one, T0 + MS, MS, "pipe", two); /* over */
	wait_in(two, T0 + MS, MS, "disk", one);
	open(one, T0, 50 * MS);
	open(two, T0, 49 * MS);
	text = show(view_open);
	assert_has(text, "Still Waits");
	assert_has(text, "  50.0 ms com.acme.Cart.checkout()       worker-1       N/A       42.0 ms futex");
	assert_has(text, "  49.0 ms com.acme.Cart.checkout()       worker-2       N/A       - ");
}

static void open_call_shows_where_it_is(void **state)
{
	struct jfr_open_call e = {.start = T0, .duration = 50 * MS, .thread = recording_thread(&r, 1)};

	e.method = recording_method(&r, "checkout");
	e.stack = recording_stack(&r, recording_method(&r, "lock"), 17);
	jfr_open_call(r.w, &e);
	assert_has(show(view_open), "Thread        At");
	assert_has((char *)out.data, "com.acme.Cart.lock():17");
}

static void slowest_names_the_caller_without_kernel_data(void **state)
{
	recording_free(&r);
	r = recording_new();
	recording_begin(&r);
	call(recording_thread(&r, 1), T0, 400 * US, 0, 0);
	assert_has(show(view_slowest), "Caller");
	assert_has((char *)out.data, "com.acme.Cart.serve():17");
}

static void of_open_calls_without_waits_nothing_is_said_of_them(void **state)
{
	open(recording_thread(&r, 1), T0, 50 * MS);
	assert_has(show(view_open), "worker-1");
	assert_null(strstr((char *)out.data, "Waits"));
}

static void a_recording_without_waits_says_so(void **state)
{
	assert_has(show(view_waits), "No events found for 'Waits by Reason'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(a_slow_call_says_where_its_time_went),
		T(a_call_without_a_split_says_so),
		T(what_a_call_asked_of_the_kernel_is_shown),
		T(waits_are_shown_by_the_call_that_they_are_in_also_from_another_chunk),
		T(only_the_longest_waits_are_listed_and_all_are_added_up),
		T(waits_are_grouped_by_reason_and_waker_and_locks_by_place),
		T(chrome_has_states_of_threads_and_pauses_beside_calls),
		T(open_call_shows_where_it_is),
		T(slowest_names_the_caller_without_kernel_data),
		T(an_open_call_says_what_its_thread_still_waits_for),
		T(of_open_calls_without_waits_nothing_is_said_of_them),
		T(a_recording_without_waits_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
