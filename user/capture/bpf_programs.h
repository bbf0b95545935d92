/* SPDX-License-Identifier: BSD-2-Clause */
/* Loader of the BPF programs, those of a recording or some of them. */
#ifndef USER_CAPTURE_BPF_PROGRAMS_H
#define USER_CAPTURE_BPF_PROGRAMS_H

#include "user/capture/kernel_probes.h"

/*
 * The two steps of loading any part of them: what is loaded is chosen in between. 0, or -errno with the message. The
 * caller destroys what has been opened.
 */
int bpf_programs_open(struct frtrace_bpf **out, struct diag *d);
int bpf_programs_load_opened(struct frtrace_bpf *bpf, struct diag *d);

/*
 * libbpf leaves a skeleton's variables NULL where the kernel refuses to map them, and reports no error. Returns 0, or
 * -ENOTSUP with the message unless `mapped`: those that are used, after loading, are there.
 */
int bpf_variables_mapped(bool mapped, struct diag *d);

/*
 * Load the BPF programs. `settings` say how much of the kernel side is wanted; if it is not available, the programs
 * are loaded without it and k->why holds the reason. The caller destroys *out. Returns 0 or -errno with the message.
 */
int bpf_programs_load(struct frtrace_bpf **out, struct kernel_probes *k, const struct settings *settings,
		      const struct target *t, struct diag *d);

#endif
