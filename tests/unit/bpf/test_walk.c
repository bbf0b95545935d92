// SPDX-License-Identifier: BSD-2-Clause
/* The walker on hand-made stacks, in fake JVMs with the tables of each version. */
#include "tests/lib/fake_vm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define WALK_READ(w, to, size, address) mem_read((w)->context, address, to, size)
#define WALK_STACK(w, to, address)	mem_u64((w)->context, address, to)
#define WALK_CODE(w, pc, code)		walk_code_at(w, pc, code)
#include "bpf/walk.h"

#define MAX_FRAMES 64
#define METHOD	   0x7f7000001000ULL
#define BCP	   0x7f7000002000ULL

#define EACH_VERSION(v) (const unsigned int *v = fake_vm_versions(); *v; v++)

struct walked {
	int count;
	struct frt_frame frame[MAX_FRAMES];
	enum frt_walk_end end;
};

static struct walked walk(struct fake_vm *vm)
{
	struct walked out = {0};
	struct walk w = {.layout = &vm->layout.walk, .context = &vm->m.mem};

	if (walk_anchor(&w, vm->thread + vm->layout.walk.thread_anchor))
		while (out.count < MAX_FRAMES && walk_next(&w, &out.frame[out.count]))
			out.count++;
	out.end = w.end;
	return out;
}

static struct walked walk_to(struct fake_vm *vm, int count, enum frt_walk_end end)
{
	struct walked w = walk(vm);

	assert_int_equal(w.end, end);
	assert_int_equal(w.count, count);
	return w;
}

static void assert_frame(const struct frt_frame *f, enum frt_frame_kind kind, uint64_t code, uint64_t at,
			 uint32_t cookie)
{
	assert_int_equal(f->kind, kind);
	assert_int_equal(f->code, code);
	assert_int_equal(f->at, at);
	assert_int_equal(f->cookie, cookie);
	assert_int_equal(f->flags, 0);
}

static void thread_without_java_frames_has_an_empty_stack(void **state)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 17);
	walk_to(&vm, 0, FRT_WALK_BOTTOM);
	fake_vm_release(&vm);
}

static void interpreted_frames_are_walked_in_every_version(void **state)
{
	for
		EACH_VERSION(v)
		{
			struct fake_vm vm;
			struct walked w;

			fake_vm_init(&vm, *v);
			fake_vm_call_stub(&vm);
			for (int i = 0; i < 3; i++)
				fake_vm_interpreted(&vm, METHOD + i, BCP + i);
			fake_vm_leave(&vm);
			w = walk_to(&vm, 3, FRT_WALK_BOTTOM);
			for (int i = 0; i < 3; i++)
				assert_frame(&w.frame[i], FRT_FRAME_INTERPRETED, METHOD + 2 - i, BCP + 2 - i, 0);
			fake_vm_release(&vm);
		}
}

static void compiled_frames_are_walked_in_every_version(void **state)
{
	for
		EACH_VERSION(v)
		{
			struct fake_vm vm;
			struct walked w;
			uint64_t one, two, native;
			unsigned int heap;

			fake_vm_init(&vm, *v);
			heap = vm.heaps - 1;
			one = fake_vm_nmethod(&vm, heap, "nmethod", 12, 101);
			two = fake_vm_nmethod(&vm, heap, "nmethod", 4, 102);
			native = fake_vm_nmethod(&vm, heap, "native nmethod", 8, 103);
			fake_vm_call_stub(&vm);
			fake_vm_fixed(&vm, one + 0x210, 12);
			fake_vm_fixed(&vm, two + 0x220, 4);
			fake_vm_interpreted(&vm, METHOD, BCP);
			fake_vm_fixed(&vm, native + 0x230, 8);
			vm.fp = 0; /* a native wrapper leaves none */
			fake_vm_leave(&vm);
			w = walk_to(&vm, 4, FRT_WALK_BOTTOM);
			assert_frame(&w.frame[0], FRT_FRAME_NATIVE, native, native + 0x230, 103);
			assert_frame(&w.frame[1], FRT_FRAME_INTERPRETED, METHOD, BCP, 0);
			assert_frame(&w.frame[2], FRT_FRAME_COMPILED, two, two + 0x220, 102);
			assert_frame(&w.frame[3], FRT_FRAME_COMPILED, one, one + 0x210, 101);
			fake_vm_release(&vm);
		}
}

