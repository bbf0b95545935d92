/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a thread is in compiled code that was interrupted anywhere. A frame is there between the instruction that makes it
 * and the one that gives it back; outside of these the caller's program counter lies at the stack pointer, above the
 * saved frame pointer, or in the link register of a machine that has one.
 */
#ifndef USER_STACKS_CODE_PLACE_H
#define USER_STACKS_CODE_PLACE_H

#include "user/stacks/machine/machine.h"

/*
 * `begin`: the first bytes of the code; `at`: offset of the program counter; `next`: the bytes from there on; `frame`: the
 * size of a frame with the caller's program counter, in bytes.
 */
enum code_place code_place(const uint8_t *begin, size_t size, uint64_t at, const uint8_t next[CODE_PLACE_NEXT],
			   uint32_t frame);

#endif
