// SPDX-License-Identifier: BSD-2-Clause
#include "user/stacks/interpreter_place.h"
#include "tests/lib/fake_layout.h"
#include "tests/lib/fake_mem.h"
#include "tests/lib/test.h"

#if defined(__x86_64__)

#define CODE	    0x10000 /* of methods, with the interpreter's at its beginning */
#define INTERPRETER CODE
#define COMPILED    (CODE + 0x8000)
#define METHOD	    0x20000
#define CALLER	    0x21000
#define STACK	    0x30000
#define WORDS	    64u

/* Where bytecode begins: 48 bytes behind the start of what belongs to the method (const_size). */
#define BYTECODE(method) ((method) + 0x800 + 48)

static struct fake_mem memory;
static struct frt_layout layout;
static struct frt_registers at;
static uint64_t stack[WORDS]; /* the last ones, from at.sp on, are the copy */

static void method(uint64_t address, uint16_t size)
{
	fake_mem_map(&memory, address, 0x1000);
	fake_mem_put(&memory, address + layout.method_const, address + 0x800, 8);
	fake_mem_put(&memory, address + 0x800 + layout.const_code_size, size, 2);
}

static uint64_t *word(uint64_t address)
{
	assert_in_range(address, STACK, STACK + 8 * (WORDS - 1));
	return &stack[(address - STACK) / 8];
}

/* The frame of CALLER, which waits for what it has called, with three words of expressions and arguments below it. */
#define CALLER_FP (STACK + 8 * 40)
#define CALLER_SP (CALLER_FP - 8 * 12)

static int setup(void **state)
{
	fake_mem_init(&memory);
	layout = fake_walk();
	layout.heaps = 1;
	layout.heap[0].low = CODE;
	layout.heap[0].high = CODE + 0x10000;
	layout.interpreter = INTERPRETER;
	layout.interpreter_end = INTERPRETER + 0x8000;
	layout.interpreter_method = -3;
	layout.interpreter_bcp = -8;
	layout.interpreter_sender_sp = -1;
	method(METHOD, 5);
	method(CALLER, 100);
	memset(stack, 0, sizeof(stack));
	*word(CALLER_FP - 24) = CALLER;
	*word(CALLER_FP - 64) = BYTECODE(CALLER) + 7;
	at = (struct frt_registers){.pc = INTERPRETER + 5, .sp = CALLER_SP, .fp = CALLER_FP};
	return 0;
}

static int teardown(void **state)
{
	fake_mem_release(&memory);
	return 0;
}

static struct interpreted found;

static enum interpreter_place place(void)
{
	struct interpreter_thread t = {.layout = &layout,
				       .mem = &memory.mem,
				       .at = &at,
				       .stack = (const uint8_t *)word(at.sp),
				       .size = 8 * WORDS - (at.sp - STACK)};

	return interpreter_place(&t, &found);
}

#define RBX at.saved[0]
#define R13 at.saved[FRT_SAVED_BYTECODE]

CASE(a_method_that_runs_is_where_the_register_points, setup, teardown)
{
	R13 = BYTECODE(CALLER);
	assert_int_equal(place(), INTERPRETER_RUNS);
	assert_int_equal(found.bytecode, R13);
	R13 = BYTECODE(CALLER) + 99;
	assert_int_equal(place(), INTERPRETER_RUNS);
}

CASE(a_native_method_is_at_its_beginning, setup, teardown)
{
	fake_mem_put(&memory, CALLER + 0x800 + layout.const_code_size, 0, 2);
	R13 = BYTECODE(CALLER);
	assert_int_equal(place(), INTERPRETER_RUNS);
	R13++;
	assert_int_equal(place(), INTERPRETER_CALLS);
}

/* Step by step, what HotSpot's generate_fixed_frame() does, from the jump to the method's entry on. */
CASE(a_frame_that_is_being_built_is_never_taken_for_another_one, setup, teardown)
{
	const uint64_t pushed[] = {CALLER_SP, 0, METHOD, 0, 0, 0, CALLER_SP + 8, BYTECODE(METHOD)};

	RBX = METHOD;
	R13 = CALLER_SP;
	at.sp = CALLER_SP - 8;
	*word(at.sp) = INTERPRETER + 0x100; /* the call */
	assert_int_equal(place(), INTERPRETER_CALLS);
	at.sp += 8; /* pop rax */
	assert_int_equal(place(), INTERPRETER_CALLS);
	at.sp -= 8; /* a local */
	*word(at.sp) = 0;
	assert_int_equal(place(), INTERPRETER_CALLS);
	at.sp -= 8; /* push rax */
	*word(at.sp) = INTERPRETER + 0x100;
	assert_int_equal(place(), INTERPRETER_CALLS);
	at.sp -= 8; /* push rbp */
	*word(at.sp) = CALLER_FP;
	assert_int_equal(place(), INTERPRETER_CALLS);
	at.fp = at.sp; /* mov rbp, rsp */
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(place(), INTERPRETER_BUILDS);
		assert_int_equal(found.method, METHOD);
		assert_int_equal(found.bytecode, BYTECODE(METHOD));
		assert_int_equal(found.pc, INTERPRETER + 0x100);
		assert_int_equal(found.fp, CALLER_FP);
		assert_int_equal(found.sp, CALLER_SP);
		at.sp -= 8;
		*word(at.sp) = pushed[i];
		if (i == 1)
			R13 = BYTECODE(METHOD);
		if (i == 2)
			RBX = 0xdead; /* it has been pushed */
	}
	assert_int_equal(place(), INTERPRETER_RUNS);
	assert_int_equal(found.bytecode, BYTECODE(METHOD));
}

/* Compiled code keeps the frame pointer of whoever called it, or anything else. */
CASE(a_compiled_caller_is_not_skipped, setup, teardown)
{
	RBX = METHOD;
	R13 = CALLER_SP - 64;
	at.sp = CALLER_SP - 64;
	*word(CALLER_SP - 8) = INTERPRETER + 0x100; /* from the compiled method */
	*word(at.sp) = COMPILED + 0x20;		    /* to it */
	assert_int_equal(place(), INTERPRETER_UNKNOWN);
	at.sp += 8; /* pop rax */
	assert_int_equal(place(), INTERPRETER_UNKNOWN);
	at.fp = 0xdead;
	assert_int_equal(place(), INTERPRETER_UNKNOWN);
	at.fp = UINT64_MAX - 7;
	assert_int_equal(place(), INTERPRETER_UNKNOWN);
}

CASE(what_cannot_be_read_is_unknown, setup, teardown)
{
	R13 = CALLER_SP;
	*word(CALLER_FP - 24) = 0x666000;
	assert_int_equal(place(), INTERPRETER_UNKNOWN);
	at.fp = at.sp + 16;
	RBX = 0x666000;
	assert_int_equal(place(), INTERPRETER_UNKNOWN);
	RBX = METHOD;
	R13 = at.fp; /* the caller's stack pointer lies above */
	at.fp = at.sp;
	R13 = at.sp;
	assert_int_equal(place(), INTERPRETER_UNKNOWN);
}

CASE(a_deep_stack_of_expressions_is_unknown_between_methods_only, setup, teardown)
{
	at.sp = CALLER_SP - 8;
	layout.interpreter_bcp = 0x7000; /* a layout that cannot be */
	R13 = BYTECODE(CALLER);
	assert_int_equal(place(), INTERPRETER_RUNS);
	R13 = 0;
	assert_int_equal(place(), INTERPRETER_UNKNOWN);
}

#endif
