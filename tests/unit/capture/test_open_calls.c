// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/open_calls.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"

static struct segment seg;
static struct open_call seen[64];
static size_t count;

static int setup(void **state)
{
	seg = fake_segment_new();
	segment_header(&seg)->recording[0].open_dump = 3;
	return 0;
}

static int teardown(void **state)
{
	fake_segment_free(&seg);
	return 0;
}

static void on_open_call(void *context, const struct open_call *c)
{
	assert_true(count < 64);
	seen[count++] = *c;
}

static uint64_t look(const char *no_stacks)
{
	count = 0;
	return open_calls_each(&seg, no_stacks, on_open_call, NULL);
}

/* A thread with that many calls of the methods 1, 2, ..., begun at 100, 200, ...; an open-call dump at `at` saw all of them. */
static struct frt_slot *slot_with(uint32_t thread, uint32_t calls, uint64_t at)
{
	struct frt_slot *s = fake_slot(&seg, 10, 0);

	s->thread = thread;
	s->depth = calls;
	for (uint32_t i = 0; i < calls && i < FRT_OPEN_CALLS; i++)
		s->open[i] = (struct frt_open_call){.start = 100 * (i + 1), .method = i + 1};
	s->open_dump_at = at;
	s->open_dump_epoch = 3;
	s->open_dump_open = calls;
	s->open_dump_stack = 70 + thread;
	return s;
}

CASE(calls_are_shown_thread_by_thread_outermost_first, setup, teardown)
{
	slot_with(5, 2, 1000);
	slot_with(6, 0, 1000);
	slot_with(7, 1, 1000);
	assert_int_equal(look(NULL), 3);
	assert_int_equal(count, 3);
	assert_true(seen[0].thread == 5 && seen[0].start == 100 && seen[0].method == 1);
	assert_true(seen[1].thread == 5 && seen[1].start == 200 && seen[1].method == 2);
	assert_true(seen[2].thread == 7 && seen[2].start == 100 && seen[2].stack == 77);
	assert_int_equal(seen[1].stack, 75);
	assert_null(seen[1].remark);
}

CASE(native_calls_follow_with_stacks_of_their_own, setup, teardown)
{
	struct segment_totals t;

	slot_with(5, 1, 1000);
	native_rows_add_open(&seg.natives, &(struct native_open){.start = 300, .method = 2, .thread = 5, .stack = 9});
	native_rows_add_open(&seg.natives, &(struct native_open){.start = 400, .method = 3, .thread = 8});
	assert_int_equal(look("killed"), 3);
	assert_true(seen[1].native && seen[1].stack == 9 && seen[1].method == 2 && !seen[1].remark);
	assert_true(seen[2].native && !seen[2].stack && seen[2].thread == 8);
	assert_string_equal(seen[2].remark, "no stack: the thread has gone on, or its stack cannot be read");
	segment_totals(&seg, &t);
	assert_int_equal(t.open, 2);
	native_rows_release(&seg.natives);
}

CASE(call_on_no_stack_is_not_shown, setup, teardown)
{
	slot_with(5, 3, 1000)->open_dump_dead = 1 << 1;
	assert_int_equal(look(NULL), 2);
	assert_true(seen[0].method == 1 && seen[1].method == 3);
}

CASE(call_that_began_since_has_no_stack, setup, teardown)
{
	slot_with(5, 3, 250);
	slot_with(6, 2, 1000)->open_dump_open = 1;
	assert_int_equal(look(NULL), 5);
	assert_true(seen[1].stack == 75 && seen[2].stack == 0 && seen[2].remark);
	assert_true(seen[3].stack == 76 && seen[4].stack == 0 && seen[4].remark);
}

CASE(stack_of_an_earlier_open_dump_is_not_reported, setup, teardown)
{
	struct frt_slot *s = slot_with(5, 1, 1000);

	s->open_dump_epoch = 2;
	s->open_dump_dead = 1;
	assert_int_equal(look(NULL), 1);
	assert_true(seen[0].stack == 0 && seen[0].remark);
}

CASE(without_an_open_dump_all_calls_are_shown_with_the_reason, setup, teardown)
{
	slot_with(5, 2, 1000)->open_dump_dead = 1;
	assert_int_equal(look("it was killed"), 2);
	assert_true(seen[0].stack == 0 && seen[1].stack == 0);
	assert_string_equal(seen[1].remark, "it was killed");
}

CASE(calls_of_an_earlier_recording_are_not_shown, setup, teardown)
{
	slot_with(5, 2, 1000)->epoch = segment_header(&seg)->epoch - 1;
	assert_int_equal(look(NULL), 0);
}

static struct frt_virtual_call *virtual_row(uint32_t i, uint64_t java_id, uint32_t carrier)
{
	struct frt_virtual_call *row = (struct frt_virtual_call *)(seg.base + FRT_VIRTUAL_AT) + i;
	struct frt_virtual_name *name = (struct frt_virtual_name *)(seg.base + FRT_VIRTUAL_NAMES_AT) + i;

	segment_header(&seg)->virtual_used = 1;
	*row = (struct frt_virtual_call){
		.start = 500, .java_id = java_id, .method = 9, .carrier = carrier, .stack = 80, .open_dump = 3};
	*name = (struct frt_virtual_name){.length = 4, .name = "fred"};
	return row;
}

CASE(virtual_thread_is_named_with_its_stack, setup, teardown)
{
	fake_thread(&seg, 5, "carrier", "main")->java_id = 31;
	virtual_row(1000, 77, 5);
	virtual_row(FRT_VIRTUAL_CALLS - 1, 31, 5);
	virtual_row(7, 78, 5)->open_dump = 2;
	virtual_row(8, 79, 5)->start = 1; /* is being written */
	assert_int_equal(look(NULL), 3);
	assert_true(seen[0].vthread.java_id == 78 && seen[0].stack == 0 && seen[0].remark);
	assert_true(seen[1].vthread.java_id == 77 && seen[1].thread == FRT_NO_THREAD && seen[1].stack == 80);
	assert_true(seen[1].start == 500 && seen[1].method == 9);
	assert_string_equal(seen[1].vthread.name, "fred");
	assert_true(seen[2].vthread.java_id == 0 && seen[2].thread == 5);
}

CASE(forged_name_of_a_virtual_thread_ends_with_its_row, setup, teardown)
{
	virtual_row(0, 77, 5);
	((struct frt_virtual_name *)(seg.base + FRT_VIRTUAL_NAMES_AT))->length = 255;
	assert_int_equal(look(NULL), 1);
	assert_int_equal(strlen(seen[0].vthread.name), 4);
}

CASE(deeper_calls_than_are_kept_are_not_shown, setup, teardown)
{
	struct frt_slot *s = slot_with(5, FRT_OPEN_CALLS + 30, 1000);

	assert_int_equal(look(NULL), FRT_OPEN_CALLS);
	s->depth = s->open_dump_open = s->open_dump_dead = UINT32_MAX; /* forged */
	assert_int_equal(look(NULL), 0);
	assert_int_equal(look("killed"), FRT_OPEN_CALLS);
}
