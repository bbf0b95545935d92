// SPDX-License-Identifier: BSD-2-Clause
/* Waits and owners go in by the sink, then a call; the dissector reads its path. A tick is a nanosecond. */
#include "tests/lib/fake_segment.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"
#include "user/record/breakdown.h"

#define SEGMENT "frtrace.PathSegment"
#define STARTED 4242
#define MAIN	4001 /* ids of the threads, by fake_thread() */
#define WORKER	4002
#define OTHER	77 /* of a thread without a slot */

static struct bench {
	struct recording r;
	struct segment segment;
	struct clock clock;
	struct method_keys methods;
	struct thread_keys *threads;
	struct breakdown *where;
	struct kernel_sink sink;
} *b;

/* What HotSpot may have as the owner of a monitor. */
#define A_MONITOR_OF_WORKER 0x7000
#define A_MONITOR_OF_OTHER  0x8000

WRAP(uint32_t, thread_keys_find_owner, struct thread_keys *k, uint64_t owner, int64_t then)
{
	return owner == A_MONITOR_OF_WORKER ? WORKER : owner == A_MONITOR_OF_OTHER ? OTHER : 0;
}

static const struct wait_stack_ids no_stacks, in_code = {.in_code = true};
static uint32_t outer, inner, short_one;
static struct diag d;

static void owner_at(uint64_t at, uint32_t slot, uint32_t thread, uint32_t tid)
{
	b->sink.owner(
		b->sink.context,
		&(struct frt_slot_owner){.slot = slot, .thread = thread, .tid = tid, .started = STARTED, .at = at});
}

static void owner(uint32_t slot, uint32_t thread, uint32_t tid)
{
	owner_at(1000000, slot, thread, tid);
}

static int setup_with(bool roots)
{
	struct breakdown_setup s;
	uint32_t class_id;

	b = calloc(1, sizeof(*b));
	b->segment = fake_segment_new();
	class_id = fake_class(&b->segment, "a/A", FRT_BOOT_LOADER, FRT_CLASS_REWRITTEN);
	outer = fake_method(&b->segment, class_id, "outer", "()V", FRT_METHOD_HOOKED);
	inner = fake_method(&b->segment, class_id, "inner", "()V", FRT_METHOD_HOOKED);
	short_one = fake_method(&b->segment, class_id, "shortOne", "()V", FRT_METHOD_HOOKED);
	fake_thread(&b->segment, 1, "main", "main");
	fake_thread(&b->segment, 2, "worker-2", "workers");
	segment_header(&b->segment)->thread_serial = 2;
	b->clock = fake_clock();
	b->r = recording_new_with(JFR_KERNEL_WAITS);
	b->threads = thread_keys_new(b->r.w, &b->segment, NULL);
	method_keys_init(&b->methods, b->r.w, &b->segment);
	s = (struct breakdown_setup){.writer = b->r.w,
				     .threads = b->threads,
				     .segment = &b->segment,
				     .clock = &b->clock,
				     .methods = &b->methods,
				     .path_roots = roots};
	assert_int_equal(breakdown_new(&b->where, &s, &d), 0);
	b->sink = breakdown_sink(b->where);
	owner(0, 1, MAIN);
	owner(1, 2, WORKER);
	recording_begin(&b->r);
	thread_keys_next_chunk(b->threads);
	return 0;
}

static int setup(void **state)
{
	return setup_with(false);
}

static int setup_roots(void **state)
{
	return setup_with(true);
}

static int teardown(void **state)
{
	breakdown_free(b->where);
	method_keys_release(&b->methods);
	thread_keys_free(b->threads);
	recording_free(&b->r);
	fake_segment_free(&b->segment);
	free(b);
	return 0;
}

static void wait_of(uint32_t thread, uint64_t off, uint64_t wake, uint64_t on, uint32_t waker)
{
	struct frt_wait w = {.kind = FRT_WAIT,
			     .thread = thread,
			     .off = off,
			     .wake = wake,
			     .on = on,
			     .waker = waker,
			     .waker_origin = waker ? STARTED : 0,
			     .waker_name = "someone",
			     .syscall = 202,
			     .reason = waker ? FRT_WAIT_FUTEX : FRT_WAIT_SLEEP,
			     .flags = waker ? 0 : FRT_WAIT_BY_INTERRUPT};

	b->sink.wait(b->sink.context, &w, &no_stacks);
}

