// SPDX-License-Identifier: BSD-2-Clause
#include "tests/unit/view/shown.h"

static void wait_in(uint64_t thread, int64_t start, int64_t duration, const char *reason, uint64_t waker)
{
	struct jfr_thread_wait e = {
		.start = start, .duration = duration, .thread = thread, .reason = reason, .waker = waker};

	e.system_call = "read";
	jfr_thread_wait(r.w, &e);
}

CASE(a_slow_call_says_where_its_time_went, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);

	wait_in(one, T0 + 100 * US, 11400 * US, "futex", two);
	wait_in(one, T0 + 11600 * US, 100 * US, "other", 0);
	wait_in(two, T0 + MS, 11400 * US, "disk", one);	  /* another's */
	wait_in(one, T0 + 90 * MS, 10 * US, "pipe", two); /* at another time */
	cart_call(one, T0, 400 * US, 100 * US, 11500 * US);
	cart_call(two, T0, 5 * US, 0, 0);
	assert_contains(show("slowest"),
			"[12.0ms = 0.4 cpu + 0.1 runq + 11.5 blocked (futex 11.4, read 0.1)] com.acme.Cart.checkout()\n"
			"        <- com.acme.Cart.serve():17\n");
	assert_contains(shown(), "\"worker-1\"\n        11.4ms futex, woken by \"worker-2\"\n");
	assert_contains(shown(), "[5.0us = 5.0 cpu + 0.0 runq + 0.0 blocked] com.acme.Cart.checkout()");
	assert_lacks(shown(), "disk");
	assert_lacks(shown(), "pipe");
}

CASE(a_call_without_a_split_says_so, setup, teardown)
{
	struct jfr_method_trace e = {.start = T0, .duration = 3 * MS, .method = recording_method(&r, "checkout")};

	e.cpu = e.run_queue = e.blocked = JFR_MISSING;
	e.pause = 600 * US;
	jfr_method_trace(r.w, &e);
	assert_contains(show("slowest"), "[3.0ms, where is not known] com.acme.Cart.checkout()\n");
	assert_contains(shown(), "\"?\", the JVM paused for 0.6ms\n");
}

CASE(what_a_call_asked_of_the_kernel_is_shown, setup, teardown)
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
	assert_contains(show("slowest"), "\"?\", 204 system calls of 1.5ms, 21 page faults (2 read from a disk)\n");
	assert_contains(shown(), "\"?\", 1 system call of 1.5ms, 1 page fault\n");
	assert_contains(shown(), "\"?\"\n");
}

CASE(a_call_is_not_slow_because_of_frtrace, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);
	const char *text, *first, *second;

	wait_in(one, T0 + MS, 104 * MS, "frtrace", two);
	wait_in(one, T0 + 300 * MS, 104 * MS, "frtrace", two); /* in another call of the thread */
	cart_call(one, T0, 2 * MS, 0, 104 * MS);
	cart_call(two, T0, 3 * MS, 0, 0);
	text = show("slowest");
	first = strstr(text, "[3.0ms = ");
	second = strstr(text, "[106.0ms = 2.0 cpu + 0.0 runq + 104.0 blocked (frtrace 104.0)]");
	assert_true(first && second && first < second);
}

CASE(waits_are_shown_by_the_call_that_they_are_in_also_from_another_chunk, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1);

	wait_in(one, T0 + MS, 2 * MS, "sleep", 0);
	recording_end(&r, false);
	recording_begin(&r);
	cart_call(recording_thread(&r, 1), T0, MS, 0, 2 * MS);
	assert_contains(show("slowest"), "2.0 blocked (sleep 2.0)]");
}

CASE(only_the_longest_waits_are_listed_and_all_are_added_up, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1);

	for (int i = 0; i < 9; i++)
		wait_in(one, T0 + 18 * i * MS, (10 + i) * MS, "poll", one);
	cart_call(one, T0, 50 * MS, 0, 126 * MS);
	assert_contains(show("slowest"), "126.0 blocked (poll 126.0)]");
	assert_contains(
		shown(),
		"18.0ms poll, woken by \"worker-1\"\n        17.0ms poll, woken by \"worker-1\"\n        16.0ms poll");
	assert_lacks(shown(), "15.0ms");
}

