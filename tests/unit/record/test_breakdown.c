// SPDX-License-Identifier: BSD-2-Clause
/* What the kernel saw goes in by the sink, then come calls; the dissector reads the file. A tick is a nanosecond. */
#include "user/record/breakdown.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "user/run/slowest.h"

static const struct wait_stack_ids no_stacks;

#define OFFSET 7000000000 /* of the target's clock */
#define START  50	  /* of the recording */
#define GETPID 39
#define FUTEX  202

static struct bench {
	struct recording r;
	struct segment segment;
	struct clock clock;
	struct thread_keys *threads;
	struct breakdown *where;
	struct kernel_sink sink;
	uint64_t method;
} *b;

#define STARTED 4242 /* all threads of fake_thread() */

static struct diag d;

static int setup(void **state)
{
	struct breakdown_setup s;

	b = calloc(1, sizeof(*b));
	b->segment = fake_segment_new();
	fake_thread(&b->segment, 1, "main", "main");
	fake_thread(&b->segment, 2, "worker-2", "workers");
	fake_thread(&b->segment, 3, "ForkJoinPool-1-worker-1", "CarrierThreads")->carrier = 1;
	segment_header(&b->segment)->thread_serial = 3;
	b->clock = fake_clock();
	b->r = recording_new_with(JFR_KERNEL_FULL);
	b->threads = thread_keys_new(b->r.w, &b->segment, NULL);
	s = (struct breakdown_setup){b->r.w,	    b->threads, &b->segment, &b->clock, .ticks_offset = OFFSET,
				     .start = START};
	assert_int_equal(breakdown_new(&b->where, &s, &d), 0);
	b->sink = breakdown_sink(b->where);
	for (uint32_t serial = 1; serial <= 3; serial++)
		b->sink.owner(b->sink.context, &(struct frt_slot_owner){.thread = serial, .started = STARTED});
	recording_begin(&b->r);
	thread_keys_next_chunk(b->threads);
	b->method = recording_method(&b->r, "checkout");
	return 0;
}

static int teardown(void **state)
{
	breakdown_free(b->where);
	thread_keys_free(b->threads);
	recording_free(&b->r);
	fake_segment_free(&b->segment);
	free(b);
	return 0;
}

static void wait_of(uint32_t thread, uint64_t off, uint64_t wake, uint64_t on)
{
	struct frt_wait w = {.kind = FRT_WAIT,
			     .thread = thread,
			     .off = off,
			     .wake = wake,
			     .on = on,
			     .waker = 4002, /* what fake_thread() says of worker-2 */
			     .waker_origin = STARTED,
			     .waker_name = "worker-2",
			     .syscall = FUTEX,
			     .reason = FRT_WAIT_FUTEX};

	b->sink.wait(b->sink.context, &w, &no_stacks);
}

#define VIRTUAL 77 /* its id */

static void call_of(uint32_t thread, int64_t start, int64_t duration, uint16_t flags)
{
	const struct stream_vthread v = {VIRTUAL, "v"};
	struct frt_span s = {.start = start, .duration = duration, .method = 1, .thread = thread, .flags = flags};
	struct jfr_method_trace e = {.start = start + OFFSET, .duration = duration, .method = b->method};

	breakdown_split(b->where, &s, flags & FRT_SPAN_VIRTUAL ? &v : NULL, start, &e);
	jfr_method_trace(b->r.w, &e);
}

static void finish(void)
{
	recording_end(&b->r, true);
	recording_read(&b->r);
}

static int64_t of_call(size_t n, const char *field)
{
	return event_number(&b->r, dissect_find(b->r.d, TRACE, n), field);
}

static void expect_parts(size_t call, int64_t cpu, int64_t run_queue, int64_t blocked)
{
	assert_int_equal(of_call(call, "cpuTime"), cpu);
	assert_int_equal(of_call(call, "runQueueTime"), run_queue);
	assert_int_equal(of_call(call, "blockedTime"), blocked);
}

