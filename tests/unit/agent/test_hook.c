// SPDX-License-Identifier: BSD-2-Clause
/*
 * What happens on each call, in this process: `enter` and `leave` as rewritten methods call them, and the
 * resulting control segment. The last test reads what the agent wrote with the collector's own sweep.
 */
#include "tests/unit/agent/hook_calls.h"
#include "user/capture/stream.h"
#include "user/process/machine/machine.h"

#include <pthread.h>

static void set_threshold(uint64_t ticks)
{
	for (uint32_t method = 0; method < 100; method++)
		*control_rule(0, method) = ticks << FRT_RULE_SHIFT;
}

CASE(finished_call_becomes_a_span, setup)
{
	uint64_t before = sys_tsc(), after, head;
	struct frt_slot *s;
	struct frt_span r;
	jlong start;

	next_tick();
	start = hook_enter(env, NULL, 17);
	s = slot_find(env);
	assert_non_null(s);
	head = s->head;
	assert_int_equal(s->depth, 1);
	assert_int_equal(s->open[0].start, start);
	assert_int_equal(s->open[0].method, 17);
	hook_leave(env, NULL, start, 17);
	next_tick();
	after = sys_tsc();
	assert_int_equal(s->depth, 0);
	assert_int_equal(s->head, head + FRT_RECORD_SIZE);
	r = last(s, 0);
	assert_int_equal(r.start, start);
	assert_true(r.start > before && r.duration > 0 && r.start + r.duration < after);
	assert_int_equal(r.method, 17);
	assert_int_equal(r.thread, s->thread);
	assert_int_equal(r.kind, FRT_SPAN);
	assert_int_equal(r.flags, 0);
	assert_int_equal(r.stack, 0);
	assert_int_equal(s->entered, 1);
	assert_int_equal(s->exited, 1);
	assert_int_equal(s->recorded, 1);
	assert_int_equal(s->thrown, 0);
	assert_int_equal(s->longest, r.duration);
}

/* Calls are known by their stamps, and the lowest bit is not theirs; see virtual_calls.c. */
CASE(stamps_of_a_thread_rise_however_short_its_calls_are, setup)
{
	uint64_t end = 0;

	for (int i = 0; i < 10000; i++) {
		jlong outer = hook_enter(env, NULL, 1), inner = hook_enter(env, NULL, 2);
		struct frt_span r[2];

		hook_leave(env, NULL, inner, 2);
		hook_leave(env, NULL, outer, 1);
		r[0] = last(slot_find(env), 0);
		r[1] = last(slot_find(env), 1);
		assert_true(end < r[0].start >> 1 && r[0].start >> 1 < r[1].start >> 1);
		assert_true(r[1].start >> 1 < (r[1].start + r[1].duration) >> 1);
		end = (r[0].start + r[0].duration) >> 1;
		assert_true((r[1].start + r[1].duration) >> 1 < end);
	}
}

CASE(stamps_of_a_thread_rise_where_its_next_processor_is_behind, setup)
{
	struct frt_slot *s = call(1);
	uint64_t ahead = sys_tsc() + 20000;

	nesting_of(s)->stamp = ahead;
	call(1);
	assert_true(last(s, 0).start >> 1 > ahead >> 1);
	assert_true(last(s, 0).duration >= 2);
}

CASE(stamps_go_on_after_the_clock_was_set_back, setup)
{
	struct frt_slot *s = call(1);
	uint64_t before = sys_tsc();

	nesting_of(s)->stamp = before + (1ull << 50);
	call(1);
	assert_in_range(last(s, 0).start, before, sys_tsc());
}

CASE(thrown_call_is_marked, setup)
{
	struct frt_slot *s;

	hook_thrown(env, NULL, hook_enter(env, NULL, 5), 5);
	s = call(6);
	assert_int_equal(last(s, 1).flags, FRT_SPAN_THROWN);
	assert_int_equal(last(s, 0).flags, 0);
	assert_int_equal(s->thrown, 1);
	assert_int_equal(s->exited, 2);
}

CASE(without_a_listener_nothing_is_recorded, setup)
{
	frtrace_drain_semaphore = 0;
	assert_int_equal(hook_enter(env, NULL, 1), 0);
	hook_leave(env, NULL, 0, 1);
	hook_leave(env, NULL, sys_tsc(), 1);
	assert_null(slot_find(env));
	assert_int_equal(control->recording[0].unslotted, 0);
}