CASE(a_pause_that_would_print_as_zero_is_left_out, setup, teardown)
{
	struct jfr_method_trace e = {.start = T0, .duration = 3000 * MS, .method = recording_method(&r, "checkout")};

	e.pause = 40 * MS;
	jfr_method_trace(r.w, &e);
	e.start += 4000 * MS;
	e.pause = 60 * MS;
	jfr_method_trace(r.w, &e);
	assert_contains(show("slowest"), "the JVM paused for 0.1s");
	assert_lacks(shown(), "0.0s\n");
}

static uint64_t method(const char *name)
{
	return recording_method(&r, name);
}

/* A call that ran all the time. */
static void run(uint64_t thread, int64_t start, int64_t duration, uint64_t method_key)
{
	jfr_method_trace(
		r.w,
		&(struct jfr_method_trace){
			.start = start, .duration = duration, .cpu = duration, .thread = thread, .method = method_key});
}

CASE(a_request_is_one_entry_with_what_it_called, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);

	run(one, T0 + 2 * MS, 8 * MS, method("lock"));
	run(one, T0 + 11 * MS, 50 * US, method("log"));
	run(one, T0 + MS, 11 * MS, method("pay"));
	run(one, T0 + 13 * MS, 2 * MS, method("report"));
	run(two, T0 + 3 * MS, 7 * MS, method("idle")); /* at the same time */
	run(one, T0, 20 * MS, method("serve"));
	run(one, T0 + 21 * MS, 3 * MS, method("serve"));
	assert_contains(show("slowest"), "[20.0ms = 20.0 cpu + 0.0 runq + 0.0 blocked] com.acme.Cart.serve()\n");
	assert_contains(shown(), "\"worker-1\"\n"
				 "        > 11.0ms com.acme.Cart.pay()\n"
				 "          > 8.0ms com.acme.Cart.lock()\n"
				 "        > 2.0ms com.acme.Cart.report()\n"
				 "        > 1 shorter\n"
				 "[7.0ms = ");
	assert_contains(shown(), "[7.0ms = 7.0 cpu + 0.0 runq + 0.0 blocked] com.acme.Cart.idle()\n");
	assert_contains(shown(), "[3.0ms = 3.0 cpu + 0.0 runq + 0.0 blocked] com.acme.Cart.serve()\n");
	assert_lacks(shown(), "cpu + 0.0 runq + 0.0 blocked] com.acme.Cart.pay()");
}

CASE(of_equal_calls_inside_the_outer_ones_are_shown, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1);
	char name[] = "level0";

	for (; name[5] < '9'; name[5]++)
		run(one, T0 + MS, 8 * MS, method(name));
	run(one, T0, 20 * MS, method("serve"));
	assert_contains(show("slowest"), "\"worker-1\"\n"
					 "        > 8.0ms com.acme.Cart.level8()\n"
					 "          > 8.0ms com.acme.Cart.level7()\n");
	assert_contains(shown(), "com.acme.Cart.level1()\n        > 1 shorter\n");
}

/* The candidates of the first pass are all inside one call. */
CASE(outermost_calls_are_found_behind_thousands_inside_others, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);
	uint64_t inner = method("inner"), request_key = method("request");

	for (int i = 0; i < 20000; i++)
		run(one, T0 + i * 100, 90, inner);
	for (int i = 0; i < 3; i++)
		run(two, T0 + i * 100, 50 + i, request_key);
	run(one, T0, 20000 * 100, method("main"));
	assert_contains(show("slowest"), "com.acme.Cart.main()\n");
	for (int i = 0; i < 3; i++) {
		char line[32];

		snprintf(line, sizeof(line), "\n[%d.0ns = ", 50 + i);
		assert_contains(shown(), line);
	}
	assert_lacks(shown(), "] com.acme.Cart.inner()");
	assert_contains(shown(), "        > 20,000 shorter\n");
}

static uint64_t function_stack(const char *where, const char *const *names, int count, bool cut)
{
	struct jfr_frame frames[16];

	for (int i = 0; i < count; i++) {
		struct jfr_method_constant m = {recording_class(&r, where), names[i], "()V", 1, false};

		frames[i] = (struct jfr_frame){jfr_method(r.w, &m), -1, 0, JFR_FRAME_NATIVE};
	}
	return jfr_stack(r.w, frames, count, cut);
}