static void recorded_as(uint32_t thread, uint32_t method, int64_t start, int64_t end, uint16_t flags)
{
	struct frt_span s = {
		.start = start, .duration = end - start, .method = method, .thread = thread, .flags = flags};
	struct jfr_method_trace e = {.start = start, .duration = end - start};

	breakdown_split(b->where, &s, NULL, start, &e);
}

static void recorded(uint32_t thread, uint32_t method, int64_t start, int64_t end)
{
	recorded_as(thread, method, start, end, 0);
}

static void call_of(int64_t start, int64_t end)
{
	recorded(1, outer, start, end);
}

static void finish(void)
{
	paths_tick(breakdown_paths(b->where), true);
	recording_end(&b->r, true);
	recording_read(&b->r);
}

/* Part n of the path, the last one first. */
static void expect_part(size_t n, int64_t offset, int64_t duration, const char *thread, const char *state)
{
	const struct dissect_event *e = dissect_find(b->r.d, SEGMENT, n);

	assert_non_null(e);
	assert_int_equal(event_number(&b->r, e, "offset"), offset);
	assert_int_equal(event_number(&b->r, e, "duration"), duration);
	assert_event_text(&b->r, e, "state", state);
	assert_event_text(&b->r, e, thread[0] == '?' ? "eventThread.osName" : "eventThread.javaName",
			  thread + (thread[0] == '?'));
}

CASE(a_wait_goes_on_in_the_thread_that_ended_it, setup, teardown)
{
	wait_of(2, 50, 60, 70, MAIN);	   /* before the call; its history begins here */
	wait_of(2, 150, 300, 310, 0);	   /* worker-2 sleeps, */
	wait_of(1, 200, 400, 420, WORKER); /* and ends main's wait */
	call_of(100, 500);
	finish();
	expect_part(0, 320, 80, "main", "cpu");
	expect_part(1, 300, 20, "main", "runQueue");
	expect_part(2, 210, 90, "worker-2", "cpu");
	expect_part(3, 200, 10, "worker-2", "runQueue");
	expect_part(4, 100, 100, "worker-2", "sleep");
	expect_part(5, 0, 100, "main", "cpu");
	assert_null(dissect_find(b->r.d, SEGMENT, 6));
	assert_event_text(&b->r, dissect_find(b->r.d, SEGMENT, 4), "end", "ended by an interrupt or a timer");
	assert_event_text(&b->r, dissect_find(b->r.d, SEGMENT, 4), "waiter.javaName", "main");
	assert_event_text(&b->r, dissect_find(b->r.d, SEGMENT, 4), "waited", "futex");
}

CASE(what_a_thread_did_before_its_first_wait_is_unknown, setup, teardown)
{
	wait_of(2, 350, 360, 370, MAIN);
	wait_of(1, 200, 400, 400, WORKER);
	call_of(100, 500);
	finish();
	expect_part(1, 270, 30, "worker-2", "cpu");
	expect_part(4, 100, 150, "worker-2", "unknown");
}

/* HotSpot looks at the lock from time to time; if it is free then, nobody is woken. */
CASE(a_lock_that_was_found_free_is_unknown, setup, teardown)
{
	struct frt_wait w = {.kind = FRT_WAIT,
			     .thread = 1,
			     .off = 200,
			     .wake = 350,
			     .on = 400,
			     .reason = FRT_WAIT_FUTEX,
			     .flags = FRT_WAIT_BY_INTERRUPT};

	b->sink.wait(b->sink.context, &w, &in_code);
	call_of(100, 500);
	finish();
	expect_part(0, 300, 100, "main", "cpu");
	expect_part(1, 100, 200, "main", "unknown");
	expect_part(2, 0, 100, "main", "cpu");
	assert_event_text(&b->r, dissect_find(b->r.d, SEGMENT, 1), "end",
			  "it found the lock free when it looked; who had it is not known");
}

static void wait_for_monitor(uint64_t off, uint64_t on, uint64_t owned_by, unsigned int flags)
{
	struct frt_wait w = {.kind = FRT_WAIT,
			     .thread = 1,
			     .off = off,
			     .wake = on,
			     .on = on,
			     .resource = owned_by,
			     .reason = FRT_WAIT_FUTEX,
			     .flags = FRT_WAIT_BY_INTERRUPT | FRT_WAIT_OWNED | flags};

	b->sink.wait(b->sink.context, &w, &in_code);
}

