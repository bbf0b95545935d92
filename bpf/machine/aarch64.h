/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See machine.h. */
#ifndef FRTRACE_MACHINE_AARCH64_H
#define FRTRACE_MACHINE_AARCH64_H

#define FRT_SAVED	   11 /* x19 to x28, and the link register */
#define FRT_SAVED_BYTECODE 3  /* x22 */

/* Variables lie above the thread's control block. */
#define FRT_TLS_DISTANCE(value) (value)

/*
 * Pointer authentication puts its code into the bits above the address space of user programs, which is 48 bits wide, also
 * where the processor has more, unless a program asks for more by a hint to mmap(); HotSpot does not.
 */
#define WALK_ADDRESS(pc)  ((pc) & 0xffffffffffffull)
#define WALK_STRIP(pc)	  ((pc) = WALK_ADDRESS(pc))
#define WALK_BYTECODE	  (-9) /* one word more, so that the stack pointer is aligned */
#define WALK_CALL_WRAPPER (-8)

#endif
