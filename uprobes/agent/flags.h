/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef AGENT_FLAGS_H
#define AGENT_FLAGS_H

#include "uprobes/agent/control.h"

/*
 * Set the flags that the config names, in a JVM that has read its options and has not looked at them yet. What the user
 * has disabled stays so. False: nothing was changed.
 */
bool flags_set(const struct frt_config *config);

/* Does the JVM call this method of java.base itself, where else it would put its own code? */
bool flags_make_exact(struct text class_name, struct text method);

#endif
