// SPDX-License-Identifier: BSD-2-Clause
/* The walker on hand-made stacks, in fake JVMs with the tables of each version. */
#include "tests/lib/fake_vm.h"
#include "tests/lib/test.h"

#define WALK_READ(w, to, size, address) mem_read((w)->context, address, to, size)
#define WALK_STACK(w, to, address)	mem_u64((w)->context, address, to)
#define WALK_CODE(w, pc, code)		walk_code_at(w, pc, code)
#include "bpf/walk.h"

#define MAX_FRAMES 64
#define METHOD	   0x7f7000001000ULL
#define BCP	   0x7f7000002000ULL

static struct fake_vm vm;

struct walked {
	int count;
	struct frt_frame frame[MAX_FRAMES];
	enum frt_walk_end end;
};

static int release(void **state)
{
	fake_vm_release(&vm);
	return 0;
}

/* A JVM whose thread has called Java. */
static void begin(unsigned int version)
{
	fake_vm_init(&vm, version);
	fake_vm_call_stub(&vm);
}

static int begin_17(void **state)
{
	begin(17);
	return 0;
}

static void in_each_version(unsigned int first, void (*check)(void))
{
	for (const unsigned int *v = fake_vm_versions(); *v; v++) {
		if (*v < first)
			continue;
		begin(*v);
		check();
		fake_vm_release(&vm);
	}
}

static void interpreted(int i)
{
	fake_vm_interpreted(&vm, METHOD + i, BCP + i);
}

/* A walk of the stack as it is. */
static struct walked walk(void)
{
	struct walked out = {0};
	struct walk w = {.layout = &vm.layout.walk, .context = &vm.m.mem};

	if (walk_anchor(&w, vm.thread + vm.layout.walk.thread_anchor))
		while (out.count < MAX_FRAMES && walk_next(&w, &out.frame[out.count]))
			out.count++;
	out.end = w.end;
	return out;
}

/* The walk once the thread has entered C. */
static struct walked walk_to(int count, enum frt_walk_end end)
{
	struct walked w;

	fake_vm_leave(&vm);
	w = walk();
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

static void assert_interpreted(const struct frt_frame *f, int i)
{
	assert_frame(f, FRT_FRAME_INTERPRETED, METHOD + i, BCP + i, 0);
}

static void assert_no_code_at(uint64_t pc)
{
	vm.pc = pc;
	walk_to(0, FRT_WALK_CODE);
}

CASE(thread_without_java_frames_has_an_empty_stack, NULL, release)
{
	fake_vm_init(&vm, 17);
	assert_int_equal(walk().count, 0);
	assert_int_equal(walk().end, FRT_WALK_BOTTOM);
}

static void interpreted_frames(void)
{
	struct walked w;

	for (int i = 0; i < 3; i++)
		interpreted(i);
	w = walk_to(3, FRT_WALK_BOTTOM);
	for (int i = 0; i < 3; i++)
		assert_interpreted(&w.frame[i], 2 - i);
}

CASE(interpreted_frames_are_walked_in_every_version)
{
	in_each_version(0, interpreted_frames);
}

static void compiled_frames(void)
{
	unsigned int heap = vm.heaps - 1;
	uint64_t one = fake_vm_nmethod(&vm, heap, "nmethod", 12, 101),
		 two = fake_vm_nmethod(&vm, heap, "nmethod", 4, 102),
		 native = fake_vm_nmethod(&vm, heap, "native nmethod", 8, 103);
	struct walked w;

	fake_vm_fixed(&vm, one + 0x210, 12);
	fake_vm_fixed(&vm, two + 0x220, 4);
	interpreted(0);
	fake_vm_fixed(&vm, native + 0x230, 8);
	vm.fp = 0; /* a native wrapper leaves none */
	w = walk_to(4, FRT_WALK_BOTTOM);
	assert_frame(&w.frame[0], FRT_FRAME_NATIVE, native, native + 0x230, 103);
	assert_interpreted(&w.frame[1], 0);
	assert_frame(&w.frame[2], FRT_FRAME_COMPILED, two, two + 0x220, 102);
	assert_frame(&w.frame[3], FRT_FRAME_COMPILED, one, one + 0x210, 101);
}

CASE(compiled_frames_are_walked_in_every_version)
{
	in_each_version(0, compiled_frames);
}

CASE(anchor_without_pc_has_it_below_its_sp, begin_17, release)
{
	interpreted(0);
	fake_mem_put(&vm.m, vm.sp - 8, vm.pc, 8);
	vm.pc = 0;
	walk_to(1, FRT_WALK_BOTTOM);
}

CASE(stubs_are_crossed_without_a_trace, NULL, release)
{
	begin(25);
	interpreted(0);
	fake_vm_fixed(&vm, fake_vm_blob(&vm, 0, "Shared Runtime resolve_virtual_call_blob", 356, 0x600) + 0x150, 356);
	walk_to(1, FRT_WALK_BOTTOM);
}

CASE(stub_without_a_frame_size_ends_the_walk, NULL, release)
{
	begin(26);
	fake_vm_fixed(&vm, fake_vm_nmethod(&vm, 1, "nmethod", 6, 7) + 0x210, 6);
	fake_vm_fixed(&vm, fake_vm_blob(&vm, 0, "C1 Runtime unwind_exception_blob", -1, 0x200) + 0x150, 4);
	walk_to(0, FRT_WALK_CODE);
}

CASE(nested_call_stubs_leave_out_the_c_code_between, NULL, release)
{
	struct walked w;
	uint64_t nmethod;

	begin(11);
	nmethod = fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);
	interpreted(0);
	fake_vm_call_stub(&vm);
	fake_vm_fixed(&vm, nmethod + 0x210, 6);
	fake_vm_call_stub(&vm);
	interpreted(1);
	w = walk_to(3, FRT_WALK_BOTTOM);
	assert_interpreted(&w.frame[0], 1);
	assert_frame(&w.frame[1], FRT_FRAME_COMPILED, nmethod, nmethod + 0x210, 7);
	assert_interpreted(&w.frame[2], 0);
}