CASE(each_half_ring_measures_the_cost_of_a_span, setup)
{
	uint64_t began = sys_tsc(), spans = (1u << FRT_RING_FIRST_LOG2) / 2 / FRT_RECORD_SIZE;
	struct frt_slot *s;

	for (uint64_t i = 1; i < spans; i++)
		s = call(3);
	assert_int_equal(s->record_ticks, 0);
	call(3);
	assert_in_range(s->record_ticks, 1, 1024); /* an outlier in the first one was interrupted */
	assert_true(s->record_ticks < sys_tsc() - began);
	s->record_ticks = 1000000;
	for (uint64_t i = 0; i < spans; i++)
		call(3);
	assert_in_range(s->record_ticks, 875000, 999999);
	s->record_ticks = 8; /* one preempted call raises it by at most an eighth */
	for (uint64_t i = 0; i < spans; i++)
		call(3);
	assert_in_range(s->record_ticks, tsc_step() ? 7 : 9, 9);
}

CASE(call_from_before_the_recording_is_not_recorded, setup)
{
	jlong early = hook_enter(env, NULL, 1);
	struct frt_slot *s = slot_find(env);
	uint64_t head = s->head;

	control_since = sys_tsc();
	hook_leave(env, NULL, early, 1);
	hook_leave(env, NULL, 0, 1); /* entered without a listener */
	assert_int_equal(s->head, head);
	assert_int_equal(s->exited, 0);
	call(1);
	assert_int_equal(s->exited, 1);
}

CASE(call_from_before_the_recording_is_not_open, setup)
{
	jlong early;

	call(1);
	control_since = UINT64_MAX;
	early = hook_enter(env, NULL, 1);
	control_since = 1;
	assert_int_equal(slot_find(env)->depth, 0);
	hook_leave(env, NULL, early, 1);
	assert_int_equal(slot_find(env)->exited, 1);
	assert_int_equal(slot_find(env)->depth, 0);
}

CASE(call_below_the_threshold_is_counted_but_not_recorded, setup)
{
	struct frt_slot *s = call(1);
	uint64_t head = s->head;

	set_threshold(UINT64_MAX / 8);
	for (int i = 0; i < 100; i++)
		call(1);
	assert_int_equal(s->head, head);
	assert_int_equal(s->exited, 101);
	assert_int_equal(s->recorded, 1);
	assert_int_equal(s->unrecorded, 0);
	hook_leave(env, NULL, 2, 1); /* one that began at tick 2 is the longest */
	set_threshold(0);
	assert_true(s->longest > sys_tsc() / 2);
}

CASE(call_at_the_threshold_is_recorded, setup)
{
	struct frt_slot *s;

	set_threshold(1000000);
	hook_leave(env, NULL, sys_tsc() - 1000000, 1); /* some more ticks have passed by now */
	s = slot_find(env);
	assert_int_equal(s->recorded, 1);
}

CASE(thread_without_records_gets_no_ring, setup)
{
	set_threshold(UINT64_MAX / 8);
	call(1);
	assert_int_equal(slot_find(env)->exited, 1);
	assert_int_equal(slot_find(env)->ring, 0);
	assert_int_equal(control->ring_used, 0);
}

CASE(nested_calls_form_a_stack, setup)
{
	jlong a = hook_enter(env, NULL, 1), b = hook_enter(env, NULL, 2), c = hook_enter(env, NULL, 3);
	struct frt_slot *s = slot_find(env);

	assert_int_equal(s->depth, 3);
	assert_int_equal(s->open[1].start, b);
	assert_int_equal(s->open[2].method, 3);
	hook_leave(env, NULL, c, 3);
	hook_leave(env, NULL, b, 2);
	assert_int_equal(s->depth, 1);
	hook_leave(env, NULL, a, 1);
	assert_int_equal(s->depth, 0);
	assert_int_equal(s->lost_exits + s->moved_exits, 0);
}

CASE(calls_beyond_the_kept_depth_are_counted, setup)
{
	enum { DEEP = 3 * FRT_OPEN_CALLS };
	jlong start[DEEP];
	struct frt_slot *s;

	for (int i = 0; i < DEEP; i++)
		start[i] = hook_enter(env, NULL, i + 1);
	s = slot_find(env);
	assert_int_equal(s->depth, DEEP);
	assert_int_equal(s->open[FRT_OPEN_CALLS - 1].method, FRT_OPEN_CALLS);
	assert_int_equal(s[1].env | s[1].thread_pointer | s[1].head | s[1].ring, 0); /* the next slot */
	for (int i = DEEP; i-- > 0;) {
		hook_leave(env, NULL, start[i], i + 1);
		assert_int_equal(s->depth, i);
	}
	assert_int_equal(s->exited, DEEP);
	assert_int_equal(s->lost_exits + s->moved_exits, 0);
}

