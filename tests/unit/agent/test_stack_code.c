// SPDX-License-Identifier: BSD-2-Clause
/* The agent's cache of code and methods must notice when their memory is reused. */
#include "tests/lib/own_stack.h"

WALK(code_replaced_in_place_is_noticed)
{
	uint32_t id, before = one_caller(fake_pc(other, 500));

	for (uint32_t i = 1; i < 20; i++) {
		other->compile_id = 1000 + i;
		other->words = 3 + i;
		id = one_caller(fake_pc(other, 500));
		assert_int_not_equal(id, before);
		expect_end(id, 2, FRT_WALK_BOTTOM);
		expect_code(id, 0, FRT_FRAME_COMPILED, other, fake_pc(other, 500));
		before = id;
	}
}

/*
 * HotSpot allocates from the rear of a free block and leaves the front unchanged: the header of the former nmethod
 * still has its compile id.
 */
WALK(other_code_around_the_same_pc_is_noticed)
{
	uint64_t pc = fake_pc(other, 4000);
	uint32_t id = one_caller(pc);

	expect_code(id, 0, FRT_FRAME_COMPILED, other, pc);
	fake_blob_free(java, other);
	other = fake_blob_new(java, 8 + 12, 8, "nmethod", 21, 201);
	id = one_caller(pc);
	expect_end(id, 2, FRT_WALK_BOTTOM);
	expect_code(id, 0, FRT_FRAME_COMPILED, other, pc);
	expect_method(id, 1, interpreted2, 0xbc7);
}

/* As above, and the front is reused by something without a compile id. */
WALK(split_block_is_noticed)
{
	uint64_t pc = fake_pc(other, 4000);
	uint32_t id = one_caller(pc);
	struct fake_blob *rear;

	fake_blob_free(java, other);
	rear = fake_blob_new(java, 8 + 12, 8, "nmethod", 21, 201);
	fake_blob_new(java, 8, 12, "BufferBlob", 0, other->compile_id);
	other = rear;
	id = one_caller(pc);
	expect_end(id, 2, FRT_WALK_BOTTOM);
	expect_code(id, 0, FRT_FRAME_COMPILED, other, pc);
}

/* An upcall stub is freed with its arena. */
WALK(stub_that_becomes_a_method_is_noticed)
{
	uint64_t pc = fake_pc(upcall, 33);
	uint32_t id;
	FRAMES(f);

	lay_call_stub(&f);
	lay_interpreted(&f, interpreted2, 0xbc8);
	lay_upcall(&f, upcall);
	lay_fixed(&f, compiled, fake_pc(compiled, 60));
	id = take(&f);
	expect_end(id, 2, FRT_WALK_BOTTOM);

	fake_blob_free(java, upcall);
	upcall = fake_blob_new(java, 44, 2, "nmethod", 7, 301);
	f = lay_begin(room_ + ROOM);
	lay_call_stub(&f);
	lay_interpreted(&f, interpreted2, 0xbc8);
	lay_fixed(&f, upcall, pc);
	lay_fixed(&f, compiled, fake_pc(compiled, 60));
	id = take(&f);
	expect_end(id, 3, FRT_WALK_BOTTOM);
	expect_code(id, 1, FRT_FRAME_COMPILED, upcall, pc);
}

static uint32_t called_from_c(void)
{
	FRAMES(f);

	lay_call_stub(&f);
	lay_interpreted(&f, interpreted2, 0xbc8);
	lay_upcall(&f, upcall);
	return take(&f);
}

WALK(stub_replaced_by_one_with_another_frame_is_noticed)
{
	uint32_t id = called_from_c();

	fake_blob_free(java, upcall);
	upcall = fake_blob_new(java, 44, 2, "upcall_stub_(I)V", 7, 0);
	upcall->frame_data = 80;
	assert_int_equal(called_from_c(), id);
	expect_end(id, 1, FRT_WALK_BOTTOM);
	expect_method(id, 0, interpreted2, 0xbc8);
}

/* The last four readable bytes are an nmethod's compile id. */
WALK(compile_id_at_the_committed_end_causes_no_fault)
{
	struct fake_blob *last = fake_blob_new(java, FAKE_COMMITTED / FAKE_SEGMENT - 1, 1, "nmethod", 6, 0);
	uint32_t id;

	java->layout.nmethod_compile_id = FAKE_SEGMENT - sizeof(last->block) - 4;
	begin(64);
	for (int i = 0; i < 3; i++) {
		FRAMES(f);

		lay_call_stub(&f);
		lay_fixed(&f, last, fake_pc(last, 10));
		id = take(&f);
		expect_end(id, 1, FRT_WALK_BOTTOM);
	}
}

