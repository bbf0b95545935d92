// SPDX-License-Identifier: BSD-2-Clause
/* Spans of roots that are kept, dropped, open, lost, or spread over several streams. A span's method is its number. */
#include "user/capture/roots.h"
#include "user/capture/stream.h"
#include "tests/lib/fake_streams.h"
#include "tests/lib/test.h"

#define LIMIT 100

static struct streams *streams;
static char
	seen[4096]; /* "1 2 3": the numbers of the spans that came, "4+" one with values, "v5" of a virtual thread */
static uint64_t covered;

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	size_t values = n - stream_spans(s, n);

	for (size_t i = 0; i < stream_spans(s, n); i++) {
		assert_int_equal(s[i].kind, FRT_SPAN);
		assert_true(s[i].start + s[i].duration <= covered);
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s%s%u%.*s", seen[0] ? " " : "",
			 v ? "v" : "", s[i].method, (int)values, "++++");
	}
}

static void on_cover(void *context, uint64_t tsc)
{
	covered = tsc > covered ? tsc : covered;
}

static int setup(void **state)
{
	struct stream_sink sink = {on_spans, on_cover, NULL};

	seen[0] = 0;
	covered = 0;
	streams = fake_streams_new(&sink);
	if (streams)
		streams->roots = roots_new(&sink, LIMIT);
	return streams && streams->roots ? 0 : -1;
}

static int teardown(void **state)
{
	roots_free(streams->roots);
	fake_streams_free(streams);
	return 0;
}

static void put(uint32_t slot, const void *record)
{
	_Alignas(8) char copy[FRT_RECORD_SIZE];

	memcpy(copy, record, sizeof(copy));
	streams_feed(streams, slot, streams->next[slot], copy, sizeof(copy));
}

/* A root that began at 1000 and is kept if a call ends at 1000 + needed. */
static void begins(uint32_t slot, uint64_t number, uint64_t needed, uint16_t flags)
{
	put(slot, &(struct frt_root){.number = number,
				     .start = 1000,
				     .needed = needed,
				     .kind = FRT_ROOT,
				     .flags = FRT_ROOT_OPEN | flags});
}

static void ends(uint32_t slot, uint64_t number, uint64_t spans, uint16_t flags)
{
	put(slot, &(struct frt_root){.number = number, .start = spans, .kind = FRT_ROOT, .flags = flags});
}

/* A span that ends 10 after `start`. */
static void span(uint32_t slot, uint32_t number, uint64_t start, uint16_t flags)
{
	put(slot,
	    &(struct frt_span){.start = start, .duration = 10, .method = number, .kind = FRT_SPAN, .flags = flags});
}

/* A native call, which comes by the queue. */
static void native(uint64_t root, uint32_t number, uint64_t start, uint64_t due)
{
	struct frt_span s = {
		.start = start, .duration = 10, .method = number, .kind = FRT_SPAN, .flags = FRT_SPAN_NATIVE};

	roots_take_native(streams->roots, root, due, &s, NULL);
}

/* The number of a root of the thread in this slot. */
static uint64_t root_of(uint32_t slot, uint64_t number)
{
	return (uint64_t)(slot + 1) << FRT_ROOT_SLOT_SHIFT | number;
}

static void value(uint32_t slot, uint16_t flags)
{
	put(slot, &(struct frt_field){.form = FRT_FORM_INTEGER, .size = 8, .kind = FRT_FIELD, .flags = flags});
}

static const struct roots_counts *counts(void)
{
	return roots_counts(streams->roots);
}

CASE(spans_wait_for_the_end_of_their_root, setup, teardown)
{
	begins(1, 7, FRT_ROOT_NEVER, 0);
	span(1, 1, 2000, 0);
	span(1, 2, 2100, 0);
	assert_string_equal(seen, "");
	ends(1, 7, 2, FRT_ROOT_KEPT);
	assert_string_equal(seen, "1 2");
	span(1, 3, 1000, FRT_SPAN_ROOT);
	begins(1, 8, FRT_ROOT_NEVER, 0);
	span(1, 4, 3000, 0);
	ends(1, 8, 1, FRT_ROOT_DROPPED);
	assert_string_equal(seen, "1 2 3");
	roots_finish(streams->roots);
	assert_string_equal(seen, "1 2 3");
	assert_int_equal(counts()->torn + counts()->excess + counts()->open, 0);
}