static const struct dissect_event *nth_wait(size_t n)
{
	return dissect_find(b->r.d, "frtrace.ThreadWait", n);
}

static void expect_times(const struct dissect_event *e, int64_t start, int64_t duration)
{
	assert_int_equal(event_number(&b->r, e, "startTime"), start + OFFSET);
	assert_int_equal(event_number(&b->r, e, "duration"), duration);
}

CASE(the_parts_of_a_call_add_up, setup, teardown)
{
	wait_of(1, 1100, 1400, 1450);
	b->sink.pause(b->sink.context,
		      &(struct frt_pause){.what = FRT_PAUSE_GC, .begin = 1200, .end = 1260, .name = "G1"});
	b->sink.usage(b->sink.context,
		      &(struct frt_thread_usage){
			      .thread = 1, .at = 1050, .syscalls = 1, .syscall_ns = 370, .major_faults = 2});
	call_of(1, 1000, 1000, 0);
	finish();
	expect_parts(0, 650, 50, 300);
	assert_int_equal(of_call(0, "pauseTime"), 60);
	assert_int_equal(of_call(0, "syscalls"), 1);
	assert_int_equal(of_call(0, "syscallTime"), 370);
	assert_int_equal(of_call(0, "majorFaults"), 2);
	assert_int_equal(of_call(0, "minorFaults"), 0);
}

static void pause_of(enum frt_pause_what what, uint64_t begin, uint64_t end)
{
	b->sink.pause(b->sink.context, &(struct frt_pause){.what = what, .begin = begin, .end = end});
}

static const char *slowest_of(const struct breakdown_sums *sums)
{
	static struct bytes out;

	bytes_clear(&out);
	put_slowest(&out, sums);
	return bytes_text(&out);
}

static const char *slowest(void)
{
	return slowest_of(breakdown_running_sums(b->where));
}

CASE(a_wait_that_lies_in_a_pause_is_for_no_lock, setup, teardown)
{
	wait_of(1, 1000100, 1200100, 1200100); /* the first to be back: the pause is not over yet */
	pause_of(FRT_PAUSE_GC, 1050000, 1150000);
	pause_of(FRT_PAUSE_SAFEPOINT, 1000000, 1200200);
	wait_of(1, 1300000, 1350000, 1350000);
	pause_of(FRT_PAUSE_SAFEPOINT, 1395000, 1490000);
	wait_of(1, 1400000, 1500000, 1510000); /* its turn came late */
	wait_of(1, 1600000, 1900000, 1900000); /* for a lock, whose owner stood still for a while */
	pause_of(FRT_PAUSE_SAFEPOINT, 1650000, 1800000);
	call_of(1, 1000000, 1000000, 0);
	finish();
	assert_event_text(&b->r, nth_wait(0), "reason", "gc");
	assert_event_text(&b->r, nth_wait(1), "reason", "futex");
	assert_event_text(&b->r, nth_wait(2), "reason", "safepoint");
	assert_event_text(&b->r, nth_wait(3), "reason", "futex");
	assert_string_equal(
		slowest(),
		"the slowest call (1.0 ms): 65 % blocked (futex 35 %, gc 20 %, safepoint 10 %), 34 % on a CPU, 1 % waiting for one");
}

CASE(only_a_futex_can_be_the_jvms, setup, teardown)
{
	struct frt_wait w = {.thread = 1, .off = 1100, .wake = 1400, .on = 1400, .reason = FRT_WAIT_SOCKET};

	pause_of(FRT_PAUSE_GC, 1000, 1500);
	b->sink.wait(b->sink.context, &w, &no_stacks);
	call_of(1, 1000, 1000, 0);
	finish();
	assert_event_text(&b->r, nth_wait(0), "reason", "socket");
}

static void expect_pause(size_t call, int64_t ns)
{
	assert_int_equal(of_call(call, "pauseTime"), ns);
	assert_true(ns <= of_call(call, "blockedTime") + of_call(call, "runQueueTime"));
}

