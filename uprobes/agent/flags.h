/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of the JVM that the agent sets at launch, so that calls of intrinsics are counted exactly. */
#ifndef AGENT_FLAGS_H
#define AGENT_FLAGS_H

#include "uprobes/agent/control.h"

/*
 * Set the JVM flags that the config names, after the JVM has parsed its options and before it uses them. What the
 * user has disabled stays disabled. Returns false if nothing was changed.
 */
bool flags_set(const struct frt_config *config);

/* True if the flags make the JVM call this method of java.base, where it would otherwise use an intrinsic. */
bool flags_make_exact(struct slice class_name, struct slice method);

#endif