#define LAST_TASK (FRT_ROOT_UNTIL | FRT_ROOT_TASKS | FRT_ROOT_VIRTUAL)

/* The last task of the root ends at 9000, in the stream of another thread. */
static void decided(uint32_t slot, uint64_t number, uint16_t verdict)
{
	put(slot, &(struct frt_root){.number = number, .needed = 9000, .kind = FRT_ROOT, .flags = LAST_TASK | verdict});
}

/* A root whose own call ends, with its span, before its tasks. */
static void waits(uint32_t slot, uint64_t number, uint32_t own)
{
	put(slot, &(struct frt_root){.number = number, .kind = FRT_ROOT, .flags = FRT_ROOT_UNTIL | FRT_ROOT_TASKS});
	span(slot, own, 1000, FRT_SPAN_ROOT);
}

CASE(root_with_tasks_waits_for_its_last_one, setup, teardown)
{
	begins(1, root_of(1, 7), FRT_ROOT_NEVER, 0);
	span(1, 1, 2000, 0);
	waits(1, root_of(1, 7), 2);
	begins(1, root_of(1, 8), FRT_ROOT_NEVER, 0);
	span(1, 3, 3000, 0);
	waits(1, root_of(1, 8), 4);
	begins(1, root_of(1, 9), FRT_ROOT_NEVER, 0);
	span(1, 5, 4000, 0);
	ends(1, root_of(1, 9), 1, FRT_ROOT_KEPT);
	span(1, 6, 1000, FRT_SPAN_ROOT);
	assert_string_equal(seen, "5 6");
	decided(2, root_of(1, 7), FRT_ROOT_KEPT);
	assert_string_equal(seen, "5 6 1 2+");
	decided(2, root_of(1, 8), FRT_ROOT_DROPPED);
	roots_finish(streams->roots);
	assert_string_equal(seen, "5 6 1 2+");
	assert_int_equal(counts()->torn + counts()->excess + counts()->open, 0);
}

/* A root without calls inside writes nothing but its own span, here just behind that of one that waits for a task. */
CASE(span_of_the_next_root_is_not_taken_for_a_waiting_ones, setup, teardown)
{
	_Alignas(8) struct frt_span both[2] = {
		{.start = 1000, .duration = 10, .method = 2, .kind = FRT_SPAN, .flags = FRT_SPAN_ROOT},
		{.start = 2000, .duration = 10, .method = 3, .kind = FRT_SPAN, .flags = FRT_SPAN_ROOT}};

	begins(1, root_of(1, 7), FRT_ROOT_NEVER, 0);
	put(1, &(struct frt_root){.number = root_of(1, 7), .kind = FRT_ROOT, .flags = FRT_ROOT_UNTIL | FRT_ROOT_TASKS});
	streams_feed(streams, 1, streams->next[1], (const char *)both, sizeof(both));
	assert_string_equal(seen, "3");
	decided(2, root_of(1, 7), FRT_ROOT_KEPT);
	assert_string_equal(seen, "3 2+");
	assert_int_equal(counts()->torn + counts()->excess + counts()->open, 0);
}

/* Streams are read one after the other. */
CASE(last_task_may_be_read_before_its_root, setup, teardown)
{
	decided(2, root_of(1, 7), FRT_ROOT_KEPT);
	decided(2, root_of(1, 8), FRT_ROOT_DROPPED);
	begins(1, root_of(1, 7), FRT_ROOT_NEVER, 0);
	span(1, 1, 2000, 0);
	waits(1, root_of(1, 7), 2);
	begins(1, root_of(1, 8), FRT_ROOT_NEVER, 0);
	span(1, 3, 2000, 0);
	waits(1, root_of(1, 8), 4);
	roots_finish(streams->roots);
	assert_string_equal(seen, "1 2+");
	assert_int_equal(counts()->torn + counts()->excess + counts()->open, 0);
}