CASE(a_call_does_not_run_and_stand_still_at_once, setup, teardown)
{
	pause_of(FRT_PAUSE_SAFEPOINT, 1000, 2000);
	pause_of(FRT_PAUSE_SAFEPOINT, 3000, 4000);
	wait_of(1, 1100, 1900, 1950); /* let go before the pause is over */
	call_of(1, 1970, 20, 0);
	call_of(1, 1050, 1000, 0);
	wait_of(1, 3500, 3600, 3600);
	call_of(1, 1050, 5000, 0);
	call_of(1, 1050, 5000, FRT_SPAN_VIRTUAL);
	finish();
	expect_pause(0, 0);
	expect_pause(1, 850);
	expect_pause(2, 950);
	assert_int_equal(of_call(3, "pauseTime"), 1950);
}

CASE(a_pause_before_the_recording_is_not_written, setup, teardown)
{
	pause_of(FRT_PAUSE_SAFEPOINT, START - 1, 90);
	pause_of(FRT_PAUSE_SAFEPOINT, 95, 99);
	finish();
	assert_int_equal(dissect_count(b->r.d, "frtrace.VMPause"), 1);
	assert_int_equal(event_number(&b->r, dissect_find(b->r.d, "frtrace.VMPause", 0), "startTime"), 95 + OFFSET);
}

CASE(a_wait_of_a_call_becomes_an_event, setup, teardown)
{
	wait_of(1, 1100, 1400, 1450);
	call_of(1, 1000, 1000, 0);
	finish();
	assert_non_null(nth_wait(0));
	expect_times(nth_wait(0), 1100, 300);
	assert_event_text(&b->r, nth_wait(0), "eventThread.javaName", "main");
	assert_event_text(&b->r, nth_wait(0), "reason", "futex");
	assert_event_text(&b->r, nth_wait(0), "syscall", "futex");
	assert_event_text(&b->r, nth_wait(0), "wakerThread.javaName", "worker-2");
	expect_times(dissect_find(b->r.d, "frtrace.RunQueue", 0), 1400, 50);
	assert_event_text(&b->r, dissect_find(b->r.d, "frtrace.RunQueue", 0), "eventThread.javaName", "main");
}

static void open_call_of(uint32_t thread, uint32_t method, uint64_t start, uint32_t depth)
{
	struct frt_slot *s = fake_slot(&b->segment, 10, 0);

	s->thread = thread;
	s->epoch = segment_header(&b->segment)->epoch;
	s->depth = depth;
	s->open[depth - 1].start = start;
	s->open[depth - 1].method = method;
}

static void set_rule(uint32_t method, uint64_t ticks, uint64_t flags)
{
	((uint64_t *)(b->segment.base + FRT_RULES_AT))[method] = ticks << FRT_RULE_SHIFT | flags;
}

/* Who follows the chunks of a long call in the order of time would get its waits too late. */
CASE(waits_of_a_call_that_will_be_recorded_come_in_time, setup, teardown)
{
	set_rule(1, 500, 0);
	open_call_of(1, 1, 1000, 1);
	b->clock.pair[1] = (struct clock_pair){1400, 1400, 3}; /* the call has not reached its threshold */
	wait_of(1, 1100, 1300, 1350);
	breakdown_put_ahead(b->where);
	b->clock.pair[1] = (struct clock_pair){1600, 1600, 3};
	recording_end(&b->r, false);
	recording_begin(&b->r);
	breakdown_put_ahead(b->where);
	breakdown_put_ahead(b->where);
	recording_end(&b->r, false);
	recording_begin(&b->r);
	wait_of(1, 1700, 1800, 1800);
	call_of(1, 1000, 1000, 0);
	finish();
	assert_int_equal(dissect_count(b->r.d, "frtrace.ThreadWait"), 2);
	assert_int_equal(nth_wait(0)->chunk, 1);
	assert_int_equal(nth_wait(1)->chunk, 2);
	assert_int_equal(dissect_count(b->r.d, "frtrace.RunQueue"), 1);
	assert_int_equal(dissect_find(b->r.d, "frtrace.RunQueue", 0)->chunk, 1);
	assert_int_equal(breakdown_sums_take_worst(breakdown_running_sums(b->where), 1), 250);
}