#define FUNCTIONS(where, cut, ...)                                \
	function_stack(where, (const char *const[]){__VA_ARGS__}, \
		       sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), cut)

CASE(a_kernel_stack_ends_at_the_name_of_the_system_call, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1);
	struct jfr_thread_wait e = {.start = T0, .duration = 4 * MS, .thread = one, .reason = "disk"};

	e.kernel_stack =
		FUNCTIONS("kernel", false, "schedule", "io_schedule", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
			  "__x64_sys_fdatasync", "x64_sys_call", "do_syscall_64", "entry_SYSCALL_64_after_hwframe");
	e.stack = recording_stack(&r, method("lock"), 7);
	jfr_thread_wait(r.w, &e);
	cart_call(one, T0, MS, 0, 4 * MS);
	assert_contains(show("slowest"), "            kernel.a6()\n"
					 "            ...\n"
					 "            fdatasync\n"
					 "            com.acme.Cart.lock():7\n");
	assert_lacks(shown(), "syscall");
	assert_lacks(shown(), "SYSCALL");
	request.whole = true;
	assert_contains(show("slowest"), "            kernel.a6()\n"
					 "            kernel.a7()\n"
					 "            kernel.__x64_sys_fdatasync()\n"
					 "            kernel.x64_sys_call()\n"
					 "            kernel.do_syscall_64()\n"
					 "            kernel.entry_SYSCALL_64_after_hwframe()\n"
					 "            com.acme.Cart.lock():7\n");
}

/* One stack: the kernel's, that of the libraries, and Java's. A part that was cut ends with dots. */
CASE(native_frames_stand_between_those_of_the_kernel_and_of_java, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1);
	struct jfr_thread_wait e = {.start = T0, .duration = 4 * MS, .thread = one, .reason = "futex"};

	e.kernel_stack = FUNCTIONS("kernel", false, "futex_do_wait", "__x64_sys_futex");
	e.native_stack = FUNCTIONS("libx.so.1", false, "pthread_cond_wait", "+0x1a2b");
	e.stack = recording_stack(&r, method("lock"), 7);
	jfr_thread_wait(r.w, &e);
	cart_call(one, T0, MS, 0, 4 * MS);
	e.start += 100 * MS;
	e.native_stack = FUNCTIONS("libx.so.1", true, "pthread_cond_wait");
	jfr_thread_wait(r.w, &e);
	cart_call(one, T0 + 100 * MS, MS, 0, 4 * MS);
	assert_contains(show("slowest"), "            kernel.futex_do_wait()\n"
					 "            futex\n"
					 "            libx.so.1.pthread_cond_wait()\n"
					 "            libx.so.1+0x1a2b\n"
					 "            com.acme.Cart.lock():7\n");
	assert_contains(shown(), "            libx.so.1.pthread_cond_wait()\n"
				 "            ...\n"
				 "            com.acme.Cart.lock():7\n");
}

CASE(slowest_as_json_has_numbers, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1);

	cart_call(one, T0, 400 * US, 100 * US, 500 * US);
	request.layout.json = true;
	show("slowest");
	assert_string_equal(
		shown(),
		"{\"view\":\"Slowest Calls\",\"rows\":[{\"startTime\":\"2023-11-14T22:13:20Z\",\"method\":\"com.acme.Cart.checkout()\","
		"\"thread\":\"worker-1\",\"caller\":\"com.acme.Cart.serve()\",\"line\":17,\"durationNs\":1000000,"
		"\"cpuNs\":400000,\"runQueueNs\":100000,\"blockedNs\":500000,\"pauseNs\":0,\"allocatedBytes\":null,\"requestNs\":null,\"thrown\":0,\"thrownClass\":null,\"traceId\":null,\"values\":null}]}\n");
}

