/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef USER_STACKS_MACHINE_X86_64_H
#define USER_STACKS_MACHINE_X86_64_H

/*
 * HotSpot's compilers begin a method by
 *
 *	[bang the stack]  push rbp; [mov rbp, rsp;]  sub rsp, SIZE - 16
 *	[bang the stack]  sub rsp, SIZE - 8;  mov [rsp + SIZE - 16], rbp
 *
 * and end it by `add rsp, SIZE - 16; pop rbp; [poll;] ret`.
 */

#define CODE_CALLED CODE_RETURN

static inline uint64_t link_of(const struct frt_registers *r)
{
	return 0;
}

/* The Method whose frame the interpreter is building; 0: no register has it. */
static inline uint64_t method_of(const struct frt_registers *r)
{
	return r->saved[0]; /* rbx */
}

/* Is it `op rsp, number`, with REX.W, an opcode for 8 or 32 bits, and this ModRM? Returns its length, or 0. */
static inline size_t adjusts_stack(const uint8_t *p, size_t left, uint8_t modrm, uint32_t *number)
{
	if (left < 4 || p[0] != 0x48 || p[2] != modrm)
		return 0;
	if (p[1] == 0x83) {
		*number = p[3];
		return 4;
	}
	if (p[1] != 0x81 || left < 7)
		return 0;
	memcpy(number, p + 3, 4);
	return 7;
}

/* The instruction that makes the frame. Returns the offset behind it, or 0; *begin: where it begins; *pushed: see there. */
static inline size_t find_prologue(const uint8_t *p, size_t size, uint32_t frame, size_t *begin, size_t *pushed)
{
	uint32_t number;

	for (size_t i = 0; i < size; i++) {
		size_t length = adjusts_stack(p + i, size - i, 0xec, &number); /* sub */

		if (!length || (number != frame - 8 && number != frame - 16))
			continue;
		*begin = i;
		*pushed = 0;
		if (number == frame - 8)
			return i + length;
		for (size_t back = 1; back <= 4 && back <= i; back++)
			if (p[i - back] == 0x55) { /* push rbp */
				*pushed = i - back + 1;
				return i + length;
			}
	}
	return 0;
}

/* Are these the rest of a method: a poll for a safepoint, or a part of it, and the return? */
static inline bool is_end(const uint8_t *p)
{
	static const struct {
		uint8_t bytes[3], size, returns; /* returns: offset of `ret` */
	} ends[] = {
		{{0xc3}, 1, 0},
		{{0x49, 0x3b, 0xa7}, 3, 13}, /* cmp rsp, [r15 + x]; ja, since JDK 16 */
		{{0x0f, 0x87}, 2, 6},
		{{0x85, 0x05}, 2, 6},	     /* test eax, [rip + x], until JDK 9 */
		{{0x4d, 0x8b, 0x97}, 3, 10}, /* mov r10, [r15 + x]; test eax, [r10] */
		{{0x41, 0x85, 0x02}, 3, 3},
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!memcmp(p, ends[i].bytes, ends[i].size) && p[ends[i].returns] == 0xc3)
			return true;
	return false;
}

static inline enum code_place place_in_code(const uint8_t *begin, size_t size, uint64_t at,
					    const uint8_t next[CODE_PLACE_NEXT], uint32_t frame)
{
	size_t made, from, pushed;

	if (is_end(next))
		return CODE_RETURN;
	if (next[0] == 0x5d && is_end(next + 1)) /* pop rbp */
		return CODE_SAVED;
	if (at >= size)
		return CODE_FRAME;
	made = find_prologue(begin, size, frame, &from, &pushed);
	if (!made || at >= made)
		return CODE_FRAME;
	return pushed && at >= pushed ? CODE_SAVED : CODE_RETURN;
}

#endif