/* The decision about the first one is lost. */
CASE(roots_wait_for_their_tasks_until_many_others_do, setup, teardown)
{
	begins(1, root_of(1, 7), FRT_ROOT_NEVER, 0);
	span(1, 1, 2000, 0);
	waits(1, root_of(1, 7), 2);
	for (uint32_t i = 0; i < 1u << 14; i++) {
		assert_int_equal(counts()->torn, 0);
		put(2, &(struct frt_root){.number = root_of(2, 1 + i),
					  .kind = FRT_ROOT,
					  .flags = FRT_ROOT_UNTIL | FRT_ROOT_TASKS});
	}
	assert_int_equal(counts()->torn, 2);
	for (uint32_t i = 0; i < 1u << 14; i++)
		decided(3, root_of(2, 1 + i), FRT_ROOT_DROPPED);
	roots_finish(streams->roots);
	assert_string_equal(seen, "");
	assert_int_equal(counts()->torn, 2);
	assert_int_equal(counts()->open, 0);
}

CASE(root_waits_for_its_tasks_while_many_others_end, setup, teardown)
{
	begins(1, root_of(1, 7), FRT_ROOT_NEVER, 0);
	span(1, 1, 2000, 0);
	waits(1, root_of(1, 7), 2);
	for (uint32_t i = 0; i < 1u << 15; i++) {
		put(2, &(struct frt_root){.number = root_of(2, 1 + i),
					  .kind = FRT_ROOT,
					  .flags = FRT_ROOT_UNTIL | FRT_ROOT_TASKS});
		decided(3, root_of(2, 1 + i), FRT_ROOT_DROPPED);
	}
	decided(3, root_of(1, 7), FRT_ROOT_KEPT);
	assert_string_equal(seen, "1 2+");
	assert_int_equal(counts()->torn, 0);
}

CASE(root_whose_tasks_have_not_ended_is_kept_at_the_end, setup, teardown)
{
	begins(1, root_of(1, 7), FRT_ROOT_NEVER, 0);
	span(1, 1, 2000, 0);
	waits(1, root_of(1, 7), 2);
	roots_finish(streams->roots);
	assert_string_equal(seen, "1 2");
	assert_int_equal(counts()->open, 1);
}

CASE(root_that_is_long_enough_does_not_wait, setup, teardown)
{
	begins(1, 7, 500, 0);
	span(1, 1, 1100, 0);
	span(1, 2, 1489, 0);
	assert_string_equal(seen, "");
	span(1, 3, 1490, 0);
	assert_string_equal(seen, "1 2 3");
	span(1, 4, 1600, 0);
	assert_string_equal(seen, "1 2 3 4");
	begins(2, 9, 0, 0);
	span(2, 5, 1100, 0);
	assert_string_equal(seen, "1 2 3 4 5");
}

CASE(roots_of_other_streams_do_not_mix, setup, teardown)
{
	begins(1, 7, FRT_ROOT_NEVER, 0);
	span(1, 1, 2000, 0);
	begins(2, 8, FRT_ROOT_NEVER, 0);
	span(2, 2, 2000, 0);
	span(1, 3, 2100, 0);
	ends(2, 8, 1, FRT_ROOT_DROPPED);
	ends(1, 7, 2, FRT_ROOT_KEPT);
	assert_string_equal(seen, "1 3");
}

CASE(values_stay_with_their_spans, setup, teardown)
{
	begins(1, 7, FRT_ROOT_NEVER, 0);
	for (uint32_t i = 1; i <= 12; i++) { /* more than the first batch has room for */
		span(1, i, 2000 + i, i % 2 ? FRT_SPAN_FIELDS : 0);
		if (i % 2)
			value(1, 0), value(1, FRT_FIELD_LAST);
	}
	ends(1, 7, 12, FRT_ROOT_KEPT);
	assert_string_equal(seen, "1++ 2 3++ 4 5++ 6 7++ 8 9++ 10 11++ 12");
}