CASE(who_had_a_lock_that_was_found_free_is_followed, setup, teardown)
{
	owner_at(10, 1, 2, WORKER);
	wait_of(2, 50, 60, 70, MAIN);
	wait_for_monitor(200, 400, A_MONITOR_OF_WORKER, 0);
	call_of(100, 500);
	finish();
	expect_part(0, 300, 100, "main", "cpu");
	expect_part(1, 100, 200, "worker-2", "cpu");
	assert_event_text(&b->r, dissect_find(b->r.d, SEGMENT, 1), "waited", "monitor");
	assert_event_text(&b->r, dissect_find(b->r.d, SEGMENT, 1), "waiter.javaName", "main");
	assert_null(dissect_find(b->r.d, SEGMENT, 3));
}

CASE(an_owner_that_is_not_known_is_not_guessed, setup, teardown)
{
	owner_at(10, 1, 2, WORKER);
	wait_of(2, 50, 60, 70, MAIN);
	wait_for_monitor(200, 400, A_MONITOR_OF_WORKER + 1, 0);
	call_of(100, 500);
	finish();
	expect_part(1, 100, 200, "main", "unknown");
}

/* The JavaThread may have been another thread's when the wait began. */
CASE(an_owner_that_is_younger_than_the_wait_is_not_it, setup, teardown)
{
	owner_at(1000, 1, 4, WORKER);
	owner_at(300, 2, 3, OTHER);
	wait_for_monitor(200, 400, A_MONITOR_OF_OTHER, 0);
	call_of(100, 500);
	finish();
	expect_part(1, 100, 200, "main", "unknown");
}

CASE(only_the_last_owner_of_a_lock_is_known_to_have_been_in_the_way, setup, teardown)
{
	owner_at(10, 1, 2, WORKER);
	wait_of(2, 50, 60, 70, MAIN);
	wait_for_monitor(200, 250, A_MONITOR_OF_OTHER, 0);
	wait_for_monitor(260, 300, A_MONITOR_OF_WORKER, FRT_WAIT_AGAIN);
	wait_for_monitor(310, 400, A_MONITOR_OF_WORKER, FRT_WAIT_AGAIN);
	call_of(100, 500);
	finish();
	expect_part(0, 300, 100, "main", "cpu");
	expect_part(1, 160, 140, "worker-2", "cpu");
	expect_part(2, 100, 60, "main", "unknown");
	expect_part(3, 0, 100, "main", "cpu");
}

/* A call that covers only a small part of the time says nothing about it. */
CASE(a_running_thread_was_in_its_shortest_call, setup, teardown)
{
	const struct dissect_event *part;

	wait_of(2, 50, 60, 70, MAIN);
	wait_of(1, 200, 400, 400, WORKER);
	recorded(2, short_one, 100, 180);
	recorded(2, short_one, 195, 250);
	recorded(2, inner, 220, 390);
	recorded(2, outer, 90, 450);
	call_of(100, 500);
	finish();
	part = dissect_find(b->r.d, SEGMENT, 4 + 1); /* behind the paths of worker-2's calls */
	assert_event_text(&b->r, part, "eventThread.javaName", "worker-2");
	assert_event_text(&b->r, part, "inside.name", "inner");
}

/* worker-2 ran from 100 us to 600 us, and was in a short call in between. */
CASE(what_a_running_thread_did_in_several_calls_has_several_parts, setup, teardown)
{
	const struct dissect_event *part;

	wait_of(2, 50000, 60000, 70000, MAIN);
	wait_of(1, 100000, 600000, 600000, WORKER);
	recorded(2, short_one, 100000, 299000);
	recorded(2, short_one, 300000, 400000);
	recorded(2, short_one, 500000, 590000);
	recorded(2, inner, 80000, 650000);
	call_of(100000, 600000);
	finish();
	for (size_t i = 0; i < 4; i++) {
		static const char *const names[] = {"shortOne", "inner", "shortOne", "shortOne"};
		static const int64_t offsets[] = {400000, 300000, 200000, 0};

		part = dissect_find(b->r.d, SEGMENT, 3 + 5 + i); /* behind the paths of the calls of worker-2 */
		assert_event_text(&b->r, part, "inside.name", names[i]);
		assert_int_equal(event_number(&b->r, part, "offset"), offsets[i]);
	}
}

