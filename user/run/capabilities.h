/* SPDX-License-Identifier: BSD-2-Clause */
/* Determines what frtrace can do with a JVM by inspection only: no attach, no signal, nothing written. */
#ifndef USER_RUN_CAPABILITIES_H
#define USER_RUN_CAPABILITIES_H

#include "format/diag.h"
#include "user/process/find.h"

#include <stdbool.h>

/*
 * True if this process may and can trace its methods; otherwise *why has the reason. *why is "" on success. `may_mount`:
 * --mount is given.
 */
bool capability_trace(const struct target *t, enum target_kind kind, bool may_mount, struct diag *why);

/*
 * True if stacks can be recorded; otherwise *why has the reason. A text with `true` says why they come from JVMTI
 * instead of being walked.
 */
bool capability_stacks(const struct target *t, enum target_kind kind, struct diag *why);

#endif
