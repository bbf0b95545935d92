/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be done with a JVM, told by looking alone: no attach, no signal, nothing written. */
#ifndef USER_VERBS_CAPABILITIES_H
#define USER_VERBS_CAPABILITIES_H

#include "format/diag.h"
#include "user/process/find.h"

#include <stdbool.h>

/* Can methods of it be traced? *why: why not; "" when they can. */
bool capability_trace(const struct target *t, enum target_kind kind, struct diag *why);

/* Can their stacks be recorded? Likewise; but a text with `true` is why they come from JVMTI and are not walked. */
bool capability_stacks(const struct target *t, enum target_kind kind, struct diag *why);

#endif