CASE(lost_exits_are_found_at_the_next_outer_exit, setup)
{
	jlong a = hook_enter(env, NULL, 1), b = hook_enter(env, NULL, 2);
	struct frt_slot *s = slot_find(env);

	for (int i = 0; i < 5; i++)
		hook_enter(env, NULL, 3); /* ended by a StackOverflowError */
	hook_thrown(env, NULL, b, 2);
	assert_int_equal(s->depth, 1);
	assert_int_equal(s->lost_exits, 5);
	hook_leave(env, NULL, a, 1);
	assert_int_equal(s->depth, 0);
	assert_int_equal(s->entered, s->exited + s->lost_exits);
	assert_int_equal(s->moved_exits, 0);
}

CASE(lost_exits_beyond_the_kept_depth_are_found, setup)
{
	jlong first = hook_enter(env, NULL, 1), deep = 0;
	struct frt_slot *s = slot_find(env);

	for (unsigned int i = 0; i < 2 * FRT_OPEN_CALLS; i++)
		deep = hook_enter(env, NULL, 2);
	for (int i = 0; i < 10; i++)
		hook_enter(env, NULL, 3);
	hook_thrown(env, NULL, deep, 2); /* indistinguishable from the innermost */
	hook_leave(env, NULL, first, 1);
	assert_int_equal(s->depth, 0);
	assert_int_equal(s->entered, s->exited + s->lost_exits);
	assert_int_equal(s->moved_exits, 0);
}

CASE(exit_of_a_call_entered_elsewhere_is_recognised, setup)
{
	jlong mine = hook_enter(env, NULL, 1);
	struct frt_slot *s = slot_find(env);

	hook_leave(env, NULL, sys_tsc(), 9); /* a virtual thread that moved here */
	assert_int_equal(s->moved_exits, 1);
	assert_int_equal(s->depth, 1);
	assert_int_equal(last(s, 0).method, 9);
	hook_leave(env, NULL, mine, 1);
	hook_leave(env, NULL, sys_tsc(), 9); /* no call is open */
	assert_int_equal(s->depth, 0);
	assert_int_equal(s->moved_exits, 2);
	assert_int_equal(s->lost_exits, 0);
}

CASE(parked_call_is_not_lost_when_another_virtual_thread_ends_a_call_below, setup)
{
	struct frt_slot *s;
	jlong below, parks;

	new_flags = FRT_SLOT_CARRIER;
	below = hook_enter(env, NULL, 1);
	parks = hook_enter(env, NULL, 1);
	s = slot_find(env);
	hook_leave(env, NULL, below, 1);
	assert_int_equal(s->lost_exits, 0);
	hook_leave(env, NULL, parks, 1);
	assert_int_equal(s->exited, s->entered);
	assert_int_equal(s->lost_exits, 0);
}

CASE(each_half_of_the_ring_is_drained, setup)
{
	struct frt_slot *s = call(1);
	uint64_t half = ring_size(s) / 2;

	for (int i = 0; i < 200; i++) {
		call(1);
		assert_int_equal(s->drained, s->head & ~(half - 1));
	}
	assert_int_equal(ring_size(s) / 2, half); /* grow_ticks is 0 */
}

CASE(ring_of_a_busy_thread_grows_and_loses_nothing, setup)
{
	struct frt_slot *s;
	uint64_t sizes = 0;

	ring_grow_ticks = UINT64_MAX;
	s = call(1);
	for (jint i = 2; i < 3000; i++) {
		uint64_t before = ring_size(s), had;

		call(i);
		sizes |= before;
		had = s->head < before ? s->head : before;
		for (uint64_t n = 0; n < had / FRT_RECORD_SIZE; n++)
			assert_int_equal(last(s, n).method, i - n);
	}
	assert_int_equal(sizes, 1024 | 2048 | 4096 | 8192 | 1 << FRT_RING_MAX_LOG2);
}

CASE(ring_of_a_calm_thread_stays_small, setup)
{
	struct frt_slot *s;
	uint64_t size;

	ring_grow_ticks = 1;
	s = call(1);
	size = ring_size(s);
	for (int i = 0; i < 1000; i++)
		call(1);
	assert_int_equal(ring_size(s), size);
}

CASE(call_without_memory_for_a_ring_is_counted_as_unrecorded, setup)
{
	struct frt_slot *s;

	control->ring_cap = 0;
	for (int i = 0; i < 3; i++)
		s = call(1);
	assert_int_equal(s->unrecorded, 3);
	assert_int_equal(s->exited, 3);
	assert_int_equal(s->recorded, 0);
	assert_int_equal(s->head, 0);
}

