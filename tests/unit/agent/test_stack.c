// SPDX-License-Identifier: BSD-2-Clause
/* The agent's own walk over frames of every kind, and where it ends. */
#include "tests/lib/own_stack.h"

WALK(method_called_only_by_the_vm_has_no_stack)
{
	FRAMES(f);

	lay_call_stub(&f);
	assert_int_equal(take(&f), 0);
	assert_int_equal(control->stack_next >> 32, 1);
}

WALK(compiled_method_called_only_by_the_vm_is_its_own_stack)
{
	uint32_t id;
	FRAMES(f);

	lay_call_stub(&f);
	id = take_compiled(&f);
	expect_end(id, 1, FRT_WALK_BOTTOM);
	assert_int_equal(row(id)->flags, FRT_STACK_INCLUSIVE);
	expect_code(id, 0, FRT_FRAME_COMPILED, compiled, fake_pc(compiled, 50));
}

WALK(callers_of_every_kind_come_in_order)
{
	uint32_t id;
	FRAMES(f);

	lay_call_stub(&f);
	lay_interpreted(&f, interpreted2, 0xbc7);
	lay_fixed(&f, compiled, fake_pc(compiled, 60));
	lay_fixed(&f, other, fake_pc(other, 4000));
	lay_interpreted(&f, interpreted, 0); /* a native method's */
	lay_fixed(&f, native, fake_pc(native, 20));
	id = take(&f);
	expect_end(id, 5, FRT_WALK_BOTTOM);
	assert_int_equal(row(id)->flags, 0);
	expect_code(id, 0, FRT_FRAME_NATIVE, native, fake_pc(native, 20));
	expect_method(id, 1, interpreted, 0);
	expect_code(id, 2, FRT_FRAME_COMPILED, other, fake_pc(other, 4000));
	expect_code(id, 3, FRT_FRAME_COMPILED, compiled, fake_pc(compiled, 60));
	expect_method(id, 4, interpreted2, 0xbc7);
}

WALK(hook_may_be_interpreted_too)
{
	uint32_t id;
	FRAMES(f);

	lay_call_stub(&f);
	lay_interpreted(&f, interpreted2, 0xbc7);
	lay_fixed(&f, compiled, fake_pc(compiled, 60));
	lay_interpreted(&f, interpreted, 0);
	lay_leave(&f, &thread);
	id = stack_take(&slot, ENV, METHOD);
	expect_end(id, 2, FRT_WALK_BOTTOM);
	assert_int_equal(row(id)->flags, FRT_STACK_INCLUSIVE);
	expect_method(id, 1, interpreted2, 0xbc7);
}

/* A full collection of JDK 8 leaves indices in the frames while it runs. */
WALK(indices_of_bytecode_are_pointers_again)
{
	uint64_t code = *(uint64_t *)(interpreted2 + java->layout.method_const) + java->layout.const_size, pointers,
		 indices;
	FRAMES(f);

	java->layout.jdk_version = 8;
	begin(64);
	lay_call_stub(&f);
	lay_interpreted(&f, interpreted2, code + 7);
	lay_interpreted(&f, interpreted2, code);
	pointers = take(&f);
	f = lay_begin(room_ + ROOM);
	lay_call_stub(&f);
	lay_interpreted(&f, interpreted2, 7);
	lay_interpreted(&f, interpreted2, 0);
	indices = take(&f);
	expect_method(indices, 0, interpreted2, code);
	expect_method(indices, 1, interpreted2, code + 7);
	assert_int_equal(indices, pointers);
}

WALK(stubs_and_native_code_are_crossed)
{
	uint32_t id;
	FRAMES(f);

	lay_call_stub(&f);
	lay_fixed(&f, compiled, fake_pc(compiled, 60));
	lay_fixed(&f, stub, fake_pc(stub, 3));
	lay_fixed(&f, native, fake_pc(native, 21));
	lay_call_stub(&f);
	lay_call_stub(&f); /* Java code that only the VM calls */
	lay_interpreted(&f, interpreted2, 0xbc8);
	lay_upcall(&f, upcall);
	lay_fixed(&f, other, fake_pc(other, 70));
	id = take(&f);
	expect_end(id, 4, FRT_WALK_BOTTOM);
	expect_code(id, 0, FRT_FRAME_COMPILED, other, fake_pc(other, 70));
	expect_method(id, 1, interpreted2, 0xbc8);
	expect_code(id, 2, FRT_FRAME_NATIVE, native, fake_pc(native, 21));
	expect_code(id, 3, FRT_FRAME_COMPILED, compiled, fake_pc(compiled, 60));
}

