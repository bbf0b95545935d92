/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts a program. frtrace forks first, and the child waits, so that everything that can fail does so before the
 * program's first instruction. Then the child executes the program, with the signal mask, priority and terminal
 * that frtrace was started with, as the user behind sudo or another one.
 */
#ifndef USER_PROCESS_LAUNCH_H
#define USER_PROCESS_LAUNCH_H

#include "format/diag.h"

#include <stdbool.h>
#include <sys/types.h>

struct launch_setup {
	char *const *argv;	 /* NULL-terminated */
	const char *user;	 /* a user name; NULL: the user behind sudo, else the current one */
	const char *java_option; /* for the JVMs of the program */
	/* use JAVA_TOOL_OPTIONS even if the program is java itself; otherwise it becomes java's first argument */
	bool by_environment;
};

struct launch {
	pid_t pid;
	int pidfd;   /* readable when it has ended */
	int go, why; /* pipes: to the waiting child; from it, if it cannot execute the program */
	int status;  /* as in a shell: the exit status, or 128 + the signal; -1: still running */
};

/* Fork. No instruction of the program has run when this returns. */
int launch_fork(struct launch *l, const struct launch_setup *setup, struct diag *d);

/* Let the child execute the program. On error l->status is 127 (no such file) or 126. */
int launch_go(struct launch *l, const char *name, struct diag *d);

/* Whether it has ended; l->status is then set. */
bool launch_ended(struct launch *l);

void launch_signal(const struct launch *l, int signal);

/* Release it. A child that has not executed the program ends. */
void launch_release(struct launch *l);

/* True if some process has this text in its JAVA_TOOL_OPTIONS. */
bool launch_is_inherited(const char *text);

#endif
