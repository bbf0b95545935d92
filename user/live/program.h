/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frtrace [options] -- PROGRAM: the program, and which of its JVMs is traced: the first that runs something (java -version
 * does not), or that -p names. It waits at the launch socket until everything is in place; the others go on untraced.
 */
#ifndef USER_LIVE_PROGRAM_H
#define USER_LIVE_PROGRAM_H

#include "format/diag.h"
#include "user/options/settings.h"
#include "user/process/find.h"

#include <poll.h>

struct program;

/* Everything but its first instruction. To be called before signals are blocked or the priority is changed. */
int program_open(struct program **out, const struct settings *settings, struct diag *d);
void program_close(struct program *p); /* NULL is fine */

/* The process that becomes the program. */
pid_t program_pid(const struct program *p);

/* Let it run. `signals` is a signalfd: what comes there reaches the program from here on. */
int program_run(struct program *p, int signals, struct diag *d);

/*
 * Wait for the JVM that is to be traced. 1: *t is open (it is to be closed with target_close()), and the JVM waits at
 * the other end of *connection, the caller's. 0: the program has ended without one.
 */
int program_wait_jvm(struct program *p, struct target *t, int *connection);

/* What to poll on besides, and what to do after each poll. True: the program has ended. */
#define PROGRAM_FDS 3
void program_poll(const struct program *p, struct pollfd fds[PROGRAM_FDS]);
bool program_look(struct program *p);

/* Wait for its end. The exit status, also of one that could not be started: as a shell gives it. */
int program_finish(struct program *p);

#endif