CASE(waits_of_a_call_that_may_not_be_recorded_are_kept_back, setup, teardown)
{
	b->clock.pair[1] = (struct clock_pair){1600, 1600, 3};
	set_rule(1, 0, FRT_RULE_THROWN);
	set_rule(2, FRT_RULE_UNTRACED >> FRT_RULE_SHIFT, FRT_RULE_TIMED);
	open_call_of(1, 1, 1000, 1);
	open_call_of(2, 2, 1000, 1);
	open_call_of(3, 3, 1000, 1); /* a carrier: its waits may be those of a virtual thread */
	for (uint32_t thread = 1; thread <= 3; thread++)
		wait_of(thread, 1100, 1300, 1350);
	breakdown_put_ahead(b->where);
	finish();
	assert_int_equal(dissect_count(b->r.d, "frtrace.ThreadWait"), 0);
}

CASE(a_wait_is_written_once_and_only_with_a_call, setup, teardown)
{
	wait_of(1, 100, 200, 200); /* in no call that is recorded */
	wait_of(1, 1100, 1400, 1450);
	call_of(1, 1050, 500, 0);
	call_of(1, 1000, 1000, 0);
	wait_of(1, 3000, 3100, 3100); /* in one that has not ended */
	breakdown_claim_open(b->where, &(struct open_call){.thread = 1}, 2500);
	finish();
	assert_int_equal(dissect_count(b->r.d, "frtrace.ThreadWait"), 2);
	assert_int_equal(dissect_count(b->r.d, "frtrace.RunQueue"), 1);
	assert_int_equal(of_call(0, "blockedTime"), 300);
	assert_int_equal(of_call(1, "blockedTime"), 300);
}

CASE(without_the_jvms_word_on_pauses_nothing_is_known_of_them, setup, teardown)
{
	struct breakdown_setup s = {b->r.w,	      b->threads, &b->segment, &b->clock, .ticks_offset = OFFSET,
				    .no_pauses = true};

	breakdown_free(b->where);
	breakdown_new(&b->where, &s, &d);
	call_of(1, 1000, 1000, 0);
	finish();
	assert_true(of_call(0, "pauseTime") == JFR_MISSING);
	assert_int_equal(of_call(0, "cpuTime"), 1000);
}

static void look_at(uint64_t off, uint64_t wake, uint64_t on)
{
	struct frt_wait w = {.thread = 1, .off = off, .wake = wake, .on = on, .reason = FRT_WAIT_FUTEX};

	w.syscall = FUTEX;
	w.flags = FRT_WAIT_ONGOING;
	b->sink.wait(b->sink.context, &w, &no_stacks);
	breakdown_claim_open(b->where, &(struct open_call){.thread = 1}, 1000);
}

CASE(a_wait_that_is_looked_at_goes_on_and_is_told_in_two, setup, teardown)
{
	look_at(1100, 1500, 1500);
	wait_of(1, 1100, 1700, 1750);
	call_of(1, 1000, 1000, 0);
	finish();
	assert_int_equal(dissect_count(b->r.d, "frtrace.ThreadWait"), 2);
	for (size_t i = 0; i < 2; i++) {
		expect_times(nth_wait(i), i ? 1500 : 1100, i ? 200 : 400);
		assert_int_equal(event_number(&b->r, nth_wait(i), "ongoing"), !i);
	}
	expect_parts(0, 350, 50, 600);
}

CASE(who_has_been_woken_does_not_wait_any_more, setup, teardown)
{
	look_at(1100, 1400, 1500);
	finish();
	assert_int_equal(event_number(&b->r, nth_wait(0), "ongoing"), 0);
	assert_int_equal(event_number(&b->r, dissect_find(b->r.d, "frtrace.RunQueue", 0), "duration"), 100);
}

