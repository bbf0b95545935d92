// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that do nothing, attached where bpf/sched.bpf.c attaches: they show what the kernel takes to call a program.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("tp_btf/sched_switch")
int sched_switch(void *context)
{
	return 0;
}

SEC("tp_btf/sched_waking")
int sched_waking(void *context)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
