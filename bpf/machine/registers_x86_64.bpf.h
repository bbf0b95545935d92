/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See registers.bpf.h. */
#ifndef BPF_REGISTERS_X86_64_BPF_H
#define BPF_REGISTERS_X86_64_BPF_H

#include "bpf/kernel.h"

/* The kernel's own definition; the one in <linux/ptrace.h> is for user space. */
struct pt_regs___kernel {
	unsigned long r15, r14, r13, r12, bp, bx, r10, di, si, orig_ax, ip, sp;
} __attribute__((preserve_access_index));

static __always_inline __u64 regs_pc(const struct pt_regs___kernel *r)
{
	return r->ip;
}

static __always_inline long regs_call(const struct pt_regs___kernel *r)
{
	return r->orig_ax;
}

static __always_inline __u64 regs_argument_1(const struct pt_regs___kernel *r)
{
	return r->di;
}

static __always_inline __u64 regs_argument_2(const struct pt_regs___kernel *r)
{
	return r->si;
}

static __always_inline __u64 regs_argument_4(const struct pt_regs___kernel *r)
{
	return r->r10;
}

static __always_inline void registers_take(struct frt_registers *to, const struct pt_regs___kernel *r)
{
	to->pc = r->ip;
	to->sp = r->sp;
	to->fp = r->bp;
	to->saved[0] = r->bx;
	to->saved[1] = r->r12;
	to->saved[2] = r->r13;
	to->saved[3] = r->r14;
	to->saved[4] = r->r15;
}

/* Loads from the context have constant offsets: the verifier refuses one from a pointer that may be another one. */
#define CONTEXT(c, r) (*(const volatile unsigned long *)&(c)->regs.r)

#define CONTEXT_TAKE(to, c)                       \
	do {                                      \
		(to)->pc = CONTEXT(c, rip);       \
		(to)->sp = CONTEXT(c, rsp);       \
		(to)->fp = CONTEXT(c, rbp);       \
		(to)->saved[0] = CONTEXT(c, rbx); \
		(to)->saved[1] = CONTEXT(c, r12); \
		(to)->saved[2] = CONTEXT(c, r13); \
		(to)->saved[3] = CONTEXT(c, r14); \
		(to)->saved[4] = CONTEXT(c, r15); \
	} while (0)

#define CONTEXT_THREAD(c) ((c)->r15)

#define SITE_CONTEXT struct pt_regs

#define SITE_REGISTERS(CASE) \
	CASE(0, r15);        \
	CASE(1, r14);        \
	CASE(2, r13);        \
	CASE(3, r12);        \
	CASE(4, rbp);        \
	CASE(5, rbx);        \
	CASE(6, r11);        \
	CASE(7, r10);        \
	CASE(8, r9);         \
	CASE(9, r8);         \
	CASE(10, rax);       \
	CASE(11, rcx);       \
	CASE(12, rdx);       \
	CASE(13, rsi);       \
	CASE(14, rdi)

#define CALL_PUSHES	 8
#define USER_SPACE	 (1ull << 47)
#define HAS_UPROBE_CALLS 1 /* since Linux 6.11 and 6.18 */

/*
 * It lies in the same per-CPU section as the CPU's struct rq, which every task leads to. (A kernel gives a program the
 * address of such a variable only if it keeps all symbols.) `offset`: from there; 0: unknown.
 */
static __always_inline int preempt_count_of(struct task_struct *task, __s64 offset, int unknown)
{
	return offset ? kernel_int((const char *)task->se.cfs_rq->rq + offset) : unknown;
}

#endif