WALK(reused_memory_of_a_method_is_noticed)
{
	uint32_t before = one_caller(fake_pc(other, 500)), id;

	fake_java_method(java, 1, "c/D", "call", "(I)V");
	stack_classes_changed();
	id = one_caller(fake_pc(other, 500));
	assert_int_not_equal(id, before);
	expect_method(id, 1, interpreted2, 0xbc7);
	assert_int_not_equal(frame(id, 1)->cookie, frame(before, 1)->cookie);
	stack_classes_changed();
	assert_int_equal(one_caller(fake_pc(other, 500)), id);
}

static void deoptimise(void)
{
	for (uint64_t *word = (uint64_t *)thread.anchor.sp; word < (uint64_t *)slot.stack_end; word++)
		if (*word == fake_pc(other, 500)) {
			*word = other->handler[0];
			return;
		}
	abort();
}

WALK(stack_that_changes_between_the_walks_is_that_of_the_second)
{
	uint32_t id;

	between = deoptimise;
	id = one_caller(fake_pc(other, 500));
	expect_end(id, 2, FRT_WALK_BOTTOM);
	assert_int_equal(frame(id, 0)->flags, FRT_FRAME_DEOPTIMISED);
	between = NULL;
	id = one_caller(fake_pc(other, 500));
	expect_end(id, 2, FRT_WALK_BOTTOM);
	expect_code(id, 0, FRT_FRAME_COMPILED, other, fake_pc(other, 500));
	assert_int_equal(frame(id, 0)->flags, 0);
	assert_int_equal(one_caller(fake_pc(other, 500)), id);
}

static void compile_again(void)
{
	other = fake_blob_new(java, 8, 20, "nmethod", 11, 102);
}

WALK(stack_that_grows_between_the_walks_is_unreadable)
{
	uint64_t pc = fake_pc(other, 500);

	fake_blob_free(java, other);
	between = compile_again;
	expect_end(one_caller(pc), 0, FRT_WALK_UNREADABLE);
	between = NULL;
	expect_end(one_caller(pc), 2, FRT_WALK_BOTTOM);
}

#define COMPILERS 4u
#define BLOBS	  6u /* of each kind, with pcs in the same set where possible */
#define ROUNDS	  10000u

static uint64_t pc_of_set(const struct fake_blob *b, uint64_t set)
{
	for (uint32_t i = 100; i < b->size - 100; i++)
		if (cache_set(fake_pc(b, i), CODE_SETS_LOG2) == set)
			return fake_pc(b, i);
	return fake_pc(b, 100);
}

/* If two threads enter stacks at the same place at once, one may get a second id for its own stack, but no more. */
static uint32_t twice;

struct own_code {
	struct fake_blob *blob[BLOBS];
	uint64_t pc[BLOBS];
};

static void expect_picked(uint32_t id, const struct own_code *own, const uint32_t pick[3], uint32_t bci)
{
	expect_end(id, 4, FRT_WALK_BOTTOM);
	for (uint32_t i = 0; i < 3; i++)
		expect_code(id, i, FRT_FRAME_COMPILED, own->blob[pick[2 - i]], own->pc[pick[2 - i]]);
	expect_method(id, 3, interpreted2, bci);
}

/* Replace code repeatedly, walk through it, and check that the change was noticed. */
static void *replace_and_walk(void *number)
{
	uint32_t random = (uint64_t)number + 1, id, again, pick[3];
	struct own_code own;
	struct fake_blob *b;
	FRAMES(f);

	stack_thread_begin(&slot, ENV);
	for (uint32_t i = 0; i < BLOBS; i++) {
		own.blob[i] = fake_blob_new(java, 64 + ((uint64_t)number * BLOBS + i) * 20, 20, "nmethod", 5, 1);
		own.pc[i] = pc_of_set(own.blob[i], 3);
	}
	for (uint32_t round = 1; round < ROUNDS; round++) {
		f = lay_begin(room_ + ROOM);
		lay_call_stub(&f);
		lay_interpreted(&f, interpreted2, round);
		random = random * 1664525 + 1013904223;
		b = own.blob[random >> 8 & 3];
		b->compile_id = round * COMPILERS + (uint64_t)number;
		b->words = 3 + (random >> 12) % 20;
		for (uint32_t i = 0; i < 3; i++) {
			pick[i] = (random >> (16 + 3 * i)) % BLOBS;
			lay_fixed(&f, own.blob[pick[i]], own.pc[pick[i]]);
		}
		id = take(&f);
		expect_picked(id, &own, pick, round);
		again = take(&f);
		expect_picked(again, &own, pick, round);
		if (again != id)
			__atomic_fetch_add(&twice, 1, __ATOMIC_RELAXED);
		if (round % 64 == 0)
			stack_classes_changed();
	}
	return number;
}

WALK(threads_notice_replaced_code_during_concurrent_lookups)
{
	pthread_t threads[COMPILERS];
	void *done;

	for (uint64_t i = 0; i < COMPILERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, replace_and_walk, (void *)i), 0);
	for (uint64_t i = 0; i < COMPILERS; i++) {
		pthread_join(threads[i], &done);
		assert_int_equal((uint64_t)done, i);
	}
	assert_in_range(twice, 0, ROUNDS / 1000);
}
