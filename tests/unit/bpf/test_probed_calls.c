// SPDX-License-Identifier: BSD-2-Clause
/* The open calls that HotSpot's method probes show, with the kernel played by this file: the queue, the time, loops. */
#define BPF_EMIT_H
#include "bpf/probes.h"
#include "bpf/queue.h"
#include "tests/lib/test.h"

#include <linux/types.h>
#include <sys/cdefs.h>

#define __noinline __attribute__((noinline))

static struct frt_probe_call emitted[256];
static unsigned int emits;
static bool queue_is_full, exception;
static __u64 time_ns = 1000;

enum wake { WAKE_BY_LEVEL };

static __u64 now_ns(void)
{
	return time_ns += 10;
}

static void *queue_reserve(__u64 size)
{
	assert_int_equal(size, sizeof(emitted[0]));
	return queue_is_full ? NULL : &emitted[emits];
}

static void queue_submit(void *record, enum wake wake)
{
	emits++;
}

static void queue_flush(void *context)
{
}

struct search;
static long loop(__u32 count, long (*step)(__u32 i, struct search *s), struct search *s)
{
	__u32 i = 0;

	while (i < count && !step(i, s))
		i++;
	return i;
}
#define bpf_loop(count, step, context, flags) loop(count, step, context)

#include "bpf/open_calls.bpf.h"

enum { RUN = 1, LEAF, OTHER };

static struct probed_thread thread;
static struct frt_probe_counts counts;

static int setup(void **state)
{
	memset(&thread, 0, sizeof(thread));
	memset(&counts, 0, sizeof(counts));
	thread.thread = 7;
	emits = 0;
	queue_is_full = exception = false;
	return 0;
}

static void enter(__u32 method, __u64 sp, __u32 pc)
{
	struct call_place at = {.sp = sp, .pc = pc};

	enter_method(NULL, &thread, &counts, method, &at);
}

static void leave_after(__u32 method, __u64 sp, __u64 threshold)
{
	struct frt_method_choice m = {.method = method, .threshold = threshold};
	struct frt_probe_call ended = {0};

	exit_method(NULL, &thread, &counts, &m, sp, exception, now_ns(), &ended);
	if (ended.kind)
		emitted[emits++] = ended;
}

static void leave(__u32 method, __u64 sp)
{
	leave_after(method, sp, 0);
}

static void assert_emitted(unsigned int i, __u32 method, __u32 flags)
{
	assert_true(i < emits);
	assert_int_equal(emitted[i].thread, 7);
	assert_int_equal(emitted[i].method, method);
	assert_int_equal(emitted[i].flags, flags);
}

static void assert_counts(__u64 entered, __u64 exited, __u64 unseen)
{
	assert_int_equal(counts.entered, entered);
	assert_int_equal(counts.exited, exited);
	assert_int_equal(counts.unseen, unseen);
}

CASE(call_has_start_and_duration, setup)
{
	enter(RUN, 0x8000, 1);
	time_ns += 500;
	leave(RUN, 0x7ff0);
	assert_int_equal(emits, 1);
	assert_emitted(0, RUN, 0);
	assert_int_equal(emitted[0].duration, 510);
	assert_int_equal(counts.longest, 510);
	assert_counts(1, 1, 0);
}

CASE(call_that_an_exception_ends_says_so, setup)
{
	enter(RUN, 0x8000, 1);
	enter(LEAF, 0x7000, 2);
	exception = true;
	leave(LEAF, 0x7000);
	exception = false;
	leave(RUN, 0x8000);
	assert_emitted(0, LEAF, FRT_PROBE_THROWN);
	assert_emitted(1, RUN, 0);
	assert_int_equal(counts.thrown, 1);
}

CASE(recursion_ends_from_the_inside, setup)
{
	for (int i = 0; i < 3; i++)
		enter(RUN, 0x8000 - i * 64, 1);
	for (int i = 2; i >= 0; i--)
		leave(RUN, 0x8000 - i * 64);
	assert_int_equal(emits, 3);
	assert_true(emitted[0].start > emitted[1].start && emitted[1].start > emitted[2].start);
	assert_counts(3, 3, 0);
}

CASE(inlined_calls_have_one_frame, setup)
{
	enter(RUN, 0x8000, 1);
	enter(LEAF, 0x8000, 2);
	assert_int_equal(thread.depth, 2);
	leave(LEAF, 0x8000);
	enter(OTHER, 0x8000, 3);
	leave(OTHER, 0x8000);
	leave(RUN, 0x8000);
	assert_counts(3, 3, 0);
}

/* As exceptions leave C1's code. */
CASE(call_is_over_when_its_caller_exits, setup)
{
	enter(RUN, 0x8000, 1);
	enter(LEAF, 0x7fc0, 2);
	leave(RUN, 0x8000);
	assert_emitted(0, LEAF, FRT_PROBE_UNSEEN);
	assert_emitted(1, RUN, 0);
	assert_counts(2, 2, 1);
}

