// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program that does nothing, where bpf/cpu.bpf.c takes samples: it shows what the timer's interrupt itself costs. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("perf_event")
int sampler(void *context)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
