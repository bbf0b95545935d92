/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lock that serialises the first attach to a JVM. The segment's own locks (segment_claim()) exist only once the
 * agent is in the target; until then two tracers could each load a copy of it.
 */
#ifndef USER_PROCESS_ATTACH_LOCK_H
#define USER_PROCESS_ATTACH_LOCK_H

#include "format/diag.h"

#include <sys/types.h>

/*
 * Take the lock of JVM `pid`. *lock is to be passed to attach_unlock(); the lock ends with this process. Returns
 * -EBUSY when another process holds it; the message names that process. Without a directory for locks nothing is
 * locked: returns 0 and sets *lock to -1.
 */
int attach_lock(pid_t pid, int *lock, struct diag *d);
void attach_unlock(pid_t pid, int lock);

#endif
