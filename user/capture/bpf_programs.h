/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF programs, in the kernel. */
#ifndef USER_CAPTURE_BPF_PROGRAMS_H
#define USER_CAPTURE_BPF_PROGRAMS_H

#include "user/capture/kernel_probes.h"

/*
 * Load them, with as much of the kernel's half as `kernel` says, and without it where that can't be had: k->why says why
 * not then. *out is to be destroyed.
 */
int bpf_programs_load(struct frtrace_bpf **out, struct kernel_probes *k, enum settings_kernel kernel,
		      const struct target *t, struct diag *d);

#endif