WALK(anchor_without_a_pc_has_it_below_its_sp)
{
	struct frames f0;
	uint32_t id;
	FRAMES(f);

	lay_call_stub(&f);
	lay_interpreted(&f, interpreted2, 0xbc8);
	*--f.sp = f.pc; /* the call's return address, below sp */
	f0 = f;
	f.sp++;
	lay_call_stub(&f0);
	((struct fake_anchor *)(((uint64_t *)f0.fp)[-5] + 24))->sp = (uint64_t)f.sp;
	((struct fake_anchor *)(((uint64_t *)f0.fp)[-5] + 24))->pc = 0;
	lay_interpreted(&f0, interpreted, 0xbc2);
	lay_fixed(&f0, native, fake_pc(native, 9));
	*--f0.sp = f0.pc;
	thread.anchor = (struct fake_anchor){.sp = (uint64_t)(f0.sp + 1), .fp = f0.fp};
	id = stack_take(&slot, ENV, METHOD);
	expect_end(id, 1, FRT_WALK_BOTTOM);
	expect_method(id, 0, interpreted2, 0xbc8);
}

WALK(deoptimised_frames_keep_their_own_pc)
{
	uint32_t id;
	FRAMES(f);

	for (int form = 0; form < 2; form++) {
		f = lay_begin(room_ + ROOM);
		lay_call_stub(&f);
		for (int i = 0; i < 3; i++) {
			lay_fixed(&f, compiled, i < 2 ? compiled->handler[i] : fake_pc(compiled, 61));
			f.sp[2] = i == 0 ? fake_pc(compiled, 66) : 1; /* orig_pc: 16 bytes from sp */
		}
		id = take(&f);
		expect_end(id, 3, FRT_WALK_BOTTOM);
		expect_code(id, 0, FRT_FRAME_COMPILED, compiled, fake_pc(compiled, 61));
		assert_int_equal(frame(id, 0)->flags, 0);
		expect_code(id, 1, FRT_FRAME_COMPILED, compiled,
			    compiled->handler[1]); /* the word is not a pc in the blob */
		assert_int_equal(frame(id, 1)->flags, FRT_FRAME_DEOPTIMISED);
		expect_code(id, 2, FRT_FRAME_COMPILED, compiled, fake_pc(compiled, 66));
		assert_int_equal(frame(id, 2)->flags, FRT_FRAME_DEOPTIMISED);

		java->layout.nmethod_deopt_is_offset = 1;
		java->layout.nmethod_deopt[0] = (char *)&compiled->handler_offset[0] - (char *)&compiled->nothing;
		java->layout.nmethod_deopt[1] = (char *)&compiled->handler_offset[1] - (char *)&compiled->nothing;
		memset(compiled->handler, 0, sizeof(compiled->handler));
		compiled->handler[0] = 0;
		begin(64);
		compiled->handler[0] = fake_pc(compiled, 80);
		compiled->handler[1] = fake_pc(compiled, 88);
	}
}

WALK(virtual_thread_ends_at_its_entry)
{
	struct frames before;
	uint32_t id = 0;
	FRAMES(f);

	lay_call_stub(&f);
	lay_interpreted(&f, interpreted2, 0xbc9); /* the carrier's */
	before = f;
	for (int i = 0; i < 2; i++) {
		f = before;
		lay_fixed(&f, entry, fake_pc(entry, 41 + i)); /* it calls from two places */
		lay_fixed(&f, compiled, fake_pc(compiled, 60));
		for (int n = 0; n < 2; n++)
			id = take(&f);
		expect_end(id, 2, FRT_WALK_BOTTOM);
		expect_code(id, 0, FRT_FRAME_COMPILED, compiled, fake_pc(compiled, 60));
		expect_code(id, 1, FRT_FRAME_NATIVE, entry, fake_pc(entry, 41 + i));
	}
}