static void upcall(void)
{
	uint64_t stub = fake_vm_blob(&vm, 0, "upcall_stub", 0, 0x400);
	struct walked w;

	fake_mem_put(&vm.m, stub + (vm.jdk_version == 21 ? 112 : 72), 72, 4);
	interpreted(0);
	fake_vm_upcall(&vm, stub + 0x1ee, 72);
	interpreted(1);
	w = walk_to(2, FRT_WALK_BOTTOM);
	assert_interpreted(&w.frame[1], 0);

	vm.layout.walk.upcall_frame_data = FRT_NO_OFFSET;
	walk_to(1, FRT_WALK_CODE);
}

CASE(upcall_stub_leads_to_the_caller_of_the_c_code)
{
	in_each_version(21, upcall);
}

static void deoptimised_frame(unsigned int handler)
{
	uint64_t nmethod = fake_vm_nmethod(&vm, 0, "nmethod", 12, 9);
	struct walked w;

	fake_vm_fixed(&vm, nmethod + handler, 12);
	fake_mem_put(&vm.m, vm.sp + FAKE_VM_ORIG_PC, nmethod + 0x234, 8);
	w = walk_to(1, FRT_WALK_BOTTOM);
	assert_int_equal(w.frame[0].flags, FRT_FRAME_DEOPTIMISED);
	assert_int_equal(w.frame[0].at, nmethod + 0x234);

	/* a slot that is not written yet is ignored */
	fake_mem_put(&vm.m, vm.sp + FAKE_VM_ORIG_PC, 0x1234, 8);
	w = walk();
	assert_int_equal(w.frame[0].flags, FRT_FRAME_DEOPTIMISED);
	assert_int_equal(w.frame[0].at, vm.pc);
}

static void deoptimised_by_handler(void)
{
	deoptimised_frame(FAKE_VM_DEOPT);
}

static void deoptimised_by_method_handle_handler(void)
{
	if (vm.jdk_version < 26)
		deoptimised_frame(FAKE_VM_DEOPT_MH);
}

CASE(deoptimised_frame_has_its_real_pc)
{
	in_each_version(0, deoptimised_by_handler);
	in_each_version(0, deoptimised_by_method_handle_handler);
}

static const struct entry {
	const char *name;
	unsigned int version, before; /* bytes before the stub for continuations */
} entries[] = {
	{"virtual_thread_ends_with_its_entry", 25, 0},
	{"virtual_thread_ends_with_its_call_of_the_entry", 25, 0x40},
	{"virtual_thread_of_jdk_26_ends_with_its_entry", 26, 0},
	{"virtual_thread_of_jdk_26_ends_with_its_call_of_the_entry", 26, 0x40},
};

CASES(virtual_thread_ends, entries, NULL, release)
{
	struct walked w;

	begin(row->version);
	interpreted(0);
	fake_vm_fixed(&vm, vm.continuation - row->before, 10);
	interpreted(1);
	w = walk_to(2, FRT_WALK_BOTTOM);
	assert_int_equal(w.frame[1].kind, FRT_FRAME_NATIVE);
	assert_int_equal(w.frame[1].at, vm.continuation - row->before);
}