CASE(waits_are_grouped_by_reason_and_waker_and_locks_by_place, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);
	struct jfr_method_constant park = {recording_class(&r, "jdk/internal/misc/Unsafe"), "park", "(ZJ)V", 1, false};
	struct jfr_frame frames[] = {{jfr_method(r.w, &park), -1, 0, JFR_FRAME_NATIVE},
				     {recording_method(&r, "lock"), 33, 5, JFR_FRAME_JIT}};
	struct jfr_thread_wait e = {.start = T0, .duration = 40 * MS, .thread = one, .reason = "futex", .waker = two};

	e.stack = jfr_stack(r.w, frames, 2, false);
	jfr_thread_wait(r.w, &e);
	wait_in(one, T0 + 50 * MS, 2 * MS, "futex", two);
	wait_in(two, T0 + 50 * MS, 3 * MS, "socket", 0);
	wait_in(two, T0 + 60 * MS, 3 * MS, "parked", 0);
	assert_contains(show("waits"), "Waits by Reason");
	assert_contains(shown(), "Waits by Waker");
	assert_contains(shown(), "(not known, or an interrupt)");
	assert_contains(shown(), "com.acme.Cart.lock():33 ");
	assert_contains(shown(), "(no stack: shorter than --wait-stack)");
	assert_contains(shown(), "(no stack: short, or a virtual thread at a monitor)");
	assert_lacks(shown(), "Unsafe");
	assert_true(strstr(shown(), "futex") < strstr(shown(), "socket"));
	assert_true(strstr(shown(), "worker-2") < strstr(shown(), "(not known"));
}

static void lock_of(const char *const *names, size_t n)
{
	struct jfr_thread_wait e = {.start = T0, .duration = 40 * MS, .reason = "futex"};
	struct jfr_frame frames[8];

	for (size_t i = 0; i < n; i++)
		frames[i] = (struct jfr_frame){method_named(names[i]), (int)i + 1, 5, JFR_FRAME_JIT};
	e.stack = jfr_stack(r.w, frames, n, false);
	jfr_thread_wait(r.w, &e);
}

#define LOCK_OF(...) lock_of((const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

CASE(a_wait_says_where_its_waker_ended_it, setup, teardown)
{
	struct jfr_frame frames[] = {
		{method_named("jdk/internal/misc/Unsafe.unpark"), -1, 0, JFR_FRAME_NATIVE},
		{method_named("java/util/concurrent/locks/ReentrantLock.unlock"), 9, 5, JFR_FRAME_JIT},
		{method_named("java/io/PrintWriter.print"), 8, 5, JFR_FRAME_JIT},
		{method_named("a/Report.write"), 7, 5, JFR_FRAME_JIT}};
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);
	struct jfr_thread_wait e = {.start = T0, .duration = 40 * MS, .thread = one, .reason = "futex", .waker = two};
	struct jfr_thread_wait timer = {.start = T0 + 60 * MS, .duration = 3 * MS, .thread = one, .reason = "futex"};

	e.waker_stack = jfr_stack(r.w, frames, 4, false);
	e.waker_kind = "thread";
	timer.waker_kind = "interrupt";
	jfr_thread_wait(r.w, &e);
	jfr_thread_wait(r.w, &timer);
	e.start = T0 + 90 * MS;
	e.duration = 9 * MS;
	e.reason = "pipe";
	jfr_thread_wait(r.w, &e);
	cart_call(one, T0, US, US, 99 * MS);
	assert_contains(show("slowest"), "40.0ms futex, woken by \"worker-2\" in java.io.PrintWriter.print():8\n");
	assert_contains(shown(), "9.0ms pipe, woken by \"worker-2\" in a.Report.write():7\n");
	assert_contains(shown(), "3.0ms futex\n");
	request.by = "holder";
	assert_contains(show("waits"), "Waits for Locks by Holder");
	assert_contains(shown(), "java.io.PrintWriter.print():8 ");
	assert_contains(shown(), "(a timer or another interrupt) ");
	assert_lacks(shown(), "a.Report");
	assert_lacks(shown(), "by Reason");
}

static void wait_for_service(const char *resource, const char *service, const char *reason, int64_t duration)
{
	struct jfr_thread_wait e = {.start = T0,
				    .duration = duration,
				    .thread = recording_thread(&r, 1),
				    .reason = reason,
				    .resource = resource,
				    .service = service};

	jfr_thread_wait(r.w, &e);
}