CASE(spans_of_a_virtual_thread_come_from_several_streams, setup, teardown)
{
	begins(1, 7, FRT_ROOT_NEVER, FRT_ROOT_VIRTUAL);
	span(1, 1, 2000, FRT_SPAN_VIRTUAL);
	begins(1, 8, FRT_ROOT_NEVER, FRT_ROOT_VIRTUAL);
	span(1, 2, 2100, FRT_SPAN_VIRTUAL);
	begins(2, 7, FRT_ROOT_NEVER, FRT_ROOT_VIRTUAL);
	span(2, 3, 2200, FRT_SPAN_VIRTUAL);
	ends(2, 7, 2, FRT_ROOT_KEPT | FRT_ROOT_VIRTUAL);
	assert_string_equal(seen, "v1 v3");
	ends(1, 8, 1, FRT_ROOT_DROPPED | FRT_ROOT_VIRTUAL);
	assert_string_equal(seen, "v1 v3");
}

CASE(end_may_come_before_the_last_spans, setup, teardown)
{
	for (uint32_t kept = 0; kept < 2; kept++) {
		ends(3, 7 + kept, 2, (kept ? FRT_ROOT_KEPT : FRT_ROOT_DROPPED) | FRT_ROOT_VIRTUAL);
		begins(1, 7 + kept, FRT_ROOT_NEVER, FRT_ROOT_VIRTUAL);
		span(1, 1 + kept, 2000, FRT_SPAN_VIRTUAL);
		begins(2, 7 + kept, FRT_ROOT_NEVER, FRT_ROOT_VIRTUAL);
		span(2, 3 + kept, 2000, FRT_SPAN_VIRTUAL);
	}
	assert_string_equal(seen, "v2 v4");
	roots_finish(streams->roots);
	assert_string_equal(seen, "v2 v4");
	assert_int_equal(counts()->open, 0);
}

CASE(open_roots_are_kept_at_the_end, setup, teardown)
{
	begins(1, 7, FRT_ROOT_NEVER, 0);
	span(1, 1, 2000, 0);
	roots_finish(streams->roots);
	assert_string_equal(seen, "1");
	assert_int_equal(counts()->open, 1);
}

CASE(lost_end_drops_the_root_and_is_counted, setup, teardown)
{
	begins(1, root_of(1, 7), FRT_ROOT_NEVER, 0);
	span(1, 1, 2000, 0);
	streams_give_up(streams, 1, streams->next[1] + 3 * FRT_RECORD_SIZE);
	span(1, 2, 2100, 0); /* of an unknown root */
	assert_int_equal(counts()->torn, 1);
	begins(1, root_of(1, 8), FRT_ROOT_NEVER, 0);
	assert_int_equal(counts()->torn, 2);
	span(1, 3, 2200, 0);
	ends(1, root_of(1, 8), 1, FRT_ROOT_KEPT);
	span(1, 4, 1000, FRT_SPAN_ROOT);
	assert_string_equal(seen, "3 4");
}

CASE(root_goes_on_behind_a_gap, setup, teardown)
{
	begins(1, 7, FRT_ROOT_NEVER, 0);
	span(1, 1, 2000, 0);
	streams_give_up(streams, 1, streams->next[1] + 3 * FRT_RECORD_SIZE);
	begins(1, 7, FRT_ROOT_NEVER, 0); /* named again in each half */
	span(1, 2, 2100, 0);
	ends(1, 7, 5, FRT_ROOT_KEPT);
	assert_string_equal(seen, "1 2");
	assert_int_equal(counts()->torn, 0);
}

CASE(held_spans_are_bounded_and_the_others_counted, setup, teardown)
{
	begins(1, 7, FRT_ROOT_NEVER, 0);
	for (uint32_t i = 0; i < LIMIT + 20; i++)
		span(1, 1, 2000 + i, 0);
	assert_int_equal(counts()->excess, 20);
	ends(1, 7, LIMIT + 20, FRT_ROOT_KEPT);
	assert_int_equal(strlen(seen), 2 * LIMIT - 1);
	begins(1, 8, FRT_ROOT_NEVER, 0); /* there is room again */
	span(1, 2, 3000, 0);
	ends(1, 8, 1, FRT_ROOT_KEPT);
	assert_int_equal(strlen(seen), 2 * LIMIT + 1);
}