static void anchor_without_pc_has_it_below_its_sp(void **state)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 17);
	fake_vm_call_stub(&vm);
	fake_vm_interpreted(&vm, METHOD, BCP);
	fake_mem_put(&vm.m, vm.sp - 8, vm.pc, 8);
	vm.pc = 0;
	fake_vm_leave(&vm);
	walk_to(&vm, 1, FRT_WALK_BOTTOM);
	fake_vm_release(&vm);
}

static void stubs_are_crossed_without_a_trace(void **state)
{
	struct fake_vm vm;
	uint64_t stub;

	fake_vm_init(&vm, 25);
	stub = fake_vm_blob(&vm, 0, "Shared Runtime resolve_virtual_call_blob", 356, 0x600);
	fake_vm_call_stub(&vm);
	fake_vm_interpreted(&vm, METHOD, BCP);
	fake_vm_fixed(&vm, stub + 0x150, 356);
	fake_vm_leave(&vm);
	walk_to(&vm, 1, FRT_WALK_BOTTOM);
	fake_vm_release(&vm);
}

static void stub_without_a_frame_size_ends_the_walk(void **state)
{
	struct fake_vm vm;
	uint64_t nmethod, stub;

	fake_vm_init(&vm, 26);
	nmethod = fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);
	stub = fake_vm_blob(&vm, 0, "C1 Runtime unwind_exception_blob", -1, 0x200);
	fake_vm_call_stub(&vm);
	fake_vm_fixed(&vm, nmethod + 0x210, 6);
	fake_vm_fixed(&vm, stub + 0x150, 4);
	fake_vm_leave(&vm);
	walk_to(&vm, 0, FRT_WALK_CODE);
	fake_vm_release(&vm);
}

static void nested_call_stubs_leave_out_the_c_code_between(void **state)
{
	struct fake_vm vm;
	struct walked w;
	uint64_t nmethod;

	fake_vm_init(&vm, 11);
	nmethod = fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);
	fake_vm_call_stub(&vm);
	fake_vm_interpreted(&vm, METHOD, BCP);
	fake_vm_call_stub(&vm);
	fake_vm_fixed(&vm, nmethod + 0x210, 6);
	fake_vm_call_stub(&vm);
	fake_vm_interpreted(&vm, METHOD + 1, BCP + 1);
	fake_vm_leave(&vm);
	w = walk_to(&vm, 3, FRT_WALK_BOTTOM);
	assert_frame(&w.frame[0], FRT_FRAME_INTERPRETED, METHOD + 1, BCP + 1, 0);
	assert_frame(&w.frame[1], FRT_FRAME_COMPILED, nmethod, nmethod + 0x210, 7);
	assert_frame(&w.frame[2], FRT_FRAME_INTERPRETED, METHOD, BCP, 0);
	fake_vm_release(&vm);
}

static void upcall_stub_leads_to_the_caller_of_the_c_code(void **state)
{
	for
		EACH_VERSION(v)
		{
			struct fake_vm vm;
			struct walked w;
			uint64_t stub;

			if (*v < 21)
				continue;
			fake_vm_init(&vm, *v);
			stub = fake_vm_blob(&vm, 0, "upcall_stub", 0, 0x400);
			fake_mem_put(&vm.m, stub + (*v == 21 ? 112 : 72), 72, 4);
			fake_vm_call_stub(&vm);
			fake_vm_interpreted(&vm, METHOD, BCP);
			fake_vm_upcall(&vm, stub + 0x1ee, 72);
			fake_vm_interpreted(&vm, METHOD + 1, BCP + 1);
			fake_vm_leave(&vm);
			w = walk_to(&vm, 2, FRT_WALK_BOTTOM);
			assert_frame(&w.frame[1], FRT_FRAME_INTERPRETED, METHOD, BCP, 0);

			vm.layout.walk.upcall_frame_data = FRT_NO_OFFSET;
			w = walk_to(&vm, 1, FRT_WALK_CODE);
			fake_vm_release(&vm);
		}
}

