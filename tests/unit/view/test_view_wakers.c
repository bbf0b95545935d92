// SPDX-License-Identifier: BSD-2-Clause
/* What views say of the thread that ended a wait: which call held the lock, or after which call a task was over. */
#include "tests/unit/view/shown.h"

/* A wait in `top`, which `next` has called, in ms from T0. */
static void locked(int64_t thread, int64_t from, int64_t to, int64_t waker, const char *top, const char *next)
{
	struct jfr_frame frames[] = {{method_named(top), -1, 0, JFR_FRAME_NATIVE},
				     {method_named(next), 9, 5, JFR_FRAME_JIT},
				     {method_named("a/Shop.enter"), 7, 5, JFR_FRAME_JIT}};

	jfr_thread_wait(r.w, &(struct jfr_thread_wait){.start = T0 + from * MS,
						       .duration = (to - from) * MS,
						       .thread = recording_thread(&r, thread),
						       .reason = "futex",
						       .waker = recording_thread(&r, waker),
						       .stack = jfr_stack(r.w, frames, 3, false)});
}

static void call_of_thread(int64_t thread, const char *method, int64_t from, int64_t to)
{
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0 + from * MS,
							 .duration = (to - from) * MS,
							 .thread = recording_thread(&r, thread),
							 .method = method_named(method)});
}

#define IN_LOCK "jdk/internal/misc/Unsafe.park", "java/util/concurrent/locks/ReentrantLock.lock"

CASE(the_call_of_the_holder_stands_below_a_wait_for_a_lock, setup, teardown)
{
	request.top = 1;
	locked(1, 10, 90, 2, IN_LOCK);
	call_of_thread(2, "a/Report.line", 20, 30);
	call_of_thread(2, "a/Report.write", 8, 89);
	call_of_thread(2, "a/Report.serve", 0, 95);
	call_of_thread(3, "a/Report.other", 10, 90);
	cart_call(recording_thread(&r, 1), T0, US, US, 120 * MS);
	assert_contains(show("slowest"), "80.0ms futex, woken by \"worker-2\"\n"
					 "        held by \"worker-2\": a.Report.write() 81.0 ms\n"
					 "            jdk.internal.misc.Unsafe.park()\n");
}

CASE(who_passed_a_lock_on_did_not_hold_it, setup, teardown)
{
	request.top = 1;
	locked(2, 5, 88, 3, "a/Shop.enter", "a/Shop.handle");
	locked(1, 10, 90, 2, "a/Shop.enter", "a/Shop.handle");
	call_of_thread(2, "a/Shop.enter", 4, 91);
	call_of_thread(3, "a/Report.write", 0, 87);
	cart_call(recording_thread(&r, 1), T0, US, US, 120 * MS);
	assert_contains(show("slowest"), "        held by \"worker-3\": a.Report.write() 87.0 ms\n");
}

CASE(a_call_that_covers_little_of_the_wait_did_not_hold_the_lock, setup, teardown)
{
	request.top = 1;
	locked(1, 10, 90, 2, IN_LOCK);
	call_of_thread(2, "a/Report.close", 80, 89);
	cart_call(recording_thread(&r, 1), T0, US, US, 120 * MS);
	assert_lacks(show("slowest"), "held by");
}

CASE(conditions_and_queues_have_no_holder, setup, teardown)
{
	request.top = 1;
	locked(1, 10, 50, 2, "jdk/internal/misc/Unsafe.park", "java/util/concurrent/CountDownLatch.await");
	locked(1, 50, 90, 2, "java/lang/Object.wait", "java/lang/Object.wait");
	call_of_thread(2, "a/Report.write", 8, 100);
	cart_call(recording_thread(&r, 1), T0, US, US, 120 * MS);
	assert_lacks(show("slowest"), "held by");
}

