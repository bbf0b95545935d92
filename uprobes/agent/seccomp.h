/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A seccomp filter may kill the process for a system call that a JVM has no need of (seccomp(2)). Nothing tells
 * a process what its filter says, but a child inherits it: what a child survives is safe.
 */
#ifndef AGENT_SECCOMP_H
#define AGENT_SECCOMP_H

#include "uprobes/agent/sys.h"

/*
 * True when this process may make and seal a memfd: it has no filter, or a child did so and lived. A filter that
 * refuses with an error is no danger, and counts as true: the caller gets the error.
 */
bool seccomp_spares_memfd(void);

#endif
