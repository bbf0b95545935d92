/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See registers.bpf.h. */
#ifndef BPF_REGISTERS_AARCH64_BPF_H
#define BPF_REGISTERS_AARCH64_BPF_H

#include "bpf/kernel.h"

#define FP 29
#define LR 30

/* The kernel's own definition, which begins with what <linux/ptrace.h> has for user space. */
struct pt_regs___kernel {
	unsigned long long regs[31], sp, pc, orig_x0;
	int syscallno;
} __attribute__((preserve_access_index));

struct thread_info___arm64 {
	struct {
		unsigned int count;
	} preempt;
} __attribute__((preserve_access_index));

struct task_struct___arm64 {
	struct thread_info___arm64 thread_info;
} __attribute__((preserve_access_index));

static __always_inline __u64 regs_pc(const struct pt_regs___kernel *r)
{
	return r->pc;
}

static __always_inline long regs_call(const struct pt_regs___kernel *r)
{
	return r->syscallno;
}

/* The first one becomes the result. */
static __always_inline __u64 regs_argument_1(const struct pt_regs___kernel *r)
{
	return r->orig_x0;
}

static __always_inline __u64 regs_argument_2(const struct pt_regs___kernel *r)
{
	return r->regs[1];
}

static __always_inline __u64 regs_argument_4(const struct pt_regs___kernel *r)
{
	return r->regs[3];
}

static __always_inline void registers_take(struct frt_registers *to, const struct pt_regs___kernel *r)
{
	to->pc = r->pc;
	to->sp = r->sp;
	to->fp = r->regs[FP];
	to->saved[0] = r->regs[19];
	to->saved[1] = r->regs[20];
	to->saved[2] = r->regs[21];
	to->saved[3] = r->regs[22];
	to->saved[4] = r->regs[23];
	to->saved[5] = r->regs[24];
	to->saved[6] = r->regs[25];
	to->saved[7] = r->regs[26];
	to->saved[8] = r->regs[27];
	to->saved[9] = r->regs[28];
	to->saved[10] = r->regs[LR];
}

/* Loads from the context have constant offsets: the verifier refuses one from a pointer that may be another one. */
#define CONTEXT(c, r) (*(const volatile __u64 *)&(c)->regs.r)

#define CONTEXT_TAKE(to, c)                             \
	do {                                            \
		(to)->pc = CONTEXT(c, pc);              \
		(to)->sp = CONTEXT(c, sp);              \
		(to)->fp = CONTEXT(c, regs[FP]);        \
		(to)->saved[0] = CONTEXT(c, regs[19]);  \
		(to)->saved[1] = CONTEXT(c, regs[20]);  \
		(to)->saved[2] = CONTEXT(c, regs[21]);  \
		(to)->saved[3] = CONTEXT(c, regs[22]);  \
		(to)->saved[4] = CONTEXT(c, regs[23]);  \
		(to)->saved[5] = CONTEXT(c, regs[24]);  \
		(to)->saved[6] = CONTEXT(c, regs[25]);  \
		(to)->saved[7] = CONTEXT(c, regs[26]);  \
		(to)->saved[8] = CONTEXT(c, regs[27]);  \
		(to)->saved[9] = CONTEXT(c, regs[28]);  \
		(to)->saved[10] = CONTEXT(c, regs[LR]); \
	} while (0)

#define CONTEXT_THREAD(c) (((const struct user_pt_regs *)(c))->regs[28])

#define SITE_CONTEXT struct user_pt_regs

#define SITE_REGISTERS(CASE) \
	CASE(0, regs[0]);    \
	CASE(1, regs[1]);    \
	CASE(2, regs[2]);    \
	CASE(3, regs[3]);    \
	CASE(4, regs[4]);    \
	CASE(5, regs[5]);    \
	CASE(6, regs[6]);    \
	CASE(7, regs[7]);    \
	CASE(8, regs[8]);    \
	CASE(9, regs[9]);    \
	CASE(10, regs[10]);  \
	CASE(11, regs[11]);  \
	CASE(12, regs[12]);  \
	CASE(13, regs[13]);  \
	CASE(14, regs[14]);  \
	CASE(15, regs[15]);  \
	CASE(16, regs[16]);  \
	CASE(17, regs[17]);  \
	CASE(18, regs[18]);  \
	CASE(19, regs[19]);  \
	CASE(20, regs[20]);  \
	CASE(21, regs[21]);  \
	CASE(22, regs[22]);  \
	CASE(23, regs[23]);  \
	CASE(24, regs[24]);  \
	CASE(25, regs[25]);  \
	CASE(26, regs[26]);  \
	CASE(27, regs[27]);  \
	CASE(28, regs[28]);  \
	CASE(29, regs[29]);  \
	CASE(30, regs[30])

#define CALL_PUSHES	 0
#define USER_SPACE	 (1ull << 55)
#define HAS_UPROBE_CALLS 0

/* Each task has its own. */
static __always_inline int preempt_count_of(struct task_struct *task, __s64 offset, int unknown)
{
	return ((const struct task_struct___arm64 *)task)->thread_info.preempt.count;
}

#define __NR_poll	(-2)
#define __NR_epoll_wait (-3)
#define __NR_select	(-4)

#endif