static void deoptimised_frame_has_its_real_pc(void **state)
{
	for
		EACH_VERSION(v)
		{
			struct fake_vm vm;
			struct walked w;
			uint64_t nmethod;
			int handlers = *v < 26 ? 2 : 1;

			for (int i = 0; i < handlers; i++) {
				fake_vm_init(&vm, *v);
				nmethod = fake_vm_nmethod(&vm, 0, "nmethod", 12, 9);
				fake_vm_call_stub(&vm);
				fake_vm_fixed(&vm, nmethod + (i ? FAKE_VM_DEOPT_MH : FAKE_VM_DEOPT), 12);
				fake_mem_put(&vm.m, vm.sp + FAKE_VM_ORIG_PC, nmethod + 0x234, 8);
				fake_vm_leave(&vm);
				w = walk_to(&vm, 1, FRT_WALK_BOTTOM);
				assert_int_equal(w.frame[0].flags, FRT_FRAME_DEOPTIMISED);
				assert_int_equal(w.frame[0].at, nmethod + 0x234);

				/* a slot that is not written yet is ignored */
				fake_mem_put(&vm.m, vm.sp + FAKE_VM_ORIG_PC, 0x1234, 8);
				w = walk(&vm);
				assert_int_equal(w.frame[0].flags, FRT_FRAME_DEOPTIMISED);
				assert_int_equal(w.frame[0].at, vm.pc);
				fake_vm_release(&vm);
			}
		}
}

static void virtual_thread_ends_with_its_entry(void **state)
{
	for (unsigned int v = 25; v <= 26; v++) {
		struct fake_vm vm;
		struct walked w;

		for (int call = 0; call < 2; call++) {
			fake_vm_init(&vm, v);
			fake_vm_call_stub(&vm);
			fake_vm_interpreted(&vm, METHOD, BCP);
			fake_vm_fixed(&vm, vm.continuation - 0x40 * call, 10);
			fake_vm_interpreted(&vm, METHOD + 1, BCP + 1);
			fake_vm_leave(&vm);
			w = walk_to(&vm, 2, FRT_WALK_BOTTOM);
			assert_int_equal(w.frame[1].kind, FRT_FRAME_NATIVE);
			assert_int_equal(w.frame[1].at, vm.continuation - 0x40 * call);
			fake_vm_release(&vm);
		}
	}
}

static void virtual_thread_with_frames_in_the_heap_ends_there(void **state)
{
	for
		EACH_VERSION(v)
		{
			struct fake_vm vm;

			if (*v < 21)
				continue;
			fake_vm_init(&vm, *v);
			fake_vm_call_stub(&vm);
			vm.pc = vm.barrier;
			fake_vm_interpreted(&vm, METHOD, BCP);
			fake_vm_leave(&vm);
			walk_to(&vm, 1, FRT_WALK_CHUNK);

			vm.layout.walk.return_barrier = vm.barrier;
			assert_int_equal(walk(&vm).end, FRT_WALK_CHUNK);
			fake_vm_release(&vm);
		}
}

static void other_stub_routines_are_no_return_barrier(void **state)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 21);
	fake_vm_call_stub(&vm);
	vm.pc = fake_vm_blob(&vm, 0, "StubRoutines (compiler stubs)", 0, 0x400) + 0x123;
	fake_vm_interpreted(&vm, METHOD, BCP);
	fake_vm_leave(&vm);
	assert_int_equal(walk(&vm).end, FRT_WALK_CODE);
	fake_vm_release(&vm);
}