static void frames_in_the_heap(void)
{
	vm.pc = vm.barrier;
	interpreted(0);
	walk_to(1, FRT_WALK_CHUNK);

	vm.layout.walk.return_barrier = vm.barrier;
	assert_int_equal(walk().end, FRT_WALK_CHUNK);
}

CASE(virtual_thread_with_frames_in_the_heap_ends_there)
{
	in_each_version(21, frames_in_the_heap);
}

CASE(other_stub_routines_are_no_return_barrier, NULL, release)
{
	begin(21);
	vm.pc = fake_vm_blob(&vm, 0, "StubRoutines (compiler stubs)", 0, 0x400) + 0x123;
	interpreted(0);
	fake_vm_leave(&vm);
	assert_int_equal(walk().end, FRT_WALK_CODE);
}

static const struct no_code {
	const char *name;
	uint64_t pc;
} no_codes[] = {
	{"pc_below_all_code_ends_the_walk", 0x1234},
	{"pc_above_all_code_ends_the_walk", FAKE_VM_CODE + 3 * FAKE_VM_HEAP},
	{"pc_behind_the_committed_code_ends_the_walk", FAKE_VM_CODE + FAKE_VM_HEAP / 2},
	{"pc_at_the_last_committed_byte_ends_the_walk", FAKE_VM_CODE + FAKE_VM_HEAP / 2 - 1},
	{"pc_in_the_stack_ends_the_walk", FAKE_VM_STACK},
};

CASES(pc_is_no_code, no_codes, begin_17, release)
{
	assert_no_code_at(row->pc);
}

CASE(freed_block_is_no_code, begin_17, release)
{
	uint64_t nmethod = fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);

	fake_vm_fixed(&vm, nmethod + 0x210, 6);
	fake_vm_leave(&vm);
	assert_int_equal(walk().count, 1);
	fake_mem_put(&vm.m, nmethod - 16 + 8, 0, 1);
	assert_int_equal(walk().end, FRT_WALK_CODE);
}

CASE(uncommitted_code_is_no_code, begin_17, release)
{
	vm.used[1] = FAKE_VM_HEAP / 2;
	assert_no_code_at(fake_vm_nmethod(&vm, 1, "nmethod", 6, 7) + 0x210);
}

/* 0xff is no distance, even with code 255 segments before. */
CASE(free_segment_is_no_code, begin_17, release)
{
	fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);
	assert_no_code_at(FAKE_VM_CODE + FAKE_VM_HEAP + 255 * 128 + 8);
}

CASE(segment_map_walk_ends_after_too_many_hops, begin_17, release)
{
	fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);
	memset(fake_mem_at(&vm.m, FAKE_VM_SEGMAP + 4096 + 1, 512), 1, 512);
	assert_no_code_at(FAKE_VM_CODE + FAKE_VM_HEAP + WALK_HOPS * 128 + 8);
}

/* The memory before the heap looks like a block, and the memory before the map like its start. */
CASE(segment_map_walk_stays_within_the_heap, begin_17, release)
{
	uint64_t low = FAKE_VM_CODE + FAKE_VM_HEAP, block = low - 128;
	const struct frt_layout *l = &vm.layout.walk;

	fake_mem_put(&vm.m, FAKE_VM_SEGMAP + 4095, 0, 1);
	fake_mem_put(&vm.m, FAKE_VM_SEGMAP + 4096, 1, 1);
	fake_mem_put(&vm.m, block + l->block_used, 1, 1);
	fake_mem_put_text(&vm.m, vm.names, "nmethod");
	fake_mem_put(&vm.m, block + l->block_size + l->blob_name, vm.names, 8);
	fake_mem_put(&vm.m, block + l->block_size + l->blob_size, 1024, 4);
	fake_mem_put(&vm.m, block + l->block_size + l->blob_frame_size, 4, 4);
	assert_no_code_at(low + 0x50);
}

CASE(block_of_many_segments_is_found, NULL, release)
{
	uint64_t nmethod;
	struct walked w;

	fake_vm_init(&vm, 17);
	nmethod = fake_vm_nmethod(&vm, 1, "nmethod", 6, 7);
	vm.used[1] -= 0x480;
	assert_int_equal(fake_vm_blob(&vm, 1, "nmethod", 6, 0x18000), nmethod); /* 769 segments: four hops */
	fake_vm_call_stub(&vm);
	fake_vm_fixed(&vm, nmethod + 0x17f00, 6);
	w = walk_to(1, FRT_WALK_BOTTOM);
	assert_int_equal(w.frame[0].code, nmethod);
}