WALK(code_that_cannot_be_crossed_ends_the_stack)
{
	static const uint64_t nowhere[] = {0x10, 1, UINT64_MAX, FAKE_INTERPRETER - 1, FAKE_INTERPRETER_END, 1ULL << 48};
	uint64_t pcs[12];
	uint32_t n = 0, id;
	FRAMES(f);

	for (; n < 6; n++)
		pcs[n] = nowhere[n];
	pcs[n++] = (uint64_t)java->heap + 60 * FAKE_SEGMENT; /* free */
	pcs[n++] = (uint64_t)java->heap + FAKE_COMMITTED;
	pcs[n++] = (uint64_t)java->heap + FAKE_HEAP - 1;
	stub->words = 0;
	pcs[n++] = fake_pc(stub, 3);
	other->block[5] = 0; /* not used */
	pcs[n++] = fake_pc(other, 70);
	upcall->name = 8;
	upcall->words = 0;
	pcs[n++] = fake_pc(upcall, 70);
	for (uint32_t i = 0; i < n; i++) {
		f = lay_begin(room_ + ROOM);
		lay_call_stub(&f);
		lay_fixed(&f, compiled, fake_pc(compiled, 60));
		f.pc = pcs[i];
		lay_fixed(&f, compiled, fake_pc(compiled, 60));
		id = take(&f);
		expect_end(id, 1, FRT_WALK_CODE);
	}
}

WALK(words_outside_of_the_stack_end_it)
{
	static uint64_t elsewhere[64];
	uint64_t bad[] = {0,
			  8,
			  1,
			  UINT64_MAX,
			  UINT64_MAX - 7,
			  (uint64_t)(elsewhere + 32),
			  slot.stack_end,
			  slot.stack_end - 8,
			  (uint64_t)java,
			  (uint64_t)java->heap};
	uint32_t id;
	FRAMES(f);

	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f = lay_begin(room_ + ROOM);
		lay_call_stub(&f);
		f.fp = bad[i]; /* where the interpreter's frame shall be */
		f.pc = FAKE_INTERPRETER + 5;
		lay_fixed(&f, compiled, fake_pc(compiled, 60));
		id = take(&f);
		expect_end(id, 1, FRT_WALK_UNREADABLE);
	}
}

WALK(method_that_cannot_be_read_ends_the_stack)
{
	uint64_t bad[] = {0, 8, UINT64_MAX, (uint64_t)java->heap + FAKE_HEAP - 8, 1ULL << 60};
	uint32_t id;
	FRAMES(f);

	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f = lay_begin(room_ + ROOM);
		lay_call_stub(&f);
		lay_interpreted(&f, bad[i], 0xbc2);
		lay_fixed(&f, compiled, fake_pc(compiled, 60));
		id = take(&f);
		expect_end(id, 1, FRT_WALK_UNREADABLE);
	}
}

WALK(sender_that_is_not_above_ends_the_stack)
{
	uint64_t bad[] = {0, 8, 0, 1, 4}, top; /* from the frame's own sp */
	uint32_t id;
	FRAMES(f);

	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f = lay_begin(room_ + ROOM);
		lay_call_stub(&f);
		lay_interpreted(&f, interpreted2, 0xbc2);
		top = (uint64_t)f.sp;
		((uint64_t *)f.fp)[-3] = i < 3 ? top - bad[i] : top + 64 + bad[i];
		lay_fixed(&f, compiled, fake_pc(compiled, 60));
		id = take(&f);
		expect_end(id, 1, FRT_WALK_STUCK);
	}
}

WALK(call_stubs_without_java_code_between_end_the_stack)
{
	uint32_t id;
	FRAMES(f);

	lay_call_stub(&f);
	lay_fixed(&f, compiled, fake_pc(compiled, 60));
	for (uint32_t i = 0; i < WALK_CROSSINGS; i++)
		lay_fixed(&f, stub, fake_pc(stub, 8));
	lay_fixed(&f, compiled, fake_pc(compiled, 60));
	id = take(&f);
	expect_end(id, 1, FRT_WALK_STUCK);
}

