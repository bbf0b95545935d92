/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each machine's header has the same names:
 *
 *    registers_of()		the registers of getcontext(), as programs in the kernel take them
 *    TLS_DESCRIPTORS		the compiler's option for them
 *
 * next_tick() waits until sys_tsc() has another value: on aarch64 that may take 40 ns.
 */
#ifndef TESTS_LIB_MACHINE_H
#define TESTS_LIB_MACHINE_H

#include "uprobes/agent/machine/machine.h"

static inline void next_tick(void)
{
	uint64_t now = sys_tsc();

	while (sys_tsc() == now)
		;
}

#if defined(__x86_64__)
#include "tests/lib/machine/x86_64.h"
#elif defined(__aarch64__)
#include "tests/lib/machine/aarch64.h"
#else
#error "frtrace knows x86_64 and aarch64"
#endif

#endif
