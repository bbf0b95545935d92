/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What methods' code looks like. Each machine's header has the same names:
 *
 *    place_in_code()		see code_place()
 *    CODE_CALLED		where the return address is before a function has made its frame
 *    link_of()			the link register, of a machine that has one
 */
#ifndef USER_STACKS_MACHINE_H
#define USER_STACKS_MACHINE_H

#include "bpf/queue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum code_place {
	CODE_FRAME,  /* the frame is complete */
	CODE_SAVED,  /* on top of the stack are the saved frame pointer and the caller's program counter */
	CODE_RETURN, /* on top of the stack is the caller's program counter */
	CODE_LINK,   /* the caller's program counter is in the link register, and nothing is on the stack */
	CODE_EMPTY,  /* the same, and on top of the stack is the room of the frame */
};

#define CODE_PLACE_BEGIN 160 /* bytes from the begin of the code that are enough */
#define CODE_PLACE_NEXT	 24  /* and from the program counter */

#if defined(__x86_64__)
#include "user/stacks/machine/x86_64.h"
#elif defined(__aarch64__)
#include "user/stacks/machine/aarch64.h"
#else
#error "frtrace knows x86_64 and aarch64"
#endif

#endif
