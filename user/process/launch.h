/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that frtrace starts. It is forked first and waits, so that all that can fail does so before its first
 * instruction; then it becomes the program: with the signal mask, priority and terminal that frtrace was
 * started with, as the user behind sudo, or another one.
 */
#ifndef USER_PROCESS_LAUNCH_H
#define USER_PROCESS_LAUNCH_H

#include "format/diag.h"

#include <stdbool.h>
#include <sys/types.h>

struct launch_setup {
	char *const *argv;	 /* NULL-terminated */
	const char *user;	 /* a name; NULL: who is behind sudo, else who we are */
	const char *java_option; /* for the JVMs of the program */
	bool by_environment; /* in JAVA_TOOL_OPTIONS also when the program is java itself; else as its first argument */
};

struct launch {
	pid_t pid;
	int pidfd;   /* readable when it has ended */
	int go, why; /* pipes: to the one that waits, and from it when it cannot become the program */
	int status;  /* as a shell gives it: of exit(), or 128 + the signal; -1: not known yet */
};

/* Fork. Nothing of the program has run when this returns. */
int launch_fork(struct launch *l, const struct launch_setup *setup, struct diag *d);

/* Let it become the program. On error l->status is 127, there is no such file, or 126. */
int launch_go(struct launch *l, const char *name, struct diag *d);

/* Has it ended? Then l->status is known. */
bool launch_ended(struct launch *l);

void launch_signal(const struct launch *l, int signal);

/* Let go of it. What has not become a program ends. */
void launch_release(struct launch *l);

/* Is there a process whose environment has this text in JAVA_TOOL_OPTIONS? */
bool launch_is_inherited(const char *text);

#endif
