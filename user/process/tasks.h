/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of the target as the kernel knows them. */
#ifndef USER_PROCESS_TASKS_H
#define USER_PROCESS_TASKS_H

#include "user/process/target.h"

struct task {
	int tid;	   /* in the target's innermost pid namespace */
	bool asleep;	   /* neither runs nor wants to */
	uint64_t switches; /* so often it has been switched out: a sleeper with the same number has not run */
};

/* From the text of /proc/PID/task/TID/status. 0 or -EINVAL. */
int task_parse(const char *text, struct task *out);

/* Call `see` for each thread; a non-zero return ends the walk and is returned. -errno: no rights, gone. */
int target_each_task(const struct target *t, int (*visit)(const struct task *task, void *context), void *context);

#endif
