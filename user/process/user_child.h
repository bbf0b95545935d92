/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A forked child that takes on the target's user, group and supplementary
 * groups, does one piece of work in the target's directories, and sends the
 * outcome back through a pipe. What the child needs of /proc is opened before
 * it gives up its rights, so it needs no namespaces entered. It has its own
 * deadline and cleans up behind itself, also when frtrace is killed meanwhile; a
 * child that hangs in a system call is killed and reaped. One that SIGKILL does
 * not end, because a file system does not answer it, is left behind after a
 * second. The wait ends early when it is interrupted() (interrupt.h). (A SIGCHLD
 * comes with each; its child is always waited for by pid.)
 */
#ifndef USER_PROCESS_USER_CHILD_H
#define USER_PROCESS_USER_CHILD_H

#include "user/process/target.h"

#include <stddef.h>

struct user_child {
	const struct target *target;
	int root, cwd, tmp;  /* O_PATH directories of the target; cwd and tmp: -1 when there is none */
	int status;	     /* /proc/PID/status */
	int64_t deadline;    /* CLOCK_MONOTONIC, ms */
	bool cleanup;	     /* it is not to be interrupted */
	char root_name[512]; /* of root_path_root_name() */
};

struct answer {
	int code;
	char *text; /* malloc'ed, 0-terminated; may be NULL */
	size_t length;
};

/*
 * Run `work` in the child; 0 or -errno is what it returned, `out` what it
 * left there. -EINTR: interrupted(). `abandoned` (may be NULL): the child was
 * killed before it could clean up, and is gone.
 */
int user_child_run(const struct target *t,
		   int (*work)(struct user_child *h, void *context, struct answer *out, struct diag *d), void *context,
		   int timeout_ms, struct answer *out, bool *abandoned, struct diag *d);

/* The same for work that cleans up: it goes on when interrupted(). Nobody needs its outcome. */
void user_child_clean_up(const struct target *t,
			 int (*work)(struct user_child *h, void *context, struct answer *out, struct diag *d),
			 void *context, int timeout_ms);

void answer_release(struct answer *a);

/* Milliseconds left until a deadline, not negative. */
int64_t clock_ms(void);
int deadline_left(int64_t deadline);

/* A user's name for messages, or its number. */
const char *user_name(uid_t uid, char *out, size_t size);

#endif