CASE(call_of_a_thread_without_a_slot_is_counted, setup)
{
	control->slots = FRT_MAX_SLOTS;
	call(1);
	hook_thrown(env, NULL, hook_enter(env, NULL, 1), 1);
	assert_int_equal(control->recording[0].unslotted, 2);
	assert_null(slot_find(env));
}

CASE(span_of_a_virtual_thread_follows_its_name, setup)
{
	struct frt_slot *s;

	new_flags = FRT_SLOT_CARRIER;
	running = (struct thread_virtual){77, 5};
	s = call(1);
	assert_int_equal(last(s, 1).kind, FRT_VTHREAD);
	assert_int_equal(last(s, 0).flags, FRT_SPAN_VIRTUAL);
	hook_thrown(env, NULL, hook_enter(env, NULL, 2), 2);
	assert_int_equal(last(s, 1).kind, FRT_SPAN); /* not named again */
	assert_int_equal(last(s, 0).flags, FRT_SPAN_VIRTUAL | FRT_SPAN_THROWN);
	assert_int_equal(s->thrown, 1);
	assert_int_equal(s->recorded, 2);
	running.java_id = 0; /* the carrier itself */
	call(3);
	assert_int_equal(last(s, 0).flags, 0);
}

/* So that a lost half does not take the name along. */
CASE(virtual_thread_is_named_again_in_each_half, setup)
{
	struct frt_slot *s;
	unsigned int names = 0, halves;

	new_flags = FRT_SLOT_CARRIER;
	running = (struct thread_virtual){77, 5};
	s = call(1);
	halves = ring_size(s) / 2 / FRT_RECORD_SIZE;
	for (uint64_t i = 0; i < 40; i++) {
		uint64_t head = s->head;

		call(1);
		names += s->head - head > FRT_RECORD_SIZE;
	}
	assert_true(names >= 40 / halves);
}

/* Checks what the sweep delivers: each thread's calls in order of their number. */
struct reader {
	uint64_t next[8], spans, bad;
};

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	struct reader *reader = context;

	for (; n--; s++) {
		uint32_t thread = s->method >> 24, number = s->method & 0xffffff;

		reader->spans++;
		if (thread >= 8 || number < reader->next[thread])
			reader->bad++;
		else
			reader->next[thread] = number + 1;
	}
}

static void on_cover(void *context, uint64_t tsc)
{
}

enum { THREADS = 4, CALLS = 60000 };
static unsigned int left;

static void *make_calls(void *argument)
{
	JNIEnv *mine = (JNIEnv *)(0x7f5500000000 + (uintptr_t)argument * 0x3c0);

	for (jint i = 0; i < CALLS; i++) {
		jint method = (jint)(uintptr_t)argument << 24 | i;

		hook_leave(mine, NULL, hook_enter(mine, NULL, method), method);
	}
	__atomic_sub_fetch(&left, 1, __ATOMIC_RELEASE);
	return NULL;
}

CASE(sweep_reads_what_threads_write, setup)
{
	struct segment seg = {.fd = -1, .base = (char *)control};
	struct streams *streams = calloc(1, sizeof(*streams));
	struct reader reader = {0};
	struct stream_sink sink = {on_spans, on_cover, &reader};
	struct segment_totals t;
	pthread_t thread[THREADS];

	assert_non_null(streams);
	streams_init(streams, &sink);
	sweep_begin(&seg, streams);
	ring_grow_ticks = UINT64_MAX;
	left = THREADS;
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, make_calls, (void *)i), 0);
	while (__atomic_load_n(&left, __ATOMIC_ACQUIRE)) {
		const struct frt_slot *s;

		sweep(&seg, streams);
		for (uint32_t i = 0; (s = segment_slot(&seg, i)); i++) { /* what the queue would have delivered */
			uint64_t head = load_acquire(&s->head);

			if (head > streams->next[i] + (1 << FRT_RING_MAX_LOG2))
				streams_give_up(streams, i, head - 1024);
		}
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	sweep_finish(&seg, streams);
	segment_totals(&seg, &t);
	assert_int_equal(t.entered, THREADS * CALLS);
	assert_int_equal(t.exited, THREADS * CALLS);
	assert_int_equal(t.recorded, THREADS * CALLS);
	assert_int_equal(t.lost_exits + t.moved_exits + t.open, 0);
	assert_int_equal(reader.bad, 0);
	assert_int_equal(reader.spans + streams->lost, t.recorded);
	assert_int_equal(streams->malformed, 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(reader.next[i], CALLS); /* the last one of each is there */
	streams_release(streams);
	free(streams);
}
