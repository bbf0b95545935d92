/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls that a process may make once it only records, or waits for JVMs: a seccomp filter (seccomp(2)), made by
 * libseccomp. What a JVM can make frtrace do by a defect ends there: no program is started, no namespace entered, no other
 * process written to.
 */
#ifndef USER_PROCESS_SYSCALL_FILTER_H
#define USER_PROCESS_SYSCALL_FILTER_H

#include "format/diag.h"
#include "user/process/rights.h"

/*
 * Put all threads of this process, and all that it forks, under the filter, for good. A call that is not allowed fails
 * with EPERM. Sets no_new_privs, too. Processes that it forks may load narrower ones if later.start is set. Returns 0, or
 * -errno with the message: this kernel, or the container, takes no filter.
 */
int syscall_filter_load(struct rights_later later, struct diag *d);

#endif
