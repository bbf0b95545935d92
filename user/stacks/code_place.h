/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a thread is in compiled code that was interrupted anywhere. A frame is there between the instruction that makes it
 * and the one that gives it back; outside of these the caller's program counter lies at the stack pointer, or above the
 * saved rbp. HotSpot's compilers begin a method by
 *
 *	[bang the stack]  push rbp; [mov rbp, rsp;]  sub rsp, SIZE - 16
 *	[bang the stack]  sub rsp, SIZE - 8;  mov [rsp + SIZE - 16], rbp
 *
 * and end it by `add rsp, SIZE - 16; pop rbp; [poll;] ret`.
 */
#ifndef USER_STACKS_CODE_PLACE_H
#define USER_STACKS_CODE_PLACE_H

#include <stddef.h>
#include <stdint.h>

enum code_place {
	CODE_FRAME,  /* the frame is complete */
	CODE_SAVED,  /* on top of the stack are the saved rbp and the caller's program counter */
	CODE_RETURN, /* on top of the stack is the caller's program counter */
};

#define CODE_PLACE_BEGIN 160 /* bytes from the begin of the code that are enough */
#define CODE_PLACE_NEXT	 24  /* and from the program counter */

/*
 * `begin`: the first bytes of the code; `at`: offset of the program counter; `next`: the bytes from there on; `frame`: the
 * size of a frame with the caller's program counter, in bytes.
 */
enum code_place code_place(const uint8_t *begin, size_t size, uint64_t at, const uint8_t next[CODE_PLACE_NEXT],
			   uint32_t frame);

#endif
