/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work that may never return. A file system that does not answer holds whoever reads one of its files, or memory that a
 * process has mapped from one; not even SIGKILL ends that. So the work is done in a child, which is left behind if it hangs.
 */
#ifndef USER_PROCESS_APART_H
#define USER_PROCESS_APART_H

#include <stddef.h>

/*
 * Run `work` in a forked child without descriptors, its standard streams included. Returns 0: `result`, `size` bytes that
 * are zeroed for it, is as it left them, otherwise it is unchanged. -ETIMEDOUT: it has taken `timeout_ms`. -EIO: it has
 * crashed. -EINTR: interrupted() (interrupt.h). Other -errno: no memory, or no process.
 */
int apart_run(void (*work)(void *result, const void *context), const void *context, void *result, size_t size,
	      int timeout_ms);

#endif
