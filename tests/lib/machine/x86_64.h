/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef TESTS_LIB_MACHINE_X86_64_H
#define TESTS_LIB_MACHINE_X86_64_H

#include "bpf/queue.h"

#include <ucontext.h>

#define TLS_DESCRIPTORS "-mtls-dialect=gnu2"

static inline struct frt_registers registers_of(const ucontext_t *c)
{
	const greg_t *r = c->uc_mcontext.gregs;

	return (struct frt_registers){
		.pc = r[REG_RIP],
		.sp = r[REG_RSP],
		.fp = r[REG_RBP],
		.saved = {r[REG_RBX], r[REG_R12], r[REG_R13], r[REG_R14], r[REG_R15]},
	};
}

#endif