/* worker-2 runs a task from 90 to 210 and another one from 300 to 390. */
CASE(a_part_has_the_task_that_its_thread_was_running, setup, teardown)
{
	struct paths *paths = breakdown_paths(b->where);
	struct path_task task = {
		.thread = 2, .begin = 90, .end = 210, .class_name = fake_string(&b->segment, "a/Report")};

	paths_add_task(paths, &task);
	task = (struct path_task){
		.thread = 2, .begin = 300, .end = 390, .class_name = fake_string(&b->segment, "a/Other")};
	paths_add_task(paths, &task);
	wait_of(2, 50, 60, 70, MAIN);
	wait_of(2, 210, 250, 300, 0);
	wait_of(1, 100, 400, 400, WORKER);
	call_of(100, 500);
	finish();
	assert_event_text(&b->r, dissect_find(b->r.d, SEGMENT, 1), "task.name", "a/Other");
	assert_int_equal(event_number(&b->r, dissect_find(b->r.d, SEGMENT, 3), "offset"), 110);
	assert_event_text(&b->r, dissect_find(b->r.d, SEGMENT, 4), "task.name", "a/Report");
}

/* A call of the root's method in the root may have ended long before it, and calls of other threads between them. */
CASE(only_the_outermost_call_of_a_root_has_a_path, setup_roots, teardown)
{
	*segment_rule(&b->segment, outer) = FRT_RULE_ROOT;
	recorded(1, outer, 120, 300);
	paths_tick(breakdown_paths(b->where), false);
	paths_tick(breakdown_paths(b->where), false);
	recorded(1, outer, 310, 320);
	recorded_as(2, outer, 50, 90, FRT_SPAN_ROOT);
	recorded(1, inner, 330, 340);
	recorded_as(1, outer, 100, 500, FRT_SPAN_ROOT);
	finish();
	expect_part(0, 0, 40, "worker-2", "cpu");
	expect_part(1, 0, 400, "main", "cpu");
	assert_null(dissect_find(b->r.d, SEGMENT, 2));
}

static void root_until(int64_t start, int64_t end, int64_t tasks_end)
{
	struct frt_span s = {
		.start = start, .duration = end - start, .method = outer, .thread = 1, .flags = FRT_SPAN_ROOT};
	struct jfr_method_trace e = {.start = start, .duration = end - start, .request = tasks_end - start};

	*segment_rule(&b->segment, outer) = FRT_RULE_ROOT;
	breakdown_split(b->where, &s, NULL, start, &e);
}

/* Between the task and the path, a chunk ends, and other threads run many tasks. */
CASE(the_path_of_a_root_goes_on_in_the_task_that_ended_last, setup_roots, teardown)
{
	struct path_task task = {
		.thread = 2, .begin = 450, .end = 1000, .class_name = fake_string(&b->segment, "a/Report")};

	paths_add_task(breakdown_paths(b->where), &task);
	task = (struct path_task){
		.thread = 1, .begin = 550, .end = 700, .class_name = fake_string(&b->segment, "a/Other")};
	paths_add_task(breakdown_paths(b->where), &task);
	wait_of(2, 50, 60, 70, 0);
	wait_of(2, 600, 640, 650, 0);
	root_until(100, 500, 1000);
	for (int i = 0; i < 2000; i++)
		paths_add_task(breakdown_paths(b->where), &(struct path_task){.thread = 1, .begin = 2000, .end = 2001});
	recording_end(&b->r, false);
	recording_begin(&b->r);
	thread_keys_next_chunk(b->threads);
	finish();
	expect_part(0, 550, 350, "worker-2", "cpu");
	expect_part(1, 540, 10, "worker-2", "runQueue");
	expect_part(2, 500, 40, "worker-2", "sleep");
	expect_part(3, 400, 100, "worker-2", "cpu");
	expect_part(4, 0, 400, "main", "cpu");
	assert_null(dissect_find(b->r.d, SEGMENT, 5));
	assert_event_text(&b->r, dissect_find(b->r.d, SEGMENT, 0), "waited", "task");
	assert_event_text(&b->r, dissect_find(b->r.d, SEGMENT, 0), "task.name", "a/Report");
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(event_number(&b->r, dissect_find(b->r.d, SEGMENT, i), "callDuration"), 900);
	assert_int_equal(event_number(&b->r, dissect_find(b->r.d, SEGMENT, 3), "depth"), 1);
	assert_int_equal(event_number(&b->r, dissect_find(b->r.d, SEGMENT, 4), "depth"), 0);
}

CASE(which_task_ended_last_may_be_unknown, setup_roots, teardown)
{
	root_until(100, 500, 2000);
	finish();
	assert_int_equal(event_number(&b->r, dissect_find(b->r.d, SEGMENT, 0), "duration"), 1500);
	assert_event_text(&b->r, dissect_find(b->r.d, SEGMENT, 0), "state", "unknown");
	expect_part(1, 0, 400, "main", "cpu");
}