static void resumed(uint64_t off, uint64_t ready, uint64_t on, uint32_t reason)
{
	struct frt_resumed r = {
		.kind = FRT_RESUMED,
		.on = on,
		.mount = {.key = frt_virtual_key(VIRTUAL), .off = off, .ready = ready, .waker = 2, .reason = reason}};

	b->sink.resumed(b->sink.context, &r);
}

/* 1000 carrier 3, 1100 parked, 1300 ready, 1350 on a carrier again, which leaves its CPU from 1400 to 1500, 2000 */
CASE(a_virtual_thread_is_parked_waits_for_a_carrier_and_has_its_waits, setup, teardown)
{
	resumed(1100, 1300, 1350, FRT_WAIT_SLEEP);
	wait_of(frt_virtual_key(VIRTUAL), 1400, 1440, 1500);
	call_of(3, 1000, 1000, FRT_SPAN_VIRTUAL | FRT_SPAN_FOLLOWED);
	finish();
	expect_parts(0, 1000 - 350, 60, 200 + 50 + 40);
	assert_true(of_call(0, "syscalls") == JFR_MISSING); /* the kernel counts for the carrier */
	assert_int_equal(dissect_count(b->r.d, "frtrace.ThreadWait"), 3);
	assert_event_text(&b->r, nth_wait(0), "reason", "sleep");
	assert_event_text(&b->r, nth_wait(1), "reason", "carrier");
	assert_int_equal(event_number(&b->r, nth_wait(1), "duration"), 50);
	for (size_t i = 0; i < 3; i++)
		assert_event_text(&b->r, nth_wait(i), "eventThread.javaName", "v");
	assert_event_text(&b->r, nth_wait(0), "wakerThread.javaName", "worker-2");
}

static uint64_t address_of(uint64_t id, uint8_t last)
{
	struct frt_resource r = {.kind = FRT_RESOURCE, .id = id, .what = FRT_RESOURCE_INET, .ends.port = {40000, 5432}};

	memcpy(&r.ends.address[1][10], (uint8_t[]){0xff, 0xff, 10, 0, 0, last}, 6);
	b->sink.resource(b->sink.context, &r);
	return id;
}

CASE(what_a_virtual_thread_is_parked_for_is_in_the_park, setup, teardown)
{
	struct frt_resumed r = {
		.kind = FRT_RESUMED,
		.on = 1350,
		.resource = address_of(5, 7),
		.mount = {.key = frt_virtual_key(VIRTUAL), .off = 1100, .ready = 1300, .reason = FRT_WAIT_PARKED}};

	b->sink.resumed(b->sink.context, &r);
	call_of(3, 1000, 1000, FRT_SPAN_VIRTUAL | FRT_SPAN_FOLLOWED);
	finish();
	assert_event_text(&b->r, nth_wait(0), "resource", "10.0.0.7:5432");
	assert_event_text(&b->r, nth_wait(1), "reason", "carrier");
	assert_null(dissect_text(b->r.d, nth_wait(1), "resource"));
}

/* The thread was about to wait for a socket, and the JVM held it up. */
CASE(a_wait_for_the_jvm_is_for_no_socket, setup, teardown)
{
	struct frt_wait w = {
		.kind = FRT_WAIT, .thread = 1, .off = 1100, .wake = 1200, .on = 1200, .resource = address_of(5, 7)};

	w.reason = FRT_WAIT_FUTEX;
	b->sink.wait(b->sink.context, &w, &no_stacks);
	w.off = 1300, w.wake = w.on = 1400;
	b->sink.wait(b->sink.context, &w, &(struct wait_stack_ids){.jvm = FRT_WAIT_CLASS});
	call_of(1, 1000, 1000, 0);
	finish();
	assert_event_text(&b->r, nth_wait(0), "resource", "10.0.0.7:5432");
	assert_event_text(&b->r, nth_wait(1), "reason", "class");
	assert_null(dissect_text(b->r.d, nth_wait(1), "resource"));
}