CASE(forged_roots_take_bounded_memory, setup, teardown)
{
	for (uint64_t i = 1; i < 200000; i++) {
		begins(i % FRT_MAX_SLOTS, i, FRT_ROOT_NEVER, FRT_ROOT_VIRTUAL);
		span(i % FRT_MAX_SLOTS, 1, 2000, FRT_SPAN_VIRTUAL);
		ends((i + 1) % FRT_MAX_SLOTS, i + 1000000, 5, FRT_ROOT_DROPPED | FRT_ROOT_VIRTUAL);
	}
	assert_int_equal(counts()->excess + counts()->torn, 199999 - LIMIT);
	begins(0, 0, 0, 0);
	ends(0, 0, 0, 0xffff);
}

CASE(native_calls_wait_for_the_end_of_their_root, setup, teardown)
{
	native(7, 1, 2000, 0);
	begins(1, 7, FRT_ROOT_NEVER, 0);
	span(1, 2, 2010, 0);
	native(7, 3, 2020, 0);
	native(8, 4, 3000, 0); /* the next root, whose end comes by the queue, too */
	assert_string_equal(seen, "");
	ends(1, 7, 1, FRT_ROOT_KEPT);
	assert_string_equal(seen, "1 2 3");
	ends(1, 8, 0, FRT_ROOT_DROPPED);
	native(9, 5, 4000, 0);
	ends(1, 9, 0, FRT_ROOT_KEPT);
	assert_string_equal(seen, "1 2 3 5");
	roots_finish(streams->roots);
	assert_string_equal(seen, "1 2 3 5");
	assert_int_equal(counts()->torn + counts()->excess + counts()->open, 0);
}

CASE(native_call_that_ends_late_enough_does_not_wait, setup, teardown)
{
	native(7, 1, 1000, 1500);
	assert_string_equal(seen, "");
	native(7, 2, 1490, 1500);
	assert_string_equal(seen, "1 2");
	native(7, 3, 1600, 1500);
	assert_string_equal(seen, "1 2 3");
}

CASE(sweep_may_find_the_end_ahead_of_native_calls, setup, teardown)
{
	roots_expect_natives(streams->roots);
	roots_begin_sweep(streams->roots);
	ends(1, 7, 0, FRT_ROOT_KEPT);
	ends(1, 8, 0, FRT_ROOT_DROPPED);
	begins(2, 9, FRT_ROOT_NEVER, 0);
	span(2, 1, 2000, 0);
	ends(2, 9, 1, FRT_ROOT_KEPT);
	native(7, 2, 2000, 0);
	native(8, 3, 2000, 0);
	native(9, 4, 2000, 0);
	assert_string_equal(seen, "1 2 4");
	roots_end_sweep(streams->roots, 1);
	roots_release(streams->roots, 1);
	assert_false(roots_have_ended(streams->roots));
	roots_finish(streams->roots);
	assert_string_equal(seen, "1 2 4");
	assert_int_equal(counts()->torn + counts()->open, 0);
}

/* A record in front of them is not complete. Meanwhile another sweep finds another end. */
CASE(ends_are_remembered_until_the_queue_has_been_consumed, setup, teardown)
{
	roots_expect_natives(streams->roots);
	roots_begin_sweep(streams->roots);
	ends(1, root_of(1, 7), 0, FRT_ROOT_DROPPED);
	ends(1, root_of(1, 8), 0, FRT_ROOT_KEPT);
	roots_end_sweep(streams->roots, 1000);
	roots_release(streams->roots, 999);
	roots_begin_sweep(streams->roots);
	ends(1, root_of(1, 9), 0, FRT_ROOT_DROPPED);
	roots_end_sweep(streams->roots, 2000);
	native(root_of(1, 7), 1, 2000, 0);
	native(root_of(1, 8), 2, 2000, 0);
	roots_release(streams->roots, 1999);
	native(root_of(1, 9), 3, 2000, 0);
	assert_true(roots_have_ended(streams->roots));
	roots_release(streams->roots, 2000);
	assert_false(roots_have_ended(streams->roots));
	roots_finish(streams->roots);
	assert_string_equal(seen, "2");
	assert_int_equal(counts()->torn + counts()->open, 0);
}

