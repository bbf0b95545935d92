/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef TESTS_LIB_MACHINE_AARCH64_H
#define TESTS_LIB_MACHINE_AARCH64_H

#include "bpf/queue.h"

#include <string.h>
#include <ucontext.h>

#define TLS_DESCRIPTORS "-mtls-dialect=desc"

/* getcontext() stores the place to which it returns as the program counter. */
static inline struct frt_registers registers_of(const ucontext_t *c)
{
	const mcontext_t *m = &c->uc_mcontext;
	struct frt_registers r = {.pc = m->pc, .sp = m->sp, .fp = m->regs[29]};

	for (int i = 0; i < 10; i++)
		r.saved[i] = m->regs[19 + i];
	r.saved[10] = m->regs[30];
	return r;
}

#endif