/* One of a hundred ticks, in the call at 2050. */
static void woken(uint64_t off, uint32_t waker, struct wait_stack_ids ids)
{
	struct frt_wait w = {.kind = FRT_WAIT, .thread = 1, .off = off, .wake = off + 100, .on = off + 100};

	w.waker = waker;
	w.waker_origin = STARTED;
	b->sink.wait(b->sink.context, &w, &ids);
}

/* The virtual thread in a call, "v", wakes two others. */
CASE(a_waker_that_is_a_virtual_thread_is_named_if_it_was_in_a_call, setup, teardown)
{
	wait_of(frt_virtual_key(VIRTUAL), 1400, 1440, 1500);
	call_of(3, 1000, 1000, FRT_SPAN_VIRTUAL | FRT_SPAN_FOLLOWED);
	woken(2100, 4002, (struct wait_stack_ids){.waker_virtual = VIRTUAL});
	woken(2300, 4002, (struct wait_stack_ids){.waker_virtual = VIRTUAL + 1});
	call_of(1, 2050, 1000, 0);
	finish();
	assert_event_text(&b->r, nth_wait(1), "wakerThread.javaName", "v");
	assert_event_text(&b->r, nth_wait(1), "wokenBy", "thread");
	assert_event_text(&b->r, nth_wait(2), "wakerThread.javaName", "");
	assert_int_equal(event_number(&b->r, nth_wait(2), "wakerThread.javaThreadId"), VIRTUAL + 1);
}

CASE(a_carrier_is_a_waker_only_if_it_carries_nobody, setup, teardown)
{
	woken(2100, 4003, no_stacks);
	woken(2300, 4003, (struct wait_stack_ids){.waker_exact = true});
	call_of(1, 2050, 1000, 0);
	finish();
	assert_event_text(&b->r, nth_wait(0), "wokenBy", "thread");
	assert_null(dissect_text(b->r.d, nth_wait(0), "wakerThread.javaName"));
	assert_event_text(&b->r, nth_wait(1), "wakerThread.javaName", "ForkJoinPool-1-worker-1");
}

CASE(without_the_moment_at_which_it_was_ready_the_reason_is_unknown, setup, teardown)
{
	resumed(1100, 0, 1350, FRT_WAIT_PARKED);
	call_of(3, 1000, 1000, FRT_SPAN_VIRTUAL | FRT_SPAN_FOLLOWED);
	finish();
	assert_int_equal(of_call(0, "blockedTime"), 250);
	assert_int_equal(dissect_count(b->r.d, "frtrace.ThreadWait"), 1);
	assert_event_text(&b->r, nth_wait(0), "reason", "other");
}

CASE(a_virtual_thread_that_never_waits_was_on_a_cpu, setup, teardown)
{
	wait_of(77, 1100, 1200, 1300); /* a platform thread with that serial */
	call_of(3, 1000, 1000, FRT_SPAN_VIRTUAL | FRT_SPAN_FOLLOWED);
	finish();
	expect_parts(0, 1000, 0, 0);
}

CASE(a_carrier_that_is_not_observed_makes_virtual_threads_unknown, setup, teardown)
{
	b->sink.unobserved(b->sink.context, &(struct frt_slot_owner){.thread = 3, .flags = FRT_OWNER_NO_WAITS});
	call_of(3, 1000, 1000, FRT_SPAN_VIRTUAL | FRT_SPAN_FOLLOWED);
	finish();
	assert_true(of_call(0, "cpuTime") == JFR_MISSING);
}

CASE(of_carriers_and_of_virtual_threads_that_were_not_followed_nothing_is_known, setup, teardown)
{
	wait_of(3, 1100, 1400, 1450); /* there should be none */
	call_of(3, 1000, 1000, 0);
	call_of(1, 1000, 1000, FRT_SPAN_VIRTUAL);
	call_of(9, 1000, 1000, 0); /* a thread that the segment has forgotten */
	finish();
	for (size_t i = 0; i < 3; i++) {
		expect_parts(i, JFR_MISSING, JFR_MISSING, JFR_MISSING);
		assert_int_equal(of_call(i, "pauseTime"), 0);
	}
}

