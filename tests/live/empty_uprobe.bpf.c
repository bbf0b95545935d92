// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program that does nothing, for uprobes: it shows what a trap and the call of a program take. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("uprobe")
int nothing(void *context)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
