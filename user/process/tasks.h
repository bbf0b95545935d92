/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of the target as the kernel sees them. */
#ifndef USER_PROCESS_TASKS_H
#define USER_PROCESS_TASKS_H

#include "user/process/target.h"

struct task {
	int tid;	   /* in the target's innermost pid namespace */
	bool asleep;	   /* neither running nor runnable */
	uint64_t switches; /* number of switches: a sleeper with an unchanged number has not run */
};

/* Parse /proc/PID/task/TID/status. Returns 0 or -EINVAL. */
int task_parse(const char *text, struct task *out);

/*
 * True if the thread with that id in the target's innermost pid namespace is alive, still has this name of the kernel's, and
 * was started when the kernel's CLOCK_BOOTTIME in units of 2^shift ns ended with the 32 bits of `started`, to the 10 ms that
 * /proc tells. False: it is another one, or gone, or frtrace is in other namespaces than the target.
 */
bool target_task_is(const struct target *t, uint32_t tid, const char kernel_name[16], uint32_t started,
		    unsigned int shift);

/* Call `visit` for each thread. A non-zero return ends the walk and is returned. -errno: no rights, or gone. */
int target_each_task(const struct target *t, int (*visit)(const struct task *task, void *context), void *context);

#endif