CASE(wakers_that_are_no_java_threads_are_named_by_the_kernel, setup, teardown)
{
	struct frt_wait w = {.thread = 1, .off = 1100, .wake = 1200, .on = 1200, .reason = FRT_WAIT_PIPE};

	w.syscall = FRT_NO_SYSCALL;
	w.waker_origin = 77;
	memcpy(w.waker_name, "a name of 16 ch.", 16);
	b->sink.wait(b->sink.context, &w, &no_stacks);
	w = (struct frt_wait){.thread = 1, .off = 1300, .wake = 1400, .on = 1400, .reason = FRT_WAIT_OTHER};
	w.syscall = GETPID;
	w.waker = 5000;
	w.waker_origin = STARTED;
	memcpy(w.waker_name, "VM Thread", 10);
	b->sink.wait(b->sink.context, &w, &no_stacks);
	w = (struct frt_wait){.thread = 1, .off = 1500, .wake = 1600, .on = 1600, .reason = FRT_WAIT_DISK};
	w.syscall = 9999;
	b->sink.wait(b->sink.context, &w, &no_stacks);
	call_of(1, 1000, 1000, 0);
	finish();
	assert_event_text(&b->r, nth_wait(0), "wakerThread.osName", "a name of 16 ch. (process 77)");
	assert_int_equal(event_number(&b->r, nth_wait(0), "wakerThread.osThreadId"), 0);
	assert_null(dissect_text(b->r.d, nth_wait(0), "syscall"));
	assert_event_text(&b->r, nth_wait(1), "wakerThread.osName", "VM Thread");
	assert_int_equal(event_number(&b->r, nth_wait(1), "wakerThread.osThreadId"), 5000);
	assert_event_text(&b->r, nth_wait(1), "syscall", "getpid");
	assert_null(dissect_text(b->r.d, nth_wait(2), "wakerThread.osName"));
	assert_event_text(&b->r, nth_wait(2), "syscall", "system call 9999");
}

CASE(after_the_end_of_writing_nothing_is_written, setup, teardown)
{
	breakdown_stop(b->where);
	wait_of(1, 1100, 1400, 1450);
	b->sink.pause(b->sink.context, &(struct frt_pause){.begin = 1200, .end = 1260});
	breakdown_claim_open(b->where, &(struct open_call){.thread = 1}, 0);
	finish();
	assert_int_equal(dissect_count(b->r.d, "frtrace.ThreadWait"), 0);
	assert_int_equal(dissect_count(b->r.d, "frtrace.VMPause"), 0);
}

CASE(losses_make_the_calls_before_unknown, setup, teardown)
{
	b->sink.lost(b->sink.context);
	call_of(1, 1000, 1000, 0);
	finish();
	assert_true(of_call(0, "cpuTime") == JFR_MISSING);
	assert_true(of_call(0, "pauseTime") == JFR_MISSING);
}

CASE(sums_are_of_calls_by_method, setup, teardown)
{
	const struct breakdown_sum *sums = breakdown_sums_of(breakdown_running_sums(b->where), 1);

	wait_of(1, 1100, 1400, 1450);
	call_of(1, 1000, 1000, 0);
	call_of(1, 2000, 100, 0);
	call_of(1, 2000, 100, FRT_SPAN_VIRTUAL);
	assert_int_equal(sums->calls, 2);
	assert_int_equal(sums->duration, 1100);
	assert_int_equal(breakdown_sum_cpu(sums), 750);
	assert_int_equal(sums->run_queue, 50);
	assert_int_equal(sums->blocked, 300);
	assert_int_equal(sums->worst, 350);
	assert_int_equal(breakdown_sums_take_worst(breakdown_running_sums(b->where), 1), 350);
	assert_int_equal(breakdown_sums_take_worst(breakdown_running_sums(b->where), 1), 0);
	assert_int_equal(sums->worst, 350);
}

