/* SPDX-License-Identifier: BSD-2-Clause */
/* Loader of the BPF programs. */
#ifndef USER_CAPTURE_BPF_PROGRAMS_H
#define USER_CAPTURE_BPF_PROGRAMS_H

#include "user/capture/kernel_probes.h"

/*
 * Load the BPF programs. `settings` say how much of the kernel side is wanted; if it is not available, the programs
 * are loaded without it and k->why holds the reason. The caller destroys *out. Returns 0 or -errno with the message.
 */
int bpf_programs_load(struct frtrace_bpf **out, struct kernel_probes *k, const struct settings *settings,
		      const struct target *t, struct diag *d);

#endif
