/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of calls for a JVM: --source. */
#ifndef USER_RUN_CHOOSE_SOURCE_H
#define USER_RUN_CHOOSE_SOURCE_H

#include "user/options/settings.h"
#include "user/process/target.h"

/*
 * Settle settings->probe for this JVM (NULL: one that is started), and switch off what HotSpot's own probes cannot give.
 * Returns 0, or -errno with the message: they were asked for, and are not there, or not with these options.
 */
int choose_source(struct settings *settings, const struct target *t, struct diag *d);

/*
 * Can the agent be loaded into the JVM, as far as can be seen? Otherwise *why says why not. As capability_trace(), and the
 * flag that forbids agents.
 */
bool choose_source_agent(const struct target *t, bool may_mount, struct diag *why);

#endif
