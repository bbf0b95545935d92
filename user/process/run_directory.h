/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory for this user's sockets and locks: /run/frtrace for root, /tmp/frtrace-UID for others. */
#ifndef USER_PROCESS_RUN_DIRECTORY_H
#define USER_PROCESS_RUN_DIRECTORY_H

#include "format/diag.h"

#include <stdbool.h>
#include <sys/types.h>

#define RUN_DIRECTORY 64

/* Write its name. It need not exist. */
void run_directory_name(char out[RUN_DIRECTORY]);

/* True if it exists and only this user can write to it. */
bool run_directory_is_own(void);

/* Create it if it is missing. Returns 0, or -EACCES if run_directory_is_own() is false. */
int run_directory_make(void);

/*
 * Take the lock that serialises the first attach to JVM `pid`. The segment's own locks (segment_claim()) exist only once the
 * agent is in the target; until then two tracers could each load a copy of it. *lock is to be passed to attach_unlock(); the lock ends with this process. Returns
 * -EBUSY when another process holds it; the message names that process. Without a directory for locks nothing is
 * locked: returns 0 and sets *lock to -1.
 */
int attach_lock(pid_t pid, int *lock, struct diag *d);
void attach_unlock(pid_t pid, int lock);

#endif