CASE(garbled_segment_map_ends_the_walk, begin_17, release)
{
	uint8_t *map;

	fake_vm_fixed(&vm, fake_vm_nmethod(&vm, 1, "nmethod", 6, 7) + 0x210, 6);
	fake_vm_leave(&vm);
	map = fake_mem_at(&vm.m, FAKE_VM_SEGMAP + 4096, 16);
	for (int i = 0; i < 256; i++) {
		memset(map, i, 16);
		assert_true(walk().count <= 1);
	}
	memset(map, 0xfe, 16); /* further back than the start of the heap */
	assert_int_equal(walk().end, FRT_WALK_CODE);
}

CASE(sender_that_is_not_above_its_callee_ends_the_walk, begin_17, release)
{
	interpreted(0);
	interpreted(1);
	fake_mem_put(&vm.m, vm.fp - 8, vm.sp, 8);
	walk_to(0, FRT_WALK_STUCK);
	fake_mem_put(&vm.m, vm.fp - 8, vm.sp + 4, 8);
	assert_int_equal(walk().end, FRT_WALK_STUCK);
}

CASE(circle_of_call_stubs_ends_the_walk, begin_17, release)
{
	uint64_t first;

	interpreted(0);
	first = vm.fp;
	fake_vm_call_stub(&vm);
	/* the wrapper's anchor leads back to the call stub's own frame */
	fake_mem_put(&vm.m, vm.fp + 64 + 32, vm.sp, 8);
	fake_mem_put(&vm.m, vm.fp + 64 + 40, vm.call_stub, 8);
	fake_mem_put(&vm.m, vm.fp + 64 + 48, vm.fp, 8);
	fake_vm_leave(&vm);
	assert_true(first > vm.fp);
	assert_int_equal(walk().end, FRT_WALK_STUCK);
}

CASE(endless_row_of_stubs_ends_the_walk, begin_17, release)
{
	uint64_t stub = fake_vm_blob(&vm, 0, "SafepointBlob", 4, 0x200);

	for (int i = 0; i < 40; i++)
		fake_vm_fixed(&vm, stub + 0x150, 4);
	fake_vm_leave(&vm);
	assert_int_equal(walk().end, FRT_WALK_STUCK);
}

CASE(frame_outside_of_the_stack_is_unreadable, begin_17, release)
{
	interpreted(0);
	interpreted(1);
	fake_mem_put(&vm.m, vm.fp, 0x6666, 8);
	walk_to(1, FRT_WALK_UNREADABLE);
}

/* A stack with a frame of every kind. */
static void lay_everything(void)
{
	uint64_t one = fake_vm_nmethod(&vm, 1, "nmethod", 12, 101), two = fake_vm_nmethod(&vm, 2, "nmethod", 6, 102),
		 native = fake_vm_nmethod(&vm, 1, "native nmethod", 8, 103),
		 stub = fake_vm_blob(&vm, 0, "RuntimeStub", 20, 0x200),
		 upcall_stub = fake_vm_blob(&vm, 0, "upcall_stub", 0, 0x400);

	fake_mem_put(&vm.m, upcall_stub + 72, 72, 4);
	interpreted(0);
	fake_vm_fixed(&vm, one + FAKE_VM_DEOPT, 12);
	fake_mem_put(&vm.m, vm.sp + FAKE_VM_ORIG_PC, one + 0x234, 8);
	fake_vm_upcall(&vm, upcall_stub + 0x1ee, 72);
	fake_vm_fixed(&vm, two + 0x220, 6);
	fake_vm_call_stub(&vm);
	interpreted(1);
	fake_vm_fixed(&vm, stub + 0x150, 20);
	fake_vm_fixed(&vm, native + 0x230, 8);
}

CASE(walk_with_an_unreadable_word_is_cut_but_never_wrong, NULL, release)
{
	struct walked all, cut;
	unsigned int n = 0;

	begin(25);
	lay_everything();
	all = walk_to(5, FRT_WALK_BOTTOM);
	for (;;) {
		vm.m.reads = 0;
		vm.m.fail = ++n;
		cut = walk();
		if (vm.m.reads < n)
			break;
		assert_true(cut.count <= all.count);
		assert_true(cut.end == FRT_WALK_UNREADABLE || cut.end == FRT_WALK_CODE);
		assert_memory_equal(cut.frame, all.frame, cut.count * sizeof(*cut.frame));
	}
	assert_true(n > 50);
}