static void pc_outside_of_all_code_ends_the_walk(void **state)
{
	static const uint64_t pcs[] = {0x1234, FAKE_VM_CODE + 3 * FAKE_VM_HEAP, FAKE_VM_CODE + FAKE_VM_HEAP / 2,
				       FAKE_VM_CODE + FAKE_VM_HEAP / 2 - 1, FAKE_VM_STACK};
	struct fake_vm vm;

	fake_vm_init(&vm, 17);
	fake_vm_call_stub(&vm);
	for (size_t i = 0; i < sizeof(pcs) / sizeof(*pcs); i++) {

		vm.pc = pcs[i];
		fake_vm_leave(&vm);
		walk_to(&vm, 0, FRT_WALK_CODE);
	}
	fake_vm_release(&vm);
}

static void freed_block_is_no_code(void **state)
{
	struct fake_vm vm;
	uint64_t nmethod;

	fake_vm_init(&vm, 17);
	nmethod = fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);
	fake_vm_call_stub(&vm);
	fake_vm_fixed(&vm, nmethod + 0x210, 6);
	fake_vm_leave(&vm);
	assert_int_equal(walk(&vm).count, 1);
	fake_mem_put(&vm.m, nmethod - 16 + 8, 0, 1);
	assert_int_equal(walk(&vm).end, FRT_WALK_CODE);
	fake_vm_release(&vm);
}

static void assert_no_code_at(struct fake_vm *vm, uint64_t pc)
{
	struct walked w;

	vm->pc = pc;
	fake_vm_leave(vm);
	w = walk(vm);
	assert_int_equal(w.count, 0);
	assert_int_equal(w.end, FRT_WALK_CODE);
}

static void uncommitted_code_is_no_code(void **state)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 17);
	fake_vm_call_stub(&vm);
	vm.used[1] = FAKE_VM_HEAP / 2;
	assert_no_code_at(&vm, fake_vm_nmethod(&vm, 1, "nmethod", 6, 7) + 0x210);
	fake_vm_release(&vm);
}

/* 0xff is no distance, even with code 255 segments before. */
static void free_segment_is_no_code(void **state)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 17);
	fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);
	fake_vm_call_stub(&vm);
	assert_no_code_at(&vm, FAKE_VM_CODE + FAKE_VM_HEAP + 255 * 128 + 8);
	fake_vm_release(&vm);
}

static void segment_map_walk_ends_after_too_many_hops(void **state)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 17);
	fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);
	memset(fake_mem_at(&vm.m, FAKE_VM_SEGMAP + 4096 + 1, 512), 1, 512);
	fake_vm_call_stub(&vm);
	assert_no_code_at(&vm, FAKE_VM_CODE + FAKE_VM_HEAP + WALK_HOPS * 128 + 8);
	fake_vm_release(&vm);
}

/* The memory before the heap looks like a block, and the memory before the map like its start. */
static void segment_map_walk_stays_within_the_heap(void **state)
{
	struct fake_vm vm;
	uint64_t low = FAKE_VM_CODE + FAKE_VM_HEAP, block = low - 128;
	const struct frt_layout *l = &vm.layout.walk;

	fake_vm_init(&vm, 17);
	fake_vm_call_stub(&vm);
	fake_mem_put(&vm.m, FAKE_VM_SEGMAP + 4095, 0, 1);
	fake_mem_put(&vm.m, FAKE_VM_SEGMAP + 4096, 1, 1);
	fake_mem_put(&vm.m, block + l->block_used, 1, 1);
	fake_mem_put_text(&vm.m, vm.names, "nmethod");
	fake_mem_put(&vm.m, block + l->block_size + l->blob_name, vm.names, 8);
	fake_mem_put(&vm.m, block + l->block_size + l->blob_size, 1024, 4);
	fake_mem_put(&vm.m, block + l->block_size + l->blob_frame_size, 4, 4);
	assert_no_code_at(&vm, low + 0x50);
	fake_vm_release(&vm);
}