static void wait_for_process(const char *process, const char *container)
{
	struct jfr_thread_wait e = {.start = T0,
				    .duration = 40 * MS,
				    .thread = recording_thread(&r, 1),
				    .reason = "socket",
				    .resource = "127.0.0.1:5432",
				    .service = "postgresql",
				    .process = process,
				    .container = container};

	jfr_thread_wait(r.w, &e);
}

static void wait_for(const char *resource, const char *reason, int64_t duration)
{
	wait_for_service(resource, NULL, reason, duration);
}

CASE(waits_have_a_table_by_what_they_were_for, setup, teardown)
{
	for (int i = 1; i <= 100; i++)
		wait_for("10.0.0.7:5432", "socket", i * MS);
	wait_for("10.0.0.7:5432", "poll", 7 * MS);
	wait_for("/var/log/app.log", "disk", 20000 * MS);
	wait_for(NULL, "futex", 90000 * MS);
	request.by = "resource";
	assert_contains(show("waits"), "Waits by Resource");
	assert_contains(shown(), "/var/log/app.log disk       1 20.0 s  20.0 s  20.0 s  20.0 s\n"
				 "10.0.0.7:5432    socket   100  5.0 s 50.0 ms 99.0 ms  100 ms\n"
				 "10.0.0.7:5432    poll       1 7.0 ms  7.0 ms  7.0 ms  7.0 ms\n");
	assert_lacks(shown(), "futex");
	request.by = NULL;
	assert_contains(show("waits"), "Waits by Resource");
}

CASE(a_slow_call_says_what_its_waits_were_for, setup, teardown)
{
	wait_for("10.0.0.7:5432", "socket", 40 * MS);
	cart_call(recording_thread(&r, 1), T0, US, US, 40 * MS);
	assert_contains(show("slowest"), "40.0ms socket 10.0.0.7:5432\n");
	assert_contains(show("tree"), "40.0 ms socket 10.0.0.7:5432\n");
	request.layout.json = true;
	assert_contains(show("tree"), "\"waitResource\":\"10.0.0.7:5432\"");
}

/* Not all connections to a port need be known to lead there. */
CASE(people_read_the_name_of_a_service_and_programs_the_address, setup, teardown)
{
	wait_for("10.0.0.7:5432", "socket", MS);
	wait_for_service("10.0.0.7:5432", "postgresql", "socket", 40 * MS);
	wait_for("[::1]:80", "socket", 2 * MS);
	cart_call(recording_thread(&r, 1), T0, US, US, 40 * MS);
	assert_contains(show("slowest"), "40.0ms socket 10.0.0.7:5432 (postgresql)\n");
	assert_contains(show("tree"), "40.0 ms socket 10.0.0.7:5432 (postgresql)\n");
	request.by = "resource";
	assert_contains(show("waits"), "10.0.0.7:5432 (postgresql) socket     2 41.0 ms");
	request.layout.json = true;
	assert_contains(
		show("waits"),
		"{\"resource\":\"10.0.0.7:5432\",\"service\":\"postgresql\",\"process\":null,\"container\":null,"
		"\"reason\":\"socket\"");
	assert_contains(shown(), "{\"resource\":\"[::1]:80\",\"service\":null,");
	request.by = NULL;
	assert_contains(show("tree"), "\"waitResource\":\"10.0.0.7:5432\"");
}

CASE(the_process_of_a_peer_stands_behind_its_service, setup, teardown)
{
	wait_for_process("postgres", "0123456789ab");
	wait_for_process(NULL, NULL);
	cart_call(recording_thread(&r, 1), T0, US, US, 40 * MS);
	assert_contains(show("slowest"), "40.0ms socket 127.0.0.1:5432 (postgresql, postgres in 0123456789ab)\n");
	request.by = "resource";
	assert_contains(show("waits"), "127.0.0.1:5432 (postgresql, postgres in 0123456789ab) socket     2 80.0 ms");
	request.layout.json = true;
	assert_contains(show("waits"), "\"process\":\"postgres\",\"container\":\"0123456789ab\",");
	request.by = NULL;
	assert_contains(show("tree"), "\"waitService\":\"postgresql\",\"waitProcess\":\"postgres\","
				      "\"waitContainer\":\"0123456789ab\"");
}

