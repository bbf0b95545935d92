/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A check for dangerous seccomp filters. A filter may kill the process for a system call that a JVM does not need
 * (seccomp(2)). A process cannot read its filter, but a child inherits it: a system call that a child survives is
 * safe.
 */
#ifndef AGENT_SECCOMP_H
#define AGENT_SECCOMP_H

#include "bpf/frtrace.h"
#include "uprobes/agent/sys.h"

/*
 * Returns FRT_DONE if this process may make the agent's system calls, for a launch or for an attach: it has no filter, or a
 * child survived them all. A filter that returns an error is harmless; the caller gets the error. Else FRT_CALL_KILLS with
 * the number of the call, or FRT_SECCOMP if there can be no child.
 */
enum frt_result seccomp_try(bool launch);

/* True if the call of such a result is one that connects to the collector. */
bool seccomp_refuses_connection(enum frt_result result);

#endif
