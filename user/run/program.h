/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts the program of `frtrace [options] -- PROGRAM` and chooses which of its JVMs to trace: the first one that runs
 * a main class (java -version does not), or the one that -p names. That JVM waits at the launch socket until tracing is
 * on; the others run untraced.
 */
#ifndef USER_RUN_PROGRAM_H
#define USER_RUN_PROGRAM_H

#include "format/diag.h"
#include "user/options/settings.h"
#include "user/process/find.h"

#include <poll.h>

struct program;

/*
 * Prepare everything up to exec(). Call before signals are blocked and before the priority is changed. 0 or -errno with
 * the message.
 */
int program_open(struct program **out, const struct settings *settings, struct diag *d);
void program_close(struct program *p); /* NULL is fine */

/*
 * The names of the JVMs that were let go because they are not that of -p, each once: "ant.Launcher, javac". "" if there
 * was none.
 */
const char *program_others(const struct program *p);

/* A JVM was let go although it is the one of -p; a line has said why. */
bool program_has_refused(const struct program *p);

/* The pid of the program. */
pid_t program_pid(const struct program *p);

/*
 * Let the program run. `signals` is a signalfd; signals read from it are passed on to the program. 0 or -errno with the
 * message.
 */
int program_run(struct program *p, int signals, struct diag *d);

/*
 * Wait for the JVM to trace. 1: *t is open, to be closed with target_close(), and the JVM waits at the other end of
 * *connection, which the caller owns. 0: the program has ended without one.
 */
int program_wait_jvm(struct program *p, struct target *t, int *connection);

/*
 * Fill in the descriptors to poll, and call program_update() after each poll. It returns true when the program has
 * ended.
 */
#define PROGRAM_FDS 3
void program_poll(const struct program *p, struct pollfd fds[PROGRAM_FDS]);
bool program_update(struct program *p);

/* Wait for the end of the program. Returns its exit status as a shell reports it, also if it could not be started. */
int program_finish(struct program *p);

#endif