static void call_to(uint32_t method, int64_t start, int64_t duration)
{
	struct frt_span s = {.start = start, .duration = duration, .method = method, .thread = 1};
	struct jfr_method_trace e = {.start = start + OFFSET, .duration = duration, .method = b->method};

	breakdown_split(b->where, &s, NULL, start, &e);
}

CASE(the_worst_wait_of_a_caller_may_be_its_callees, setup, teardown)
{
	wait_of(1, 1100, 1110, 1110);
	wait_of(1, 1200, 1240, 1245);
	wait_of(1, 1300, 1330, 1330);
	call_to(3, 1290, 100);
	call_to(2, 1150, 300);
	call_to(1, 1000, 1000);
	assert_int_equal(breakdown_sums_of(breakdown_running_sums(b->where), 3)->worst, 30);
	assert_int_equal(breakdown_sums_of(breakdown_running_sums(b->where), 2)->worst, 45);
	assert_int_equal(breakdown_sums_of(breakdown_running_sums(b->where), 1)->worst, 45);
}

CASE(the_slowest_hundredth_is_added_up, setup, teardown)
{
	struct breakdown_slowest slow;

	assert_false(breakdown_sums_slowest(breakdown_running_sums(b->where), &slow));
	for (int64_t i = 0; i < 495; i++)
		call_of(1, 10000 * i, 100 + i % 10, 0);
	for (int64_t i = 495; i < 500; i++) {
		wait_of(1, 10000 * i + 10, 10000 * i + 4010, 10000 * i + 4020);
		call_of(1, 10000 * i, 5000, 0);
	}
	assert_true(breakdown_sums_slowest(breakdown_running_sums(b->where), &slow));
	assert_int_equal(slow.of, 500);
	assert_int_equal(slow.calls, 5);
	assert_int_equal(slow.least, 5000);
	assert_int_equal(slow.sums.duration, 25000);
	assert_int_equal(slow.sums.blocked, 20000);
	assert_int_equal(slow.blocked_on[FRT_WAIT_FUTEX], 20000);
	assert_int_equal(slow.sums.run_queue, 50);
	assert_int_equal(breakdown_sum_cpu(&slow.sums), 4950);
}

CASE(the_end_says_where_the_slowest_calls_were, setup, teardown)
{
	assert_string_equal(slowest_of(NULL), "");
	assert_string_equal(slowest(), "");
	wait_of(1, 1000100, 1900100, 1950100);
	call_of(1, 1000000, 1000000, 0);
	assert_string_equal(slowest(),
			    "the slowest call (1.0 ms): 90 % blocked (futex 90 %), 5 % on a CPU, 5 % waiting for one");
	for (int64_t i = 0; i < 200; i++)
		call_of(1, 3000000 + i, 100, 0);
	wait_of(1, 9000100, 9500100, 9500100);
	call_of(1, 9000000, 1000000, 0);
	assert_string_equal(
		slowest(),
		"the slowest 1 % (2 calls of 1.0 ms and more): 70 % blocked (futex 70 %), 28 % on a CPU, 2 % waiting for one");
}

CASE(what_frtrace_did_to_a_call_does_not_make_it_slow, setup, teardown)
{
	const struct frt_wait own = {
		.thread = 1, .off = 1000, .wake = 105000, .on = 105100, .reason = FRT_WAIT_TRACER, .syscall = FUTEX};
	struct breakdown_slowest slow;

	b->sink.wait(b->sink.context, &own, &no_stacks);
	call_of(1, 900, 104500, 0);
	call_of(1, 200000, 800, 0);
	assert_true(breakdown_sums_slowest(breakdown_running_sums(b->where), &slow));
	assert_int_equal(slow.least, 800);
	assert_int_equal(slow.blocked_on[FRT_WAIT_TRACER], 0);
	assert_int_equal(breakdown_sums_of(breakdown_running_sums(b->where), 1)->blocked, 104000);
}
