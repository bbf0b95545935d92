// SPDX-License-Identifier: BSD-2-Clause
/* The agent's own walk over the frames of a virtual thread in the heap. */
#include "tests/lib/own_stack.h"

/* In the heap an interpreted frame is named by distances in words, wherever it lies. */
static void lay_interpreted_in_heap(struct frames *f, uint64_t method, uint64_t bcp)
{
	uint64_t *fp, *sender_sp;

	lay_interpreted(f, method, bcp);
	fp = (uint64_t *)f->fp;
	sender_sp = &fp[java->layout.interpreter_sender_sp];
	*sender_sp = (uint64_t *)*sender_sp - fp;
	f->fp = fp - (f->sp - 2); /* where the next frame saves it */
}

/* The frames that have been laid from `end` on, down to `low`, are the next older part of those in the heap. */
static void put_into_heap(const struct frames *f, uint64_t *low, uint64_t *bottom)
{
	f->sp[-1] = f->pc;
	f->sp[-2] = f->fp;
	heap_parts[heap_count++] = (struct heap_part){low, f->sp, bottom};
}

#define HEAP_ROOM 128u

/* Two parts: compiled code, interpreted2 and other; interpreted, compiled code and the entry. */
static void fill_the_heap(uint64_t newer[HEAP_ROOM], uint64_t older[HEAP_ROOM])
{
	struct frames f = lay_begin(newer + HEAP_ROOM);

	heap_count = 0;
	heap_end = STACK_CHUNK_NONE;
	f.pc = fake_pc(barrier, 12);
	lay_fixed(&f, other, fake_pc(other, 70));
	lay_interpreted_in_heap(&f, interpreted2, 0xbc7);
	lay_fixed(&f, compiled, fake_pc(compiled, 61));
	put_into_heap(&f, newer, newer + HEAP_ROOM);
	f = lay_begin(older + HEAP_ROOM - 2); /* above it, arguments */
	lay_fixed(&f, compiled, fake_pc(compiled, 62));
	lay_interpreted_in_heap(&f, interpreted, 0xbc8);
	put_into_heap(&f, older, older + HEAP_ROOM - 1);
}

/* One frame on the stack, the others in the heap. */
static uint32_t take_thawed(void)
{
	FRAMES(f);

	lay_call_stub(&f);
	f.pc = fake_pc(barrier, 12);
	lay_fixed(&f, compiled, fake_pc(compiled, 60));
	asked_jvm = 0;
	return take(&f);
}

WALK(frames_in_the_heap_follow_those_on_the_stack)
{
	uint64_t newer[HEAP_ROOM], older[HEAP_ROOM];
	uint32_t id = 0;

	for (int jdk = 21; jdk < 26; jdk += 4) {
		java->layout.continuation_return = jdk == 21 ? 0 : fake_pc(entry, 41);
		begin(64);
		fill_the_heap(newer, older);
		for (int i = 0; i < 2; i++)
			id = take_thawed();
		assert_int_equal(asked_jvm + heap_open, 0);
		assert_int_equal(control->stack_next >> 32, id + 1);
		expect_end(id, 7, FRT_WALK_BOTTOM);
		expect_code(id, 0, FRT_FRAME_COMPILED, compiled, fake_pc(compiled, 60));
		expect_code(id, 1, FRT_FRAME_COMPILED, compiled, fake_pc(compiled, 61));
		expect_method(id, 2, interpreted2, 0xbc7);
		expect_code(id, 3, FRT_FRAME_COMPILED, other, fake_pc(other, 70));
		expect_method(id, 4, interpreted, 0xbc8);
		expect_code(id, 5, FRT_FRAME_COMPILED, compiled, fake_pc(compiled, 62));
		if (jdk == 21)
			assert_memory_equal(frame(id, 6), &named_first, sizeof(named_first));
		else
			expect_code(id, 6, FRT_FRAME_NATIVE, entry, fake_pc(entry, 41));
	}
	java->layout.continuation_return = fake_pc(entry, 41);
	for (uint32_t depth = 1; depth < 7; depth++) {
		begin(depth);
		expect_end(take_thawed(), depth, FRT_WALK_DEPTH);
		assert_int_equal(asked_jvm + heap_open, 0);
	}
}

WALK(anything_odd_in_the_heap_leaves_the_stack_cut)
{
	uint64_t newer[HEAP_ROOM], older[HEAP_ROOM];

	answer = STACK_JVMTI_UNASKED;
	for (int odd = 0; odd < 10; odd++) {
		fill_the_heap(newer, older);
		begin(64);
		heap_unreadable = 0;
		switch (odd) {
		case 0: heap_end = STACK_CHUNK_UNKNOWN; break;
		case 1: heap_count = 0; break; /* no frames */
		case 2: heap_parts[0].sp[-1] = 0x10; break;
		case 3: heap_parts[0].sp[-1] = fake_pc(barrier, 12); break;
		case 4: heap_parts[1].sp[-2] -= 1; break;
		case 5: heap_parts[1].sp[-1] = fake_pc(native, 20); break;
		case 6: heap_parts[0].bottom -= 3; break; /* in the middle of a frame */
		case 7: heap_parts[1].bottom += 4; break;
		case 8: heap_unreadable = (heap_parts[1].sp - older) * 8 - 8; break;
		default: heap_parts[1].sp[-1] = FAKE_CALL_STUB;
		}
		expect_end(take_thawed(), 1, FRT_WALK_CHUNK);
		assert_int_equal(asked_jvm, 64);
		assert_int_equal(heap_open, 0);
	}
	fill_the_heap(newer, older);
	for (int i = 0; i < 2; i++) {
		java->layout.continuation_return = i ? 0 : fake_pc(compiled, 5);
		named_first.code = 0; /* the table of methods is full */
		begin(64);
		expect_end(take_thawed(), 1, FRT_WALK_CHUNK);
	}
}

WALK(jvm_is_asked_for_frames_in_the_heap_that_cannot_be_walked)
{
	FRAMES(f);

	lay_call_stub(&f);
	lay_fixed(&f, other, fake_pc(other, 60));
	for (int i = 0; i < 2; i++) {
		f.pc = fake_pc(barrier, 12);
		lay_fixed(&f, compiled, fake_pc(compiled, 60));
		asked_jvm = 0;
		assert_int_equal(take(&f), FROM_JVM);
		assert_int_equal(asked_jvm, 64);
		assert_int_equal(control->stack_next >> 32, 1);
		/* the same, identified by its address */
		barrier->name = (uint64_t)"no such name";
		java->layout.return_barrier = fake_pc(barrier, 12);
		begin(64);
	}
	answer = STACK_JVMTI_UNASKED;
	expect_end(take(&f), 1, FRT_WALK_CHUNK);
	answer = STACK_JVMTI_REFUSED;
	expect_end(take(&f), 1, FRT_WALK_CHUNK);
	assert_int_equal(control->stacks_unasked + control->stacks_refused, 0);
}
