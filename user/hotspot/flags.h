/* SPDX-License-Identifier: BSD-2-Clause */
/* The JVM's flags (-XX:...), as its tables name them: JVMFlag, from JDK 11 on. */
#ifndef USER_HOTSPOT_FLAGS_H
#define USER_HOTSPOT_FLAGS_H

#include "user/hotspot/vmstructs.h"

/*
 * Where the values of flags stand; 0 for one that this JVM does not have. They are there as soon as
 * libjvm is mapped. 0; -ENOTSUP: its tables do not tell; other -errno: unreadable.
 */
int hotspot_find_flags(const struct mem *m, const uint64_t symbols[VMSTRUCTS_SYMBOLS], const char *const names[],
		       size_t count, uint64_t addresses[], struct diag *d);

#endif