CASE(processes_that_differ_are_not_summed_up_as_one, setup, teardown)
{
	wait_for_process("postgres", "0123456789ab");
	wait_for_process("pgbouncer", NULL);
	wait_for_process("postgres", "0123456789ab");
	cart_call(recording_thread(&r, 1), T0, US, US, 40 * MS);
	request.by = "resource";
	assert_contains(show("waits"), "127.0.0.1:5432 (postgresql) socket     3");
}

CASE(waits_without_resources_have_no_such_table, setup, teardown)
{
	wait_for(NULL, "socket", MS);
	assert_lacks(show("waits"), "Resource");
}

CASE(the_place_of_a_lock_is_outside_the_jdks_lock_code, setup, teardown)
{
	LOCK_OF("jdk/internal/misc/Unsafe.park", "java/util/concurrent/locks/LockSupport.park",
		"java/util/concurrent/FutureTask.awaitDone", "java/util/concurrent/FutureTask.get", "a/Task.ask");
	LOCK_OF("java/lang/Object.wait0", "java/lang/Object.wait", "java/lang/Thread.join", "a/Pool.end");
	LOCK_OF("java/util/Vector.add", "a/List.add");
	LOCK_OF("sun/misc/Unsafe.park", "java/util/concurrent/SynchronousQueue.take");
	LOCK_OF("java/lang/ThreadLocal.get", "a/Local.get");
	LOCK_OF("java/lang/VirtualThread.park", "java/lang/System$2.parkVirtualThread",
		"jdk/internal/misc/VirtualThreads.park", "java/util/concurrent/locks/LockSupport.park",
		"a/Shop.request");
	assert_contains(show("waits"), "a.Shop.request():5 ");
	assert_contains(shown(), "a.Task.ask():5 ");
	assert_contains(shown(), "a.Pool.end():4 ");
	assert_contains(shown(), "java.util.Vector.add():1 ");
	assert_contains(shown(), "java.util.concurrent.SynchronousQueue.take():2 ");
	assert_contains(shown(), "java.lang.ThreadLocal.get():1 ");
	assert_lacks(shown(), "FutureTask");
	assert_lacks(shown(), "Object.wait");
}

CASE(waits_for_the_jvm_are_no_locks, setup, teardown)
{
	wait_in(0, T0, 40 * MS, "gc", 0);
	wait_in(0, T0, 30 * MS, "safepoint", 0);
	assert_contains(show("waits"), "\ngc ");
	assert_contains(shown(), "\nsafepoint ");
	assert_lacks(shown(), "Locks");
}

static void open(uint64_t thread, int64_t start, int64_t duration)
{
	struct jfr_open_call e = {.start = start, .duration = duration, .thread = thread};

	e.method = recording_method(&r, "checkout");
	jfr_open_call(r.w, &e);
}

CASE(an_open_call_says_what_its_thread_still_waits_for, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);
	struct jfr_thread_wait e = {
		.start = T0 + 5 * MS, .duration = 42 * MS, .thread = one, .reason = "futex", .ongoing = true};

	jfr_thread_wait(r.w, &e);
	wait_in(one, T0 + MS, MS, "pipe", two); /* over */
	wait_in(two, T0 + MS, MS, "disk", one);
	open(one, T0, 50 * MS);
	open(two, T0, 49 * MS);
	assert_contains(show("open"), "Still Waits");
	assert_contains(shown(), " com.acme.Cart.checkout() worker-1 N/A  50.0 ms 42.0 ms futex");
	assert_contains(shown(), " com.acme.Cart.checkout() worker-2 N/A  49.0 ms - ");
}

CASE(open_call_shows_where_it_is, setup, teardown)
{
	struct jfr_open_call e = {.start = T0, .duration = 50 * MS, .thread = recording_thread(&r, 1)};

	e.method = recording_method(&r, "checkout");
	e.stack = recording_stack(&r, recording_method(&r, "lock"), 17);
	jfr_open_call(r.w, &e);
	assert_contains(show("open"), "Thread   At ");
	assert_contains(shown(), "com.acme.Cart.lock():17");
}

