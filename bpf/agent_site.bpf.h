/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What happens at the agent's sites. All return 0. */
#ifndef BPF_AGENT_SITE_H
#define BPF_AGENT_SITE_H

#include <linux/types.h>

/* Half of a ring is full (drain.bpf.c). `slot` and `ring` are addresses, the rest are bytes and stream offsets. */
extern int site_drain(__u64 slot, __u64 ring, __u64 head, __u64 drained, __u64 half);

/* The running thread owns slot `number`, at `address` (sched.bpf.c, syscall.bpf.c). */
extern int site_thread(__u64 number, __u64 address);
extern int site_thread_usage(__u64 number, __u64 address);

/* A virtual thread comes back to a carrier: struct frt_mount at `address` (sched.bpf.c). */
extern int site_mount(__u64 address);

/* A poller has got the descriptor of a virtual thread, whose wait has this number (sched.bpf.c). */
extern int site_poll(__u64 descriptor, __u64 number);

#endif
