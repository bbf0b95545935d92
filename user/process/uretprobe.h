/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Since Linux 6.11 on x86-64 a function with a uretprobe returns by a system call. A seccomp filter that does not know it would
 * refuse it, and the program would go on anywhere; newer kernels do not ask filters about it.
 */
#ifndef USER_PROCESS_URETPROBE_H
#define USER_PROCESS_URETPROBE_H

#include "user/process/target.h"

/* True if functions of the target can return through uretprobes. */
bool uretprobe_is_safe(const struct target *t);

#endif
