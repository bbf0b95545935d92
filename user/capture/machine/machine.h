/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What capturing needs of the machine. Each machine's header has the same names:
 *
 *    register_word()		the word of struct pt_regs, as programs see it, of a register of this name; -1: none
 *    place_parse()		where an argument of a USDT note is: the text from `at` to `end`, behind the '@'. False: elsewhere
 */
#ifndef USER_CAPTURE_THIS_MACHINE_H
#define USER_CAPTURE_THIS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A register, or the word in memory at a register plus an offset. */
struct usdt_place {
	int word; /* of struct pt_regs */
	bool memory;
	long offset;
};

#if defined(__x86_64__)
#include "user/capture/machine/x86_64.h"
#elif defined(__aarch64__)
#include "user/capture/machine/aarch64.h"
#else
#error "frtrace knows x86_64 and aarch64"
#endif

#endif
