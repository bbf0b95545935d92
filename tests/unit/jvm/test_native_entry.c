// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/jvm/native_entry.h"

/* The code is followed by what does no harm. */
#define SKIP(...)                                      \
	({                                             \
		const uint8_t begin[] = {__VA_ARGS__}; \
		uint8_t code[NATIVE_ENTRY_CODE];       \
		memset(code, 0x90, sizeof(code));      \
		memcpy(code, begin, sizeof(begin));    \
		native_entry_skip(code, sizeof(code)); \
	})

CASE(a_push_is_probed_at_once)
{
	assert_int_equal(SKIP(0x55, 0x48, 0x89, 0xd6), 0);	 /* push %rbp */
	assert_int_equal(SKIP(0x41, 0x57), 0);			 /* push %r15 */
	assert_int_equal(SKIP(0xf3, 0x0f, 0x1e, 0xfa, 0x53), 4); /* endbr64; push %rbx */
}

CASE(harmless_instructions_are_skipped)
{
	assert_int_equal(SKIP(0x89, 0xd0, 0x41, 0x54), 2);	       /* mov %edx,%eax; push %r12 */
	assert_int_equal(SKIP(0x48, 0x89, 0xd6, 0x55), 3);	       /* mov %rdx,%rsi; push %rbp */
	assert_int_equal(SKIP(0x31, 0xc0, 0x45, 0x31, 0xc0, 0x53), 5); /* xor %eax,%eax; xor %r8d,%r8d; push %rbx */
	assert_int_equal(SKIP(0x4d, 0x85, 0xc0, 0x55), 3);	       /* test %r8,%r8; push %rbp */
	assert_int_equal(SKIP(0xb8, 1, 0, 0, 0, 0x55), 5);	       /* mov $1,%eax; push %rbp */
	assert_int_equal(SKIP(0x41, 0xbc, 1, 0, 0, 0, 0x55), 6);       /* mov $1,%r12d; push %rbp */
	assert_int_equal(SKIP(0x4c, 0x8b, 0x0d, 1, 2, 3, 4, 0x55), 7); /* mov address(%rip),%r9; push %rbp */
	assert_int_equal(SKIP(0x49, 0x89, 0xff, 0x55), 3);	       /* mov %rdi,%r15; push %rbp */
}

CASE(what_changes_the_entry_is_not_skipped)
{
	assert_int_equal(SKIP(0x48, 0x89, 0xf7, 0x55), 0);			   /* mov %rsi,%rdi */
	assert_int_equal(SKIP(0x31, 0xff, 0x55), 0);				   /* xor %edi,%edi */
	assert_int_equal(SKIP(0xbf, 1, 0, 0, 0, 0x55), 0);			   /* mov $1,%edi */
	assert_int_equal(SKIP(0x48, 0x8b, 0x3d, 0, 0, 0, 0, 0x55), 0);		   /* mov address(%rip),%rdi */
	assert_int_equal(SKIP(0x48, 0x83, 0xec, 0x18, 0x55), 0);		   /* sub $0x18,%rsp */
	assert_int_equal(SKIP(0x48, 0x89, 0xcc, 0x55), 0);			   /* mov %rcx,%rsp */
	assert_int_equal(SKIP(0x74, 0x02, 0x55), 0);				   /* je */
	assert_int_equal(SKIP(0x4c, 0x8b, 0x0d, 1, 2, 3, 4, 0xe9, 1, 2, 3, 4), 0); /* mov; jmp */
	assert_int_equal(SKIP(0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xff, 0x55), 4);
	assert_int_equal(SKIP(0x48, 0x8b, 0x07, 0x55), 0); /* mov (%rdi),%rax, which may fault */
}

CASE(code_is_read_within_its_bounds)
{
	static const uint8_t code[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x4c, 0x8b, 0x0d, 1, 2, 3, 4, 0x41, 0x54};

	for (size_t size = 0; size <= sizeof(code); size++)
		assert_true(native_entry_skip(code, size) <= size);
	assert_int_equal(native_entry_skip(code, sizeof(code)), 11);
	assert_int_equal(native_entry_skip(code, 11), 4);
}
