/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that have been started not long ago. Any of them may turn out to be a JVM: a launcher maps libjvm after some
 * milliseconds, and a JVM without one gets its name later still. So each is looked at for STARTED_MS, more and more
 * seldom.
 */
#ifndef USER_VERBS_STARTED_H
#define USER_VERBS_STARTED_H

#include "user/process/find.h"

#include <stdbool.h>

#define STARTED_MS   3000
#define STARTED_MOST 16384 /* processes at a time */

struct started;

struct started *started_new(void); /* NULL: no memory */
void started_free(struct started *s);

/*
 * A process has been started, or executes another program. False: there are STARTED_MOST, so the one that has been looked
 * at for the longest time is not looked at any more: whoever starts many processes must not hide those of others.
 */
bool started_add(struct started *s, pid_t pid);

/*
 * Add the processes in /proc that were started since the last time; at the first time, all. False: some did not fit.
 */
bool started_scan(struct started *s);

/* What is to be done with a JVM that has been found. */
enum started_verdict {
	STARTED_AGAIN = 0, /* look again later: its name may change */
	STARTED_DONE,	   /* do not look at it again */
};

/*
 * Look at those whose turn it is, apart (look.h), and call `visit` for each JVM that has been found since. One that does not
 * answer holds up the others for some milliseconds; it is settled, whatever `visit` says. Returns the milliseconds until
 * the next call is due; -1: nothing is left.
 */
int started_look(struct started *s, enum started_verdict (*visit)(const struct sight *jvm, void *context),
		 void *context);

#endif
