/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef USER_STACKS_MACHINE_AARCH64_H
#define USER_STACKS_MACHINE_AARCH64_H

/*
 * HotSpot's compilers begin a method by
 *
 *	[bang the stack]  sub sp, sp, SIZE;  stp x29, x30, [sp, SIZE - 16]
 *	[bang the stack]  stp x29, x30, [sp, -16]!;  [mov x29, sp;]  sub sp, sp, SIZE - 16 (or [mov x8, SIZE - 16;] x8)
 *
 * and end it by
 *
 *	ldp x29, x30, [sp, SIZE - 16];  add sp, sp, SIZE;  [authenticate;]  [poll;] ret
 *	add sp, sp, SIZE - 16;  ldp x29, x30, [sp], 16;  [authenticate;]  [poll;] ret
 *
 * Encodings: Arm ARM, C6.2.
 */

#define CODE_CALLED CODE_LINK

static inline uint64_t link_of(const struct frt_registers *r)
{
	return r->saved[FRT_SAVED - 1];
}

/* The stack pointer is lowered for all of the frame before the frame pointer is set. */
static inline uint64_t method_of(const struct frt_registers *r)
{
	return 0;
}

static inline uint32_t code_at(const uint8_t *p)
{
	uint32_t instruction;

	memcpy(&instruction, p, sizeof(instruction));
	return instruction;
}

/* The number that `sub sp, sp, number` (or add) has; 0: it is none. */
static inline uint32_t moves_stack(uint32_t instruction, uint32_t operation)
{
	if ((instruction & 0xff8003ff) != operation)
		return 0;
	return (instruction >> 10 & 0xfff) << (instruction >> 22 & 1 ? 12 : 0);
}

#define SUB_SP	     0xd10003ffu
#define ADD_SP	     0x910003ffu
#define SUB_SP_X8    0xcb2863ffu
#define SAVE_PUSHED  0xa9bf7bfdu /* stp x29, x30, [sp, -16]! */
#define LOAD_POPPED  0xa8c17bfdu /* ldp x29, x30, [sp], 16 */
#define RETURN	     0xd65f03c0u
#define MOST_POLLING 5

/* stp or ldp x29, x30, [sp, at] */
static inline bool is_pair_at(uint32_t instruction, uint32_t operation, uint32_t at)
{
	return instruction == (operation | (at / 8 & 0x7f) << 15);
}

/* Part of what stands between the end of a frame and the return. */
static inline bool is_polling(uint32_t i)
{
	return (i & 0xfffff01f) == 0xd503201f || /* hints, which authenticate */
	       (i & 0xfffff800) == 0xdac11000 || /* aut.. x30, x29 and others */
	       (i & 0xffc003ff) == 0xf9400388 || /* ldr x8, [x28, number] */
	       i == 0xeb2863ff ||		 /* cmp sp, x8 */
	       (i & 0xff00001f) == 0x54000008 || /* b.hi */
	       i == 0xb940011f;			 /* ldr wzr, [x8] */
}

/* Does nothing but the return follow, perhaps after a poll for a safepoint? */
static inline bool returns_now(const uint8_t *p, size_t size)
{
	for (size_t i = 0; i + 4 <= size && i <= 4 * MOST_POLLING; i += 4) {
		if (code_at(p + i) == RETURN)
			return true;
		if (!is_polling(code_at(p + i)))
			return false;
	}
	return false;
}

static inline enum code_place place_in_end(const uint8_t next[CODE_PLACE_NEXT], uint32_t frame)
{
	if (returns_now(next, CODE_PLACE_NEXT))
		return CODE_LINK;
	if (!returns_now(next + 4, CODE_PLACE_NEXT - 4))
		return CODE_FRAME;
	if (moves_stack(code_at(next), ADD_SP) == frame)
		return CODE_EMPTY;
	return code_at(next) == LOAD_POPPED ? CODE_SAVED : CODE_FRAME;
}

/* The offsets behind the instruction that moves the stack pointer, and behind the one that saves. 0: there is none. */
static inline void find_prologue(const uint8_t *p, size_t size, uint32_t frame, size_t *moved, size_t *saved)
{
	*moved = *saved = 0;
	for (size_t i = 0; i + 4 <= size && !(*moved && *saved); i += 4) {
		uint32_t c = code_at(p + i), number = moves_stack(c, SUB_SP);

		if (!*moved && !*saved && number == frame && i + 8 <= size &&
		    is_pair_at(code_at(p + i + 4), 0xa9007bfd, frame - 16)) {
			*moved = i + 4;
			*saved = i + 8;
		} else if (!*saved && c == SAVE_PUSHED) {
			*saved = i + 4;
		} else if (*saved && (number == frame - 16 || c == SUB_SP_X8)) {
			*moved = i + 4;
		} else if (*saved && frame == 16) {
			*moved = *saved;
		}
	}
}

static inline enum code_place place_in_code(const uint8_t *begin, size_t size, uint64_t at,
					    const uint8_t next[CODE_PLACE_NEXT], uint32_t frame)
{
	enum code_place place = place_in_end(next, frame);
	size_t moved, saved;

	if (place != CODE_FRAME || at >= size)
		return place;
	find_prologue(begin, size, frame, &moved, &saved);
	if (!moved || !saved || (at >= moved && at >= saved))
		return CODE_FRAME;
	if (at < moved && at < saved)
		return CODE_LINK;
	return moved < saved ? CODE_EMPTY : CODE_SAVED;
}

#endif