CASE(call_is_over_when_the_same_place_begins_another, setup)
{
	for (int i = 0; i < 200; i++)
		enter(LEAF, 0x7fc0, 2);
	assert_int_equal(thread.depth, 1);
	assert_counts(200, 199, 199);
	enter(LEAF, 0x7fc0, 3); /* inlined into itself, perhaps */
	assert_int_equal(thread.depth, 2);
}

CASE(call_is_over_when_one_begins_far_above, setup)
{
	enter(RUN, 0x8000, 1);
	enter(LEAF, 0x6000, 2);
	enter(LEAF, 0x7fc0, 3);
	assert_int_equal(thread.depth, 2);
	assert_emitted(0, LEAF, FRT_PROBE_UNSEEN);
	assert_int_equal(thread.open[0].method, RUN);
}

/* An interpreted method that is compiled in a loop: its frame becomes smaller, and those of its callees lie above its own. */
CASE(caller_whose_frame_shrinks_stays_open, setup)
{
	enter(RUN, 0x7f00, 1);
	enter(LEAF, 0x7f40, 2);
	leave(LEAF, 0x7f40);
	leave(RUN, 0x7f80);
	assert_int_equal(emits, 2);
	assert_emitted(1, RUN, 0);
	assert_counts(2, 2, 0);
}

CASE(exit_ends_the_call_of_the_nearest_frame, setup)
{
	enter(RUN, 0x8000, 1);
	enter(RUN, 0x7f80, 1); /* left by an exception */
	leave(RUN, 0x7ff8);
	assert_emitted(0, RUN, FRT_PROBE_UNSEEN);
	assert_emitted(1, RUN, 0);
	assert_int_equal(thread.depth, 0);
}

CASE(exit_of_an_earlier_call_is_nothing, setup)
{
	enter(RUN, 0x8000, 1);
	leave(LEAF, 0x8100);
	assert_int_equal(thread.depth, 1);
	assert_int_equal(counts.early_exits, 1);
	assert_counts(1, 0, 0);
}

CASE(calls_that_are_too_deep_are_counted, setup)
{
	const __u64 top = 0x100000;

	for (unsigned int i = 0; i < FRT_PROBE_DEPTH + 5; i++)
		enter(RUN, top - i * 64, 1);
	assert_int_equal(counts.deep, 5);
	for (unsigned int i = FRT_PROBE_DEPTH + 5; i-- > 0;)
		leave(RUN, top - i * 64);
	assert_int_equal(emits, FRT_PROBE_DEPTH);
	assert_int_equal(counts.early_exits, 0);
	assert_counts(FRT_PROBE_DEPTH + 5, FRT_PROBE_DEPTH + 5, 0);
	assert_int_equal(thread.depth, 0);
}

/* An exception leaves all of them, caught by the outermost one. */
CASE(deep_calls_end_with_their_caller, setup)
{
	for (unsigned int i = 0; i < FRT_PROBE_DEPTH + 5; i++)
		enter(i ? LEAF : RUN, 0x100000 - i * 64, 1);
	leave(RUN, 0x100000);
	assert_int_equal(emits, FRT_PROBE_DEPTH);
	assert_counts(FRT_PROBE_DEPTH + 5, FRT_PROBE_DEPTH + 5, FRT_PROBE_DEPTH - 1);
	assert_int_equal(thread.deep, 0);
}

CASE(short_call_is_counted_only, setup)
{
	enter(RUN, 0x8000, 1);
	leave_after(RUN, 0x8000, 1000);
	assert_int_equal(emits, 0);
	assert_counts(1, 1, 0);
}

CASE(call_without_room_in_the_queue_is_counted, setup)
{
	queue_is_full = true;
	enter(RUN, 0x8000, 1);
	enter(LEAF, 0x7f00, 2);
	leave(RUN, 0x8000); /* LEAF is over, too */
	assert_int_equal(counts.unrecorded, 1);
	assert_counts(2, 2, 1);
}

CASE(thread_that_comes_back_is_another_one, setup)
{
	meet_thread(NULL, &thread, &counts, 0);
	meet_thread(NULL, &thread, &counts, 20);
	assert_int_equal(thread.thread, 7);
	thread.known = 1;
	enter(RUN, 0x8000, 1);
	meet_thread(NULL, &thread, &counts, 20);
	meet_thread(NULL, &thread, &counts, 0);
	assert_int_equal(thread.thread, 7);
	assert_int_equal(thread.known, 1);
	assert_int_equal(emits, 0);
	meet_thread(NULL, &thread, &counts, 21);
	assert_int_equal(thread.thread | thread.known | thread.depth, 0);
	assert_int_equal(emits, 1);
	assert_emitted(0, RUN, FRT_PROBE_UNSEEN); /* by the old serial */
	assert_counts(1, 1, 1);
}

/* The java.lang.Thread of a thread that attaches has no id before its constructor has run. */
CASE(thread_is_reported_again_when_it_has_got_its_id, setup)
{
	thread.known = 1;
	meet_thread(NULL, &thread, &counts, 20);
	assert_int_equal(thread.thread, 7);
	assert_int_equal(thread.known, 0);
}
