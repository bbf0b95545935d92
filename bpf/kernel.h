/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The few kernel types that our programs need, declared by hand: CO-RE
 * relocates them to the running kernel's layout, so the build needs no BTF.
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct {
	int pid;
	int tgid;
};
#pragma clang attribute pop

#endif