static void block_of_many_segments_is_found(void **state)
{
	struct fake_vm vm;
	uint64_t nmethod;
	struct walked w;

	fake_vm_init(&vm, 17);
	nmethod = fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);
	vm.used[1] -= 0x480;
	assert_int_equal(fake_vm_blob(&vm, 1, "nmethod", 6, 0x18000), nmethod); /* 769 segments: four hops */
	fake_vm_call_stub(&vm);
	fake_vm_fixed(&vm, nmethod + 0x17f00, 6);
	fake_vm_leave(&vm);
	w = walk(&vm);
	assert_int_equal(w.count, 1);
	assert_int_equal(w.frame[0].code, nmethod);
	fake_vm_release(&vm);
}

static void garbled_segment_map_ends_the_walk(void **state)
{
	struct fake_vm vm;
	uint64_t nmethod;
	uint8_t *map;

	fake_vm_init(&vm, 17);
	nmethod = fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);
	fake_vm_call_stub(&vm);
	fake_vm_fixed(&vm, nmethod + 0x210, 6);
	fake_vm_leave(&vm);
	map = fake_mem_at(&vm.m, FAKE_VM_SEGMAP + 4096, 16);
	for (int i = 0; i < 256; i++) {
		memset(map, i, 16);
		assert_true(walk(&vm).count <= 1);
	}
	memset(map, 0xfe, 16); /* further back than the start of the heap */
	assert_int_equal(walk(&vm).end, FRT_WALK_CODE);
	fake_vm_release(&vm);
}

static void sender_that_is_not_above_its_callee_ends_the_walk(void **state)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 17);
	fake_vm_call_stub(&vm);
	fake_vm_interpreted(&vm, METHOD, BCP);
	fake_vm_interpreted(&vm, METHOD + 1, BCP + 1);
	fake_vm_leave(&vm);
	fake_mem_put(&vm.m, vm.fp - 8, vm.sp, 8);
	walk_to(&vm, 0, FRT_WALK_STUCK);
	fake_mem_put(&vm.m, vm.fp - 8, vm.sp + 4, 8);
	assert_int_equal(walk(&vm).end, FRT_WALK_STUCK);
	fake_vm_release(&vm);
}

static void circle_of_call_stubs_ends_the_walk(void **state)
{
	struct fake_vm vm;
	uint64_t first;

	fake_vm_init(&vm, 17);
	fake_vm_call_stub(&vm);
	fake_vm_interpreted(&vm, METHOD, BCP);
	first = vm.fp;
	fake_vm_call_stub(&vm);
	/* the wrapper's anchor leads back to the call stub's own frame */
	fake_mem_put(&vm.m, vm.fp + 64 + 32, vm.sp, 8);
	fake_mem_put(&vm.m, vm.fp + 64 + 40, vm.call_stub, 8);
	fake_mem_put(&vm.m, vm.fp + 64 + 48, vm.fp, 8);
	fake_vm_leave(&vm);
	assert_true(first > vm.fp);
	assert_int_equal(walk(&vm).end, FRT_WALK_STUCK);
	fake_vm_release(&vm);
}

static void endless_row_of_stubs_ends_the_walk(void **state)
{
	struct fake_vm vm;
	uint64_t stub;

	fake_vm_init(&vm, 17);
	stub = fake_vm_blob(&vm, 0, "SafepointBlob", 4, 0x200);
	fake_vm_call_stub(&vm);
	for (int i = 0; i < 40; i++)
		fake_vm_fixed(&vm, stub + 0x150, 4);
	fake_vm_leave(&vm);
	assert_int_equal(walk(&vm).end, FRT_WALK_STUCK);
	fake_vm_release(&vm);
}

static void frame_outside_of_the_stack_is_unreadable(void **state)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 17);
	fake_vm_call_stub(&vm);
	fake_vm_interpreted(&vm, METHOD, BCP);
	fake_vm_interpreted(&vm, METHOD + 1, BCP + 1);
	fake_vm_leave(&vm);
	fake_mem_put(&vm.m, vm.fp, 0x6666, 8);
	walk_to(&vm, 1, FRT_WALK_UNREADABLE);
	fake_vm_release(&vm);
}

