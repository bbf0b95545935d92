/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef USER_PROCESS_MACHINE_AARCH64_H
#define USER_PROCESS_MACHINE_AARCH64_H

#include "uprobes/agent/machine/aarch64.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t tsc_now(void)
{
	__asm__ volatile("isb" ::: "memory");
	return sys_tsc();
}

static inline uint64_t tsc_step(void)
{
	return 1ull << machine_stamp_shift();
}

static inline void tsc_order(void)
{
	__asm__ volatile("isb" ::: "memory");
}

#define TSC_SOURCE "arch_sys_counter"

/* By architecture (Arm ARM, D12.1). */
static inline bool tsc_is_invariant(void)
{
	return true;
}

#define URETPROBE_CALL (-1)

/* A program cannot ask the processor. */
static inline const char *hypervisor_name(void)
{
	return NULL;
}

#endif
