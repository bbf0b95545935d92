/* SPDX-License-Identifier: BSD-2-Clause */
/* Children that this process forks for work of their own. Each causes a SIGCHLD, and is waited for by its pid. */
#ifndef USER_PROCESS_CHILD_H
#define USER_PROCESS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Fork a child with a link to it, a pair of sockets (SOCK_SEQPACKET); each side sees when the other one has ended. *link is
 * the own end of whoever returns. Returns the pid, 0 in the child, or -errno and leaves *link alone.
 */
pid_t child_fork(int *link);

/*
 * In a child: keep these descriptors only, *fd[i] as number i. Others, such as BPF links and the terminal, must not stay open
 * in it. `name`, which may be NULL: of the process.
 */
void child_keep(const char *name, int *const fd[], int count);

/* Wait until a child has ended. Returns its status as waitpid() does, or -1. */
int child_wait(pid_t pid);

/*
 * The same, for some time at most. SIGKILL does not end a child that waits in the kernel for a FUSE or NFS server. Returns
 * false then: init reaps it after frtrace has ended.
 */
bool child_reap(pid_t pid, int timeout_ms);

#endif
