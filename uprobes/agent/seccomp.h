/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A check for dangerous seccomp filters. A filter may kill the process for a system call that a JVM does not need
 * (seccomp(2)). A process cannot read its filter, but a child inherits it: a system call that a child survives is
 * safe.
 */
#ifndef AGENT_SECCOMP_H
#define AGENT_SECCOMP_H

#include "uprobes/agent/sys.h"

/*
 * True if this process may create and seal a memfd: it has no filter, or a child survived doing so. A filter that
 * returns an error is harmless and counts as true; the caller gets the error.
 */
bool seccomp_spares_memfd(void);

#endif