CASE(without_native_calls_no_sweep_remembers_roots, setup, teardown)
{
	roots_begin_sweep(streams->roots);
	for (uint32_t i = 0; i < 100000; i++)
		ends(1, 100 + i, 0, FRT_ROOT_DROPPED);
	begins(1, 7, FRT_ROOT_NEVER, 0);
	span(1, 1, 2000, 0);
	ends(1, 7, 1, FRT_ROOT_KEPT);
	assert_string_equal(seen, "1");
	assert_int_equal(counts()->torn, 0);
}

CASE(sweep_with_too_many_roots_counts_the_calls_of_others, setup, teardown)
{
	roots_expect_natives(streams->roots);
	roots_begin_sweep(streams->roots);
	for (uint32_t i = 0; i < 100000; i++)
		ends(1, 100 + i, 0, FRT_ROOT_DROPPED);
	native(99999, 1, 2000, 0);
	native(100, 2, 2000, 0);
	assert_int_equal(counts()->torn, 1);
	roots_end_sweep(streams->roots, 1);
	native(99999, 1, 2000, 0);
	assert_int_equal(counts()->torn, 2);
	roots_release(streams->roots, 1);
	native(200000, 3, 2000, 0);
	ends(1, 200000, 0, FRT_ROOT_KEPT);
	assert_string_equal(seen, "3");
}

CASE(native_calls_of_a_root_without_an_end_are_counted, setup, teardown)
{
	native(root_of(1, 7), 1, 2000, 0);
	streams_give_up(streams, 1, streams->next[1] + 3 * FRT_RECORD_SIZE);
	native(root_of(1, 8), 2, 2000, 0);
	ends(1, root_of(1, 8), 0, FRT_ROOT_KEPT);
	native(root_of(1, 9), 3, 2000, 0); /* open */
	native(root_of(2, 7), 4, 2000, 0); /* another thread's */
	roots_finish(streams->roots);
	assert_true(!strcmp(seen, "2 3 4") || !strcmp(seen, "2 4 3"));
	assert_int_equal(counts()->torn, 1);
	assert_int_equal(counts()->open, 2);
}

/* The table would be full before the end. */
CASE(roots_whose_ends_are_lost_leave_room_for_others, setup, teardown)
{
	enum { MANY = 70000 };

	for (uint64_t i = 1; i <= MANY; i++) {
		native(root_of(1, 3 * i), 1, 2000, 0);
		native(root_of(1, 3 * i + 1), 2, 2000, 0);
		ends(1, root_of(1, 3 * i + 2), 0, FRT_ROOT_DROPPED);
		native(root_of(1, 3 * i), 3, 2000, 0); /* a sweep was ahead of it */
	}
	assert_int_equal(counts()->torn, 3 * MANY);
	assert_int_equal(counts()->excess, 0);
	native(root_of(2, 7), 4, 2000, 0);
	ends(2, root_of(2, 7), 0, FRT_ROOT_KEPT);
	assert_string_equal(seen, "4");
	roots_finish(streams->roots);
	assert_int_equal(counts()->open, 0);
}

/* It is on another carrier now, or on none, and its first one's slot has got another thread. */
CASE(virtual_threads_root_outlives_its_slots_owner, setup, teardown)
{
	begins(1, root_of(1, 7), FRT_ROOT_NEVER, FRT_ROOT_VIRTUAL);
	span(1, 1, 2000, FRT_SPAN_VIRTUAL);
	begins(1, root_of(1, 8), FRT_ROOT_NEVER, 0);
	ends(1, root_of(1, 8), 0, FRT_ROOT_DROPPED);
	ends(2, root_of(1, 7), 1, FRT_ROOT_KEPT | FRT_ROOT_VIRTUAL);
	assert_string_equal(seen, "v1");
}

CASE(native_calls_are_their_virtual_threads, setup, teardown)
{
	native(7, 1, 2000, 0); /* an older JDK does not tell whose it is */
	begins(1, 7, FRT_ROOT_NEVER, FRT_ROOT_VIRTUAL);
	span(1, 2, 2010, FRT_SPAN_VIRTUAL);
	ends(1, 7, 1, FRT_ROOT_KEPT | FRT_ROOT_VIRTUAL);
	assert_string_equal(seen, "v1 v2");
}