CASE(a_java_stack_shows_the_first_frame_that_is_not_the_jdks, setup, teardown)
{
	struct jfr_method_constant read_method = {recording_class(&r, "java/net/Socket"), "read", "()I", 1, false};
	uint64_t one = recording_thread(&r, 1), read_key = jfr_method(r.w, &read_method);
	struct jfr_thread_wait e = {.start = T0, .duration = 4 * MS, .thread = one, .reason = "socket"};
	struct jfr_frame frames[16];

	for (int i = 0; i < 16; i++)
		frames[i] = (struct jfr_frame){read_key, 10 + i, 0, JFR_FRAME_INTERPRETED};
	frames[11].method = method("pay");
	frames[13].method = method("serve");
	e.stack = jfr_stack(r.w, frames, 16, false);
	jfr_thread_wait(r.w, &e);
	cart_call(one, T0, MS, 0, 4 * MS);
	assert_contains(show("slowest"), "            java.net.Socket.read():17\n"
					 "            ...\n"
					 "            com.acme.Cart.pay():21\n"
					 "            ...\n");
}

/* A call of which each line is too long. */
static void call_with_long_lines(void)
{
	struct jfr_method_constant long_name = {recording_class(&r, "org/framework/web/servlet/HandlerAdapter"),
						"invokeHandlerMethod", "(IJLjava/lang/Object;)V", 1, false};
	struct jfr_method_trace e = {.start = T0, .duration = 100 * MS, .cpu = 10 * MS, .blocked = 90 * MS};
	static const char *const reasons[] = {"futex", "socket", "disk", "page fault", "safepoint", "sleep", "gc"};
	uint64_t method_key = jfr_method(r.w, &long_name);
	struct jfr_thread_wait w = {.thread = recording_thread(&r, 1), .waker = recording_thread(&r, 123456789)};

	w.stack = recording_stack(&r, method_key, 1234);
	for (int i = 0; i < 7; i++) {
		w.start = T0 + 12 * i * MS;
		w.duration = (12 - i) * MS;
		w.reason = reasons[i];
		jfr_thread_wait(r.w, &w);
	}
	run(w.thread, T0 + MS, 90 * MS, method_key);
	e.thread = w.thread;
	e.method = method_key;
	e.stack = w.stack;
	e.pause = 6 * MS;
	e.system_calls = 204;
	e.system_call_time = 80 * MS;
	e.minor_faults = 21;
	e.thrown = true;
	jfr_method_trace(r.w, &e);
}

CASE(slowest_breaks_its_lines_and_shortens_names_in_a_narrow_terminal, setup, teardown)
{
	recording_free(&r);
	r = recording_new_with(JFR_KERNEL_FULL);
	recording_begin(&r);
	call_with_long_lines();
	request.layout.width = 60;
	assert_contains(show("slowest"), "[100.0ms = 10.0 cpu + 0.0 runq + 90.0 blocked (futex 12.0,\n"
					 "        socket 11.0, disk 10.0, page fault 9.0,\n"
					 "        safepoint 8.0, sleep 7.0, gc 6.0)]\n"
					 "        o.f.w.s.HandlerAdapter.invokeHandlerMethod(...)\n"
					 "        <- HandlerAdapter.invokeHandlerMethod(...):1234\n");
	assert_contains(shown(), "        > 90.0ms HandlerAdapter.invokeHandlerMethod(...)\n");
	assert_contains(shown(), "        12.0ms futex, woken by \"worker-123456789\"\n"
				 "            HandlerAdapter.invokeHandlerMethod(...):1234\n");
	assert_contains(shown(), "\"worker-1\", the JVM paused for 6.0ms,\n"
				 "        204 system calls of 80.0ms, 21 page faults, thrown\n");
	assert_lines_fit(60);
}

CASE(slowest_names_the_caller_without_kernel_data, setup, teardown)
{
	recording_free(&r);
	r = recording_new();
	recording_begin(&r);
	cart_call(recording_thread(&r, 1), T0, 400 * US, 0, 0);
	assert_contains(show("slowest"), "[400.0us] com.acme.Cart.checkout()  <- com.acme.Cart.serve():17\n");
}

CASE(of_open_calls_without_waits_nothing_is_said_of_them, setup, teardown)
{
	open(recording_thread(&r, 1), T0, 50 * MS);
	assert_contains(show("open"), "worker-1");
	assert_lacks(shown(), "Waits");
}

CASE(a_recording_without_waits_says_so, setup, teardown)
{
	assert_contains(show("waits"), "No events found for 'Waits by Reason'");
}
