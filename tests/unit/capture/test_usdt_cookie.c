// SPDX-License-Identifier: BSD-2-Clause
/* The places of arguments, as compilers write them into USDT notes. */
#include "user/capture/usdt_cookie.h"
#include "tests/lib/test.h"

/* struct pt_regs of x86-64: r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags sp */
enum { R15, R14, R13, R12, BP, BX, R11, R10, R9, R8, AX, CX, DX, SI, DI, SP = 19 };

static uint32_t argument(const char *text, int n)
{
	return usdt_cookie(FRT_SITE_OPERATION_BEGIN, text) >> (FRT_SITE_BITS + n * FRT_ARGUMENT_BITS) & 0xffffff;
}

static uint32_t in_register(uint32_t word)
{
	return FRT_ARGUMENT_KNOWN | word * FRT_ARGUMENT_REGISTER_1;
}

static uint32_t in_memory(uint32_t word, int offset)
{
	return in_register(word) | FRT_ARGUMENT_MEMORY | (offset & 0xffff);
}

CASE(cookie_begins_with_the_site)
{
	assert_int_equal(usdt_cookie(FRT_SITE_DRAIN, ""), FRT_SITE_DRAIN);
	assert_int_equal(usdt_cookie(FRT_SITE_OPERATION_BEGIN, "8@%r15 8@%r15 8@%r15") & 0xff,
			 FRT_SITE_OPERATION_BEGIN);
}

/* Those of vmops__begin in JDK 17, 25 and others. */
CASE(registers_and_words_on_the_stack_are_known)
{
	assert_int_equal(argument("8@%r12 8@%rdx -4@%eax", 0), in_register(R12));
	assert_int_equal(argument("8@%r12 8@%rdx -4@%eax", 1), in_register(DX));
	assert_int_equal(argument("8@%r14 8@%r15 -4@%eax", 1), in_register(R15));
	assert_int_equal(argument("-8@%rdi", 0), in_register(DI));
	assert_int_equal(argument("8@-56(%rbp) 8@(%rsp)", 0), in_memory(BP, -56));
	assert_int_equal(argument("8@-56(%rbp) 8@(%rsp)", 1), in_memory(SP, 0));
	assert_int_equal(argument("8@32767(%r8)  8@-32768(%rsi)", 0), in_memory(R8, 32767));
	assert_int_equal(argument("8@32767(%r8)  8@-32768(%rsi)", 1), in_memory(SI, -32768));
}

CASE(anything_else_is_unknown)
{
	static const char *const texts[] = {
		"",
		"4@%eax",
		"1@$1",
		"8@$5",
		"8@%eax",
		"8@%rdi,",
		"8@",
		"8@%",
		"8@(%rbp",
		"8@(%)",
		"8@8(%rax,%rcx,8)",
		"8@32768(%rbp)",
		"8@-(%rbp)x",
		"8%rdi",
		"@%rdi",
		"88@%rdi",
		"8@name(%rip)",
		"8@99999999999999999999(%rbp)",
		"8@0x8(%rbp)",
		"8@\t8(%rbp)extra",
		"8@\n9999999",
		"8@(%rbp)junk",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(argument(texts[i], 0), 0);
	assert_int_equal(argument("4@%eax 8@%rdi", 1), in_register(DI));
}

/* Those of method__entry in JDK 11, 21 and 26: class, name, descriptor, thread. */
CASE(arguments_of_method_probes_are_registers)
{
	static const struct {
		const char *text;
		int word[FRT_SITE_REGISTERS];
	} sites[] = {
		{"-8@%rax 8@%rdi -4@%esi 8@%r8 -4@%ecx 8@%r9 -4@%edx", {DI, R8, R9, AX}},
		{"-8@%rax 8@%rdx -4@%ecx 8@%rsi -4@%edi 8@%r8 -4@%r9d", {DX, SI, R8, AX}},
		{"-8@%r9 8@%rax -4@%edx 8@%rcx -4@%esi 8@%rdi -4@%r8d", {AX, CX, DI, R9}},
	};

	for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
		uint64_t cookie = usdt_register_cookie(FRT_SITE_METHOD_ENTRY, sites[i].text);

		assert_int_equal(cookie & 0xff, FRT_SITE_METHOD_ENTRY);
		for (int n = 0; n < FRT_SITE_REGISTERS; n++)
			assert_int_equal(cookie >> (FRT_SITE_BITS + n * FRT_REGISTER_BITS) & FRT_REGISTER_MASK,
					 sites[i].word[n]);
	}
}

CASE(method_probes_with_other_arguments_are_refused)
{
	static const char *const texts[] = {
		"",
		"-8@%rax",
		"-8@%rax 8@-8(%rbp) -4@%ecx 8@%rsi -4@%edi 8@%r8 -4@%r9d",
		"-8@%rax 8@%rdx -4@%ecx 8@%rsi -4@%edi 4@%r8d -4@%r9d",
		"8@$0 8@%rdx -4@%ecx 8@%rsi -4@%edi 8@%r8 -4@%r9d",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(usdt_register_cookie(FRT_SITE_METHOD_ENTRY, texts[i]), 0);
}