CASE(a_thread_without_a_slot_has_a_history, setup, teardown)
{
	owner(FRT_NO_SLOT, FRT_FOLLOWED_KEY + 1, OTHER);
	wait_of(FRT_FOLLOWED_KEY + 1, 50, 250, 250, 0);
	wait_of(1, 200, 400, 400, OTHER);
	call_of(100, 500);
	finish();
	expect_part(1, 150, 150, "?someone", "cpu");
	expect_part(2, 100, 50, "?someone", "sleep");
}

CASE(a_new_thread_has_a_history_from_its_start_on, setup, teardown)
{
	const struct frt_slot_owner o = {.slot = FRT_NO_SLOT,
					 .thread = FRT_FOLLOWED_KEY + 1,
					 .tid = OTHER,
					 .started = STARTED,
					 .fresh = 1,
					 .at = 250};

	b->sink.owner(b->sink.context, &o);
	wait_of(1, 200, 400, 400, OTHER);
	call_of(100, 500);
	finish();
	expect_part(1, 150, 150, "?someone", "cpu");
	expect_part(2, 100, 50, "?someone", "unknown");
}

CASE(a_thread_keeps_its_history_when_it_gets_a_slot, setup, teardown)
{
	owner(FRT_NO_SLOT, FRT_FOLLOWED_KEY + 1, OTHER);
	wait_of(FRT_FOLLOWED_KEY + 1, 50, 250, 260, 0);
	owner_at(300, 2, 3, OTHER);
	wait_of(3, 340, 350, 350, 0);
	wait_of(1, 200, 400, 400, OTHER);
	call_of(100, 500);
	finish();
	expect_part(1, 250, 50, "?someone", "cpu");
	expect_part(2, 240, 10, "?someone", "sleep");
	expect_part(3, 160, 80, "?someone", "cpu");
	expect_part(4, 150, 10, "?someone", "runQueue");
	expect_part(5, 100, 50, "?someone", "sleep");
}

CASE(a_thread_without_any_wait_is_unknown_as_a_waker, setup, teardown)
{

	wait_of(1, 200, 300, 300, WORKER);
	call_of(100, 500);
	finish();
	expect_part(1, 100, 100, "worker-2", "unknown");
}

/* The other threads' waits may come after the call. */
CASE(a_path_is_computed_at_the_second_tick, setup, teardown)
{
	struct paths *paths = breakdown_paths(b->where);

	wait_of(1, 200, 400, 400, WORKER);
	call_of(100, 500);
	paths_tick(paths, false);
	wait_of(2, 150, 390, 390, 0);
	paths_tick(paths, false);
	paths_tick(paths, false);
	finish();
	expect_part(2, 100, 190, "worker-2", "sleep");
	assert_null(dissect_find(b->r.d, SEGMENT, 4));
}

#define JAVA_ID 77

static void recorded_by_virtual(int64_t start, int64_t end)
{
	struct stream_vthread v = {.java_id = JAVA_ID, .name = "order-77"};
	struct frt_span s = {.start = start,
			     .duration = end - start,
			     .method = inner,
			     .thread = 2,
			     .flags = FRT_SPAN_VIRTUAL | FRT_SPAN_FOLLOWED};
	struct jfr_method_trace e = {.start = start, .duration = end - start};

	breakdown_split(b->where, &s, &v, start, &e);
}

/* Its waits are recorded in its traced calls only: between those nothing is known. */
CASE(a_wait_goes_on_in_the_calls_of_the_virtual_thread_that_ended_it, setup, teardown)
{
	struct wait_stack_ids by_virtual = {.waker_virtual = JAVA_ID};
	struct frt_wait w = {
		.kind = FRT_WAIT, .thread = 1, .off = 200, .wake = 400, .on = 400, .reason = FRT_WAIT_FUTEX};

	wait_of(frt_virtual_key(JAVA_ID), 330, 350, 360, 0);
	b->sink.wait(b->sink.context, &w, &by_virtual);
	recorded_by_virtual(210, 260);
	recorded_by_virtual(300, 450);
	call_of(100, 500);
	finish();
	/* behind the paths of the virtual thread's own calls, of one and four parts */
	expect_part(5, 300, 100, "main", "cpu");
	expect_part(6, 260, 40, "order-77", "cpu");
	expect_part(7, 250, 10, "order-77", "runQueue");
	expect_part(8, 230, 20, "order-77", "sleep");
	expect_part(9, 200, 30, "order-77", "cpu");
	expect_part(10, 100, 100, "order-77", "unknown");
	expect_part(11, 0, 100, "main", "cpu");
}
