// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/usdt_cookie.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/user.h>

#define WORD(register) (offsetof(struct user_regs_struct, register) / 8)

/* The words of struct pt_regs, which begins as struct user_regs_struct does. -1: no such register. */
static int register_word(const char *name, size_t length)
{
	static const struct {
		const char *name;
		uint8_t word;
	} registers[] = {
		{"rax", WORD(rax)}, {"rbx", WORD(rbx)}, {"rcx", WORD(rcx)}, {"rdx", WORD(rdx)},
		{"rsi", WORD(rsi)}, {"rdi", WORD(rdi)}, {"rbp", WORD(rbp)}, {"rsp", WORD(rsp)},
		{"r8", WORD(r8)},   {"r9", WORD(r9)},	{"r10", WORD(r10)}, {"r11", WORD(r11)},
		{"r12", WORD(r12)}, {"r13", WORD(r13)}, {"r14", WORD(r14)}, {"r15", WORD(r15)},
	};

	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		if (strlen(registers[i].name) == length && !memcmp(registers[i].name, name, length))
			return registers[i].word;
	return -1;
}

/* "8@%r12", "8@-56(%rbp)". Returns 0 if the argument is anything else. */
static uint32_t argument_place(const char *text, size_t length)
{
	const char *end = text + length, *at = memchr(text, '@', length);
	bool eight = at && ((at == text + 1 && text[0] == '8') || (at == text + 2 && !memcmp(text, "-8", 2)));
	uint32_t place = FRT_ARGUMENT_KNOWN;
	char *after;
	int word;

	if (!eight || ++at == end)
		return 0;
	if (*at != '%') {
		long offset = *at == '(' ? 0 : strtol(at, &after, 10);

		if (*at != '(')
			at = after;
		if (offset != (int16_t)offset || end - at < 3 || at[0] != '(' || at[1] != '%' || end[-1] != ')')
			return 0;
		place |= FRT_ARGUMENT_MEMORY | ((uint32_t)offset & FRT_ARGUMENT_OFFSET);
		at++;
		end--;
	}
	word = register_word(at + 1, end - at - 1);
	return word < 0 ? 0 : place | (uint32_t)word * FRT_ARGUMENT_REGISTER_1;
}

/* "8@%rdx": the word, or -1. */
static int argument_register(const char *text, size_t length)
{
	uint32_t place = argument_place(text, length);

	return place & FRT_ARGUMENT_KNOWN && !(place & FRT_ARGUMENT_MEMORY)
		       ? (int)((place & FRT_ARGUMENT_REGISTER) / FRT_ARGUMENT_REGISTER_1)
		       : -1;
}

uint64_t usdt_register_cookie(enum frt_site site, const char *arguments)
{
	/* of hotspot:method__entry, from 1: after each text, its length */
	static const int wanted[FRT_SITE_REGISTERS] = {2, 4, 6, 1};
	uint64_t cookie = site;

	for (int i = 0; i < FRT_SITE_REGISTERS; i++) {
		const char *at = arguments + strspn(arguments, " ");
		int word;

		for (int n = 1; n < wanted[i]; n++) {
			at += strcspn(at, " ");
			at += strspn(at, " ");
		}
		word = argument_register(at, strcspn(at, " "));
		if (word < 0)
			return 0;
		cookie |= (uint64_t)word << (FRT_SITE_BITS + i * FRT_REGISTER_BITS);
	}
	return cookie;
}

uint64_t usdt_cookie(enum frt_site site, const char *arguments)
{
	uint64_t cookie = site;

	for (int i = 0; i < FRT_SITE_ARGUMENTS; i++) {
		size_t length = strcspn(arguments, " ");

		cookie |= (uint64_t)argument_place(arguments, length) << (FRT_SITE_BITS + i * FRT_ARGUMENT_BITS);
		arguments += length;
		arguments += strspn(arguments, " ");
	}
	return cookie;
}