/* A mark of a task's thread. */
static void task(uint32_t slot, uint64_t number)
{
	begins(slot, number, FRT_ROOT_NEVER, FRT_ROOT_VIRTUAL | FRT_ROOT_TASK);
}

CASE(calls_in_tasks_follow_the_verdict_of_their_root, setup, teardown)
{
	uint64_t kept = root_of(1, 7), gone = root_of(2, 7);

	task(3, kept);
	span(3, 1, 5000, 0);
	begins(1, kept, FRT_ROOT_NEVER, 0);
	span(1, 2, 2000, 0);
	begins(2, gone, FRT_ROOT_NEVER, 0);
	task(3, gone);
	span(3, 3, 5100, 0);
	assert_string_equal(seen, "");
	ends(1, kept, 1, FRT_ROOT_KEPT | FRT_ROOT_TASKS);
	assert_string_equal(seen, "1 2");
	ends(2, gone, 0, FRT_ROOT_DROPPED | FRT_ROOT_TASKS);
	span(3, 4, 5200, 0);
	task(3, kept);
	span(3, 5, 5300, 0);
	assert_string_equal(seen, "1 2 5");
	assert_int_equal(counts()->torn + counts()->excess + counts()->open, 0);
}

CASE(a_long_task_does_not_keep_its_root, setup, teardown)
{
	uint64_t root = root_of(1, 7);

	begins(1, root, 500, 0);
	task(3, root);
	span(3, 1, 9000, 0);
	assert_string_equal(seen, "");
	ends(1, root, 0, FRT_ROOT_DROPPED | FRT_ROOT_TASKS);
	roots_finish(streams->roots);
	assert_string_equal(seen, "");
	assert_int_equal(counts()->torn, 0);
}

CASE(a_task_is_lost_if_the_end_of_its_root_is, setup, teardown)
{
	task(3, root_of(1, 7));
	span(3, 1, 5000, 0);
	begins(1, root_of(1, 8), FRT_ROOT_NEVER, 0);
	span(3, 2, 5100, 0);
	task(3, root_of(1, 7));
	span(3, 3, 5200, 0);
	roots_finish(streams->roots);
	assert_string_equal(seen, "");
	assert_int_equal(counts()->torn, 3);
	assert_int_equal(counts()->open, 1);
}

CASE(tasks_of_a_root_that_is_open_at_the_end_are_kept, setup, teardown)
{
	begins(1, root_of(1, 7), FRT_ROOT_NEVER, 0);
	task(3, root_of(1, 7));
	span(3, 1, 5000, 0);
	roots_finish(streams->roots);
	assert_string_equal(seen, "1");
	assert_int_equal(counts()->open, 1);
}

/* It waits for its tasks, and no call in it has ended. */
CASE(tasks_of_an_open_root_that_its_thread_has_not_named_are_kept, setup, teardown)
{
	task(3, root_of(1, 7));
	span(3, 1, 5000, 0);
	roots_finish(streams->roots);
	assert_string_equal(seen, "1");
	assert_int_equal(counts()->open, 1);
	assert_int_equal(counts()->torn, 0);
}

CASE(a_platform_thread_and_a_virtual_one_in_tasks_of_one_root_keep_their_names, setup, teardown)
{
	uint64_t root = root_of(1, 7);

	begins(1, root, FRT_ROOT_NEVER, FRT_ROOT_VIRTUAL);
	put(1, &(struct frt_vthread){.java_id = 70, .kind = FRT_VTHREAD, .length = 0});
	span(1, 1, 2000, FRT_SPAN_VIRTUAL);
	task(3, root);
	span(3, 2, 2100, 0);
	task(4, root);
	put(4, &(struct frt_vthread){.java_id = 80, .kind = FRT_VTHREAD, .length = 0});
	span(4, 3, 2200, FRT_SPAN_VIRTUAL);
	ends(1, root, 1, FRT_ROOT_KEPT | FRT_ROOT_TASKS | FRT_ROOT_VIRTUAL);
	assert_string_equal(seen, "v1 2 v3");
	assert_int_equal(counts()->torn + counts()->open, 0);
}