WALK(stack_is_cut_at_its_depth)
{
	uint32_t id, ids[3];
	FRAMES(f);

	for (uint32_t depth = 1; depth <= 40; depth += 13) {
		begin(depth);
		f = lay_begin(room_ + ROOM);
		lay_call_stub(&f);
		for (uint32_t i = 0; i < depth - 1; i++)
			lay_fixed(&f, compiled, fake_pc(compiled, 60 + i));
		for (uint32_t more = 0; more < 3; more++) {
			id = take(&f);
			if (id)
				expect_end(id, depth - 1 + (more > 0), more == 2 ? FRT_WALK_DEPTH : FRT_WALK_BOTTOM);
			ids[more] = id;
			id = take_compiled(&f);
			expect_end(id, depth + (more > 0), more == 2 ? FRT_WALK_DEPTH : FRT_WALK_BOTTOM);
			assert_int_equal(row(id)->flags, FRT_STACK_INCLUSIVE);
			lay_fixed(&f, compiled, fake_pc(compiled, 77));
		}
		assert_true(ids[0] != ids[1] && ids[1] != ids[2]);
	}
}

WALK(deepest_stack_has_all_its_frames)
{
	uint64_t *words = __builtin_alloca(FRT_MAX_DEPTH * 7 * 8);
	struct frames f = lay_begin(words + FRT_MAX_DEPTH * 7);
	uint32_t id;

	begin(FRT_MAX_DEPTH * 5);
	assert_int_equal(stack_depth, FRT_MAX_DEPTH);
	lay_call_stub(&f);
	for (uint32_t i = 0; i < FRT_MAX_DEPTH + 1; i++)
		lay_fixed(&f, compiled, fake_pc(compiled, 60 + i % 500));
	id = take_compiled(&f);
	expect_end(id, FRT_MAX_DEPTH + 1, FRT_WALK_DEPTH);
	for (uint32_t i = 1; i < FRT_MAX_DEPTH + 1; i++)
		expect_code(id, i, FRT_FRAME_COMPILED, compiled, fake_pc(compiled, 60 + (FRT_MAX_DEPTH + 1 - i) % 500));
}

WALK(equal_stacks_have_one_id)
{
	uint32_t ids[200];
	FRAMES(f);

	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 200; i++) {
			f = lay_begin(room_ + ROOM);
			lay_call_stub(&f);
			lay_interpreted(&f, interpreted2, 0xb00 + i / 20);
			for (uint32_t n = 0; n < i % 20; n++)
				lay_fixed(&f, other, fake_pc(other, 100 + n));
			if (!round)
				ids[i] = take(&f);
			assert_int_equal(take(&f), ids[i]);
			assert_int_equal(ids[i], i + 1);
		}
	}
	assert_int_equal(control->stack_next >> 32, 201);
}

WALK(full_table_loses_stacks_until_they_are_read)
{
	uint32_t id, ids = 0;

	stack_table_begin(64);
	stack_table_join(0);
	while ((id = one_caller(fake_pc(other, 100 + ids))) != FRT_STACK_LOST)
		assert_int_equal(id, ++ids);
	assert_int_equal(ids, 32); /* two frames each */
	assert_int_equal(control->stacks_lost, 1);
	assert_int_equal(one_caller(fake_pc(other, 100)), 1); /* known stacks remain known */
	assert_int_equal(one_caller(fake_pc(other, 99)), FRT_STACK_LOST);
	assert_int_equal(control->stacks_lost, 2);
	control->recording[0].stack_done += 1ULL << 32 | 2;
	id = one_caller(fake_pc(other, 99));
	assert_int_equal(id, ids + 1);
	expect_end(id, 2, FRT_WALK_BOTTOM);
	assert_int_equal(one_caller(fake_pc(other, 98)), FRT_STACK_LOST);
}

WALK(without_stack_depth_no_stack_is_taken)
{
	begin(0);
	assert_int_equal(stack_depth, 0);
	assert_int_equal(slot.stack_end, 0);
}

