/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports programs that are executed, on the whole machine, as the kernel sees them start. */
#ifndef USER_CAPTURE_EXEC_WATCH_H
#define USER_CAPTURE_EXEC_WATCH_H

#include "format/diag.h"

#include <stdbool.h>
#include <sys/types.h>

struct exec_watch;

/*
 * Load the program of bpf/exec.bpf.c and attach it. It takes CAP_BPF and CAP_PERFMON. Processes that frtrace's pid
 * namespace does not show are left out. Returns 0, or -errno with the message and *out set to NULL.
 */
int exec_watch_open(struct exec_watch **out, struct diag *d);
void exec_watch_close(struct exec_watch *w); /* NULL is fine */

/* Readable when there is something to read. */
int exec_watch_fd(const struct exec_watch *w);

/* Call `visit` with the pid of each process that has executed a program since the last call. */
void exec_watch_read(struct exec_watch *w, void (*visit)(pid_t pid, void *context), void *context);

/* True if some were lost since the last call, because nobody read for too long: look into /proc. */
bool exec_watch_lost(struct exec_watch *w);

#endif
