/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A forked child that takes the target's user, group and supplementary groups, does one job in the target's
 * directories, and returns the outcome through a pipe. Whatever it needs from /proc is opened before it drops its
 * rights, so it enters no namespaces.
 *
 * The child has its own deadline and cleans up after itself, even if frtrace is killed meanwhile. A child that
 * hangs in a system call is killed and reaped. One that SIGKILL does not end, because a file system does not
 * answer, is left behind after a second. The wait ends early if interrupted() (interrupt.h). Each child causes a
 * SIGCHLD; it is always waited for by pid.
 */
#ifndef USER_PROCESS_USER_CHILD_H
#define USER_PROCESS_USER_CHILD_H

#include "user/process/target.h"

#include <stddef.h>

struct user_child {
	const struct target *target;
	int root, cwd, tmp;  /* O_PATH directories of the target; cwd and tmp may be -1 */
	int status;	     /* /proc/PID/status */
	int kept;	     /* of user_child_run_keeping(); -1 */
	int64_t deadline;    /* CLOCK_MONOTONIC, ms */
	bool cleanup;	     /* ignore interrupted() */
	char root_name[512]; /* from root_path_root_name() */
};

struct answer {
	int code;
	char *text; /* allocated, 0-terminated; may be NULL */
	size_t length;
};

typedef int user_child_work(struct user_child *h, void *context, struct answer *out, struct diag *d);

/*
 * Run `work` in the child. Returns 0 or -errno as `work` did; `out` receives what it left there. -EINTR:
 * interrupted(). `abandoned` (may be NULL): the child was killed before it could clean up.
 */
int user_child_run(const struct target *t, user_child_work *work, void *context, int timeout_ms, struct answer *out,
		   bool *abandoned, struct diag *d);

/* The same with another descriptor of the parent's that stays open in the child, or -1. */
int user_child_run_keeping(int kept, const struct target *t, user_child_work *work, void *context, int timeout_ms,
			   struct answer *out, bool *abandoned, struct diag *d);

/* The same for cleanup work: it continues when interrupted(), and has no outcome. */
void user_child_clean_up(const struct target *t, user_child_work *work, void *context, int timeout_ms);

void answer_release(struct answer *a);

/* A user's name for messages, or the number. */
const char *user_name(uid_t uid, char *out, size_t size);

#endif