WALK(calls_are_counted_when_the_layout_does_not_fit)
{
	static struct frt_layout good;

	good = java->layout;
	for (int i = 0; i < 12; i++) {
		struct frt_layout *l = &java->layout;

		*l = good;
		begin(64);
		assert_int_not_equal(one_caller(fake_pc(other, 500)), 0);
		assert_int_equal(control->stacks_off, 0);
		*(i == 0 ? &l->jdk_version : i == 1 ? &l->heaps : &l->segment_log2) = i < 2 ? 0 : i == 2 ? 32 : 8;
		if (i == 3)
			l->heaps = FRT_CODE_HEAPS + 1;
		if (i == 4)
			l->thread_env = l->thread_anchor;
		if (i == 5)
			l->thread_env = l->thread_anchor + 257;
		if (i == 6)
			l->anchor_sp = 64;
		if (i == 7)
			l->nmethod_compile_id = FRT_NO_OFFSET;
		if (i == 8)
			l->heap[0].low = l->heap[0].high;
		if (i == 9)
			l->heap[0].low -= 4096;
		if (i == 10)
			l->heap[0].high = UINT64_MAX;
		if (i == 11)
			l->heap[0] = (struct frt_code_heap){(uint64_t)java, (uint64_t)(java + 1), 0, 0};
		begin(64);
		assert_int_equal(one_caller(fake_pc(other, 500)), 0);
		assert_int_equal(control->stacks_off, 1);
		assert_int_equal(stack_depth, 64); /* otherwise no hook takes stacks */
	}
}

WALK(thread_with_an_unknown_stack_end_is_counted)
{
	slot.stack_end = 0;
	assert_int_equal(one_caller(fake_pc(other, 500)), 0);
	assert_int_equal(control->stacks_off, 1);
}

WALK(jvm_is_asked_for_stacks_that_cannot_be_walked)
{
	uint32_t id;
	FRAMES(f);

	lay_call_stub(&f);
	lay_fixed(&f, compiled, fake_pc(compiled, 60));
	f.pc = 0x10; /* no code */
	lay_fixed(&f, compiled, fake_pc(compiled, 60));
	expect_end(take(&f), 1, FRT_WALK_CODE);
	assert_int_equal(asked_jvm, 0);

	config.stacks = FRT_STACKS_WALK | FRT_STACKS_JVMTI;
	begin(64);
	assert_int_equal(take(&f), FROM_JVM);
	assert_int_equal(asked_jvm, 64);
	answer = STACK_JVMTI_REFUSED; /* then the part that was walked is used */
	id = take(&f);
	expect_end(id, 1, FRT_WALK_CODE);
	assert_int_equal(control->stacks_refused, 0);
	asked_jvm = 0;
	assert_int_not_equal(one_caller(fake_pc(other, 500)), 0);
	assert_int_equal(asked_jvm, 0); /* what can be walked is walked */
}

WALK(jvm_is_not_asked_for_a_stack_cut_at_its_depth)
{
	FRAMES(f);

	config.stacks = FRT_STACKS_WALK | FRT_STACKS_JVMTI;
	begin(1);
	lay_call_stub(&f);
	lay_fixed(&f, compiled, fake_pc(compiled, 60));
	lay_fixed(&f, compiled, fake_pc(compiled, 61));
	expect_end(take(&f), 1, FRT_WALK_DEPTH);
	assert_int_equal(asked_jvm, 0);
}

WALK(jvm_is_asked_for_threads_that_cannot_be_walked)
{
	config.stacks = FRT_STACKS_WALK | FRT_STACKS_JVMTI;
	begin(64);
	slot.stack_end = 0;
	assert_int_equal(one_caller(fake_pc(other, 500)), FROM_JVM);
	java->layout.heaps = 0; /* a layout that does not fit */
	begin(64);
	assert_int_equal(one_caller(fake_pc(other, 500)), FROM_JVM);
	assert_int_equal(control->stacks_off, 0);
}

WALK(with_jvmti_alone_nothing_is_walked)
{
	config.stacks = FRT_STACKS_JVMTI;
	begin(64);
	assert_int_equal(slot.stack_end, 0);
	assert_int_equal(one_caller(fake_pc(other, 500)), FROM_JVM);
	assert_int_equal(asked_jvm, 64);
}

WALK(stack_that_jvmti_refuses_is_unknown_and_counted)
{
	uint32_t id;

	config.stacks = FRT_STACKS_JVMTI;
	begin(64);
	answer = STACK_JVMTI_UNASKED;
	id = one_caller(fake_pc(other, 500));
	expect_end(id, 0, FRT_WALK_UNASKED);
	answer = STACK_JVMTI_REFUSED;
	for (int i = 0; i < 2; i++)
		assert_int_equal(one_caller(fake_pc(other, 500)), id);
	assert_int_equal(control->stacks_unasked, 1);
	assert_int_equal(control->stacks_refused, 2);
	assert_int_equal(control->stack_next >> 32, id + 1);
	begin(64);
	assert_int_equal(control->stacks_unasked + control->stacks_refused, 0);
}
