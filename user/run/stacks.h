/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of a recording's stacks, which is chosen before the session starts. */
#ifndef USER_RUN_STACKS_H
#define USER_RUN_STACKS_H

#include "user/record/recording.h"

/*
 * Choose the source. *dump becomes a thread dump to be freed, or NULL. A recording without stacks is still useful, and a
 * JVM that is slow with its dump may load an agent. So the only failure is -ETIMEDOUT: it does not answer.
 */
int stacks_prepare(struct recording *r, char **dump, struct diag *d);

/*
 * The same for HotSpot's own probes. The JVM is not asked for a thread dump: each stack is compared with the method whose
 * call it is of.
 */
void stacks_prepare_probed(struct recording *r);

/* Report the methods that are on a stack in the dump; with --skip-active exclude their classes. */
void stacks_skip_active(const struct recording *r, const char *dump);

/* The same for a program that has run while classes of -e were awaited; a dump is taken for that. */
void stacks_skip_awaited(const struct recording *r);

#endif
