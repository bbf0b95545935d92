/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A count that one program at a time adds to, and that others read: who sees it sees what was stored before. It is the upper
 * half of a word. Others may replace the word by an atomic operation that leaves this half as it is.
 *
 * x86-64 keeps stores in order, and an atomic operation would make the program wait until all of them have reached the cache.
 * Elsewhere only an atomic addition whose result is used orders the stores before it: BPF has no other before Linux 6.15.
 */
#ifndef BPF_COUNT_BPF_H
#define BPF_COUNT_BPF_H

#include <linux/types.h>

#if defined(__TARGET_ARCH_x86) || (!defined(__bpf__) && defined(__x86_64__))
static __always_inline void count_one(__u64 *word)
{
	volatile __u32 *upper = (__u32 *)word + 1;

	asm volatile("" : : : "memory");
	*upper = *upper + 1;
}
#else
static __always_inline void count_one(__u64 *word)
{
	__u64 before = __sync_fetch_and_add(word, 1ull << 32);

	asm volatile("" : : "r"(before));
}
#endif

#endif
