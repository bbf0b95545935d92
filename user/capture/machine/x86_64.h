/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef USER_CAPTURE_MACHINE_X86_64_H
#define USER_CAPTURE_MACHINE_X86_64_H

#include <sys/user.h>

#define WORD(register) (offsetof(struct user_regs_struct, register) / 8)

/* struct pt_regs begins as struct user_regs_struct does. */
static inline int register_word(const char *name, size_t length)
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

/* "%r12", "-56(%rbp)" */
static inline bool place_parse(const char *at, const char *end, struct usdt_place *out)
{
	char *after;

	*out = (struct usdt_place){.memory = *at != '%'};
	if (out->memory) {
		out->offset = *at == '(' ? 0 : strtol(at, &after, 10);
		if (*at != '(')
			at = after;
		if (end - at < 3 || at[0] != '(' || at[1] != '%' || end[-1] != ')')
			return false;
		at++;
		end--;
	}
	out->word = register_word(at + 1, end - at - 1);
	return out->word >= 0;
}

#endif