/* A stack with a frame of every kind. */
static void build_everything(struct fake_vm *vm)
{
	uint64_t one = fake_vm_nmethod(vm, 1, "nmethod", 12, 101), two = fake_vm_nmethod(vm, 2, "nmethod", 6, 102),
		 native = fake_vm_nmethod(vm, 1, "native nmethod", 8, 103),
		 stub = fake_vm_blob(vm, 0, "RuntimeStub", 20, 0x200),
		 upcall = fake_vm_blob(vm, 0, "upcall_stub", 0, 0x400);

	fake_mem_put(&vm->m, upcall + 72, 72, 4);
	fake_vm_call_stub(vm);
	fake_vm_interpreted(vm, METHOD, BCP);
	fake_vm_fixed(vm, one + FAKE_VM_DEOPT, 12);
	fake_mem_put(&vm->m, vm->sp + FAKE_VM_ORIG_PC, one + 0x234, 8);
	fake_vm_upcall(vm, upcall + 0x1ee, 72);
	fake_vm_fixed(vm, two + 0x220, 6);
	fake_vm_call_stub(vm);
	fake_vm_interpreted(vm, METHOD + 1, BCP + 1);
	fake_vm_fixed(vm, stub + 0x150, 20);
	fake_vm_fixed(vm, native + 0x230, 8);
	fake_vm_leave(vm);
}

static void walk_with_an_unreadable_word_is_cut_but_never_wrong(void **state)
{
	struct fake_vm vm;
	struct walked all, cut;
	unsigned int n = 0;

	fake_vm_init(&vm, 25);
	build_everything(&vm);
	all = walk(&vm);
	assert_int_equal(all.end, FRT_WALK_BOTTOM);
	assert_int_equal(all.count, 5);
	for (;;) {
		vm.m.reads = 0;
		vm.m.fail = ++n;
		cut = walk(&vm);
		if (vm.m.reads < n)
			break;
		assert_true(cut.count <= all.count);
		assert_true(cut.end == FRT_WALK_UNREADABLE || cut.end == FRT_WALK_CODE);
		assert_memory_equal(cut.frame, all.frame, cut.count * sizeof(*cut.frame));
	}
	assert_true(n > 50);
	fake_vm_release(&vm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thread_without_java_frames_has_an_empty_stack),
		cmocka_unit_test(interpreted_frames_are_walked_in_every_version),
		cmocka_unit_test(compiled_frames_are_walked_in_every_version),
		cmocka_unit_test(anchor_without_pc_has_it_below_its_sp),
		cmocka_unit_test(stubs_are_crossed_without_a_trace),
		cmocka_unit_test(stub_without_a_frame_size_ends_the_walk),
		cmocka_unit_test(nested_call_stubs_leave_out_the_c_code_between),
		cmocka_unit_test(upcall_stub_leads_to_the_caller_of_the_c_code),
		cmocka_unit_test(deoptimised_frame_has_its_real_pc),
		cmocka_unit_test(virtual_thread_ends_with_its_entry),
		cmocka_unit_test(virtual_thread_with_frames_in_the_heap_ends_there),
		cmocka_unit_test(other_stub_routines_are_no_return_barrier),
		cmocka_unit_test(pc_outside_of_all_code_ends_the_walk),
		cmocka_unit_test(freed_block_is_no_code),
		cmocka_unit_test(uncommitted_code_is_no_code),
		cmocka_unit_test(free_segment_is_no_code),
		cmocka_unit_test(segment_map_walk_ends_after_too_many_hops),
		cmocka_unit_test(segment_map_walk_stays_within_the_heap),
		cmocka_unit_test(block_of_many_segments_is_found),
		cmocka_unit_test(garbled_segment_map_ends_the_walk),
		cmocka_unit_test(sender_that_is_not_above_its_callee_ends_the_walk),
		cmocka_unit_test(circle_of_call_stubs_ends_the_walk),
		cmocka_unit_test(endless_row_of_stubs_ends_the_walk),
		cmocka_unit_test(frame_outside_of_the_stack_is_unreadable),
		cmocka_unit_test(walk_with_an_unreadable_word_is_cut_but_never_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
