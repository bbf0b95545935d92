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

/* Call `visit` for each thread. A non-zero return ends the walk and is returned. -errno: no rights, or gone. */
int target_each_task(const struct target *t, int (*visit)(const struct task *task, void *context), void *context);

#endif
