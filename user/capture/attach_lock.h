/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One first attach at a time. The segment's own lock (segment_lock()) exists only once the agent is in the target; until
 * then two tracers would each load a copy of it.
 */
#ifndef USER_CAPTURE_ATTACH_LOCK_H
#define USER_CAPTURE_ATTACH_LOCK_H

#include "format/diag.h"

#include <sys/types.h>

/*
 * Take the lock of JVM `pid`; *lock is for attach_unlock(). It ends with this process. -EBUSY: the message names the
 * process that holds it. Where there is no directory for locks there is none: 0, and *lock is -1.
 */
int attach_lock(pid_t pid, int *lock, struct diag *d);
void attach_unlock(pid_t pid, int lock);

#endif
