/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the attach cookie says of the site that the running thread has hit. See sites.h. */
#ifndef BPF_SITE_BPF_H
#define BPF_SITE_BPF_H

#include "bpf/machine/registers.bpf.h"
#include "bpf/sites.h"

static __always_inline enum frt_site site_of(__u64 cookie)
{
	return cookie & ((1u << FRT_SITE_BITS) - 1);
}

/* Read argument `n`. Returns false if it is unknown. */
static __always_inline bool site_argument(struct pt_regs *context, __u64 cookie, int n, __u64 *out)
{
	__u32 at = cookie >> (FRT_SITE_BITS + n * FRT_ARGUMENT_BITS);
	__u32 word = (at & FRT_ARGUMENT_REGISTER) / FRT_ARGUMENT_REGISTER_1;

	if (!(at & FRT_ARGUMENT_KNOWN) || bpf_probe_read_kernel(out, 8, (void *)context + word * 8))
		return false;
	return !(at & FRT_ARGUMENT_MEMORY) ||
	       !bpf_probe_read_user(out, 8, (const void *)(*out + (__s16)(at & FRT_ARGUMENT_OFFSET)));
}

#define CASE(word, register)                                                         \
	case word:                                                                   \
		asm volatile("%0 = *(u64 *)(%1 + %2)"                                \
			     : "=r"(value)                                           \
			     : "r"(context), "i"(offsetof(SITE_CONTEXT, register))); \
		return value

/*
 * Argument `n` of a site whose arguments are all in registers. This takes no helper. The compiler must not turn it into
 * one access at a variable offset, which the verifier refuses.
 */
static __always_inline __u64 site_register(struct pt_regs *context, __u64 cookie, int n)
{
	__u64 value;

	switch (cookie >> (FRT_SITE_BITS + n * FRT_REGISTER_BITS) & FRT_REGISTER_MASK) {
		SITE_REGISTERS(CASE);
	default: return 0;
	}
}

#endif
