/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What bpf/exec.bpf.c reports to user/capture/exec_watch.c. */
#ifndef BPF_EXECS_H
#define BPF_EXECS_H

#include <linux/types.h>

struct frt_exec {
	__u32 pid; /* in frtrace's pid namespace */
};

#endif
