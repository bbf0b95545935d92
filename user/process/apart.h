/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work that may never return. A file system that does not answer holds whoever reads one of its files, or memory that a
 * process has mapped from one; not even SIGKILL ends that. So the work is done in a child, which is left behind if it hangs.
 */
#ifndef USER_PROCESS_APART_H
#define USER_PROCESS_APART_H

#include <stddef.h>
#include <stdint.h>

#define APART_MOST    64
#define APART_FREE_MS 100

/*
 * Run `work` in a forked child without descriptors, its standard streams included. Returns 0: `result`, `size` bytes that
 * are zeroed for it, is as it left them, otherwise it is unchanged. -ETIMEDOUT: it has taken `timeout_ms`. -EIO: it has
 * crashed. -EINTR: interrupted() (interrupt.h). -EBUSY: APART_MOST children of this process are left behind and still hang.
 * Other -errno: no memory, or no process.
 */
int apart_run(void (*work)(void *result, const void *context), const void *context, void *result, size_t size,
	      int timeout_ms);

/* Time that several pieces of work share, such as the looks at all JVMs. */
struct apart_time {
	int64_t left_ms;
};

/*
 * The same with at most half of the time that is left, so that one that hangs leaves some for the others. Work that ends
 * within APART_FREE_MS uses nothing up. -EBUSY: too little is left, or as above.
 */
int apart_run_sharing(void (*work)(void *result, const void *context), const void *context, void *result, size_t size,
		      struct apart_time *time);

#endif