CASE(a_tree_names_the_holder_below_the_wait, setup, teardown)
{
	request.top = 1;
	locked(1, 10, 90, 2, IN_LOCK);
	call_of_thread(2, "a/Report.write", 8, 89);
	cart_call(recording_thread(&r, 1), T0, US, US, 120 * MS);
	assert_contains(show("tree"), "80.0 ms futex, woken by \"worker-2\"\n");
	assert_contains(shown(), "  held by \"worker-2\": a.Report.write() 81.0 ms\n");
	request.layout.json = true;
	assert_contains(show("tree"), "\"heldBy\":\"held by \\\"worker-2\\\": a.Report.write() 81.0 ms\"");
}

/* A wait of worker-1 for a task from 10 to 90 ms, which worker-2 ended in the JDK's code alone. */
static void awaited(void)
{
	struct jfr_frame frames[] = {{method_named("jdk/internal/misc/Unsafe.park"), -1, 0, JFR_FRAME_NATIVE},
				     {method_named("java/util/concurrent/FutureTask.get"), 9, 5, JFR_FRAME_JIT},
				     {method_named("a/Shop.enter"), 7, 5, JFR_FRAME_JIT}};
	struct jfr_frame waker[] = {
		{method_named("jdk/internal/misc/Unsafe.unpark"), -1, 0, JFR_FRAME_NATIVE},
		{method_named("java/util/concurrent/FutureTask.run"), 9, 5, JFR_FRAME_JIT},
		{method_named("java/util/concurrent/ThreadPoolExecutor$Worker.run"), 8, 5, JFR_FRAME_JIT},
		{method_named("java/lang/Thread.run"), 840, 5, JFR_FRAME_JIT}};

	jfr_thread_wait(r.w, &(struct jfr_thread_wait){.start = T0 + 10 * MS,
						       .duration = 80 * MS,
						       .woken_after = 80 * MS - 10 * US,
						       .thread = recording_thread(&r, 1),
						       .reason = "futex",
						       .waker = recording_thread(&r, 2),
						       .waker_kind = "thread",
						       .stack = jfr_stack(r.w, frames, 3, false),
						       .waker_stack = jfr_stack(r.w, waker, 4, false)});
}

CASE(the_call_after_which_a_task_woke_the_request_stands_behind_the_waker, setup, teardown)
{
	request.top = 1;
	awaited();
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0 + 5 * MS,
							 .duration = 85 * MS - 30 * US,
							 .thread = recording_thread(&r, 2),
							 .method = method_named("a/Front.render")});
	cart_call(recording_thread(&r, 1), T0, US, US, 120 * MS);
	assert_contains(show("slowest"), "80.0ms futex, woken by \"worker-2\" after a.Front.render() 85.0 ms\n");
	assert_lacks(shown(), "Thread.run");
	assert_contains(show("tree"), "80.0 ms futex, woken by \"worker-2\" after a.Front.render() 85.0 ms\n");
	request.top = 0;
	request.by = "holder";
	assert_contains(show("waits"), "after a.Front.render() ");
	assert_lacks(shown(), "Thread.run");
	request.by = "waker";
	request.layout.json = true;
	assert_contains(show("waits"), "\"waker\":\"worker-2\"");
	assert_contains(shown(), "\"call\":\"after a.Front.render()\"");
}

CASE(where_nothing_is_known_of_a_waker_only_its_thread_is_named, setup, teardown)
{
	request.top = 1;
	awaited();
	call_of_thread(2, "a/Front.render", 0, 89); /* it began with the request, or before */
	call_of_thread(1, "a/Shop.serve", 1, 119);
	assert_contains(show("slowest"), "80.0ms futex, woken by \"worker-2\"\n");
	assert_contains(show("tree"), "80.0 ms futex, woken by \"worker-2\"\n");
	request.by = "holder";
	assert_contains(show("waits"), "(worker-2, in the JDK's code) ");
	assert_lacks(shown(), "Thread.run");
	assert_lacks(shown(), "after");
}
