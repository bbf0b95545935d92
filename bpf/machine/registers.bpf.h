/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the programs in the kernel need of the machine. Each machine's header has the same names:
 *
 *    struct pt_regs___kernel	the registers with which a task entered the kernel
 *    regs_pc(), regs_argument_1(), _2(), _4()	of these
 *    regs_call()		the number of the system call; negative: the task entered otherwise
 *    registers_take()		those from which a stack can be unwound
 *    CONTEXT_TAKE(to, c)	the same of the context of a perf event's program
 *    CONTEXT_THREAD(c)		the register that has the JavaThread in Java code, of a uprobe's context
 *    SITE_CONTEXT		the struct that begins with these registers
 *    SITE_REGISTERS(CASE)	the words of struct pt_regs that arguments of sites can be in, see site.bpf.h
 *    CALL_PUSHES		bytes that a call puts on the stack
 *    USER_SPACE		the lowest address that no program has
 *    HAS_UPROBE_CALLS		may uprobes enter the kernel by system calls?
 *    preempt_count_of()	of the CPU that runs this task; `offset`: see there
 *    __NR_poll and others	are negative numbers of their own where there are no such system calls
 */
#ifndef BPF_REGISTERS_BPF_H
#define BPF_REGISTERS_BPF_H

#include "bpf/queue.h"

#include <asm/unistd.h>

#if defined(__TARGET_ARCH_x86)
#include "bpf/machine/registers_x86_64.bpf.h"
#elif defined(__TARGET_ARCH_arm64)
#include "bpf/machine/registers_aarch64.bpf.h"
#else
#error "frtrace knows x86_64 and aarch64"
#endif

#endif
