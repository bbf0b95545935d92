/* SPDX-License-Identifier: BSD-2-Clause */
/* The JVM's flags (-XX:...), found through its tables: JVMFlag, since JDK 11. */
#ifndef USER_HOTSPOT_FLAGS_H
#define USER_HOTSPOT_FLAGS_H

#include "user/hotspot/vmstructs.h"

/*
 * Find the addresses of flag values; 0 for a flag that this JVM does not have. They exist as soon as libjvm is
 * mapped. Returns 0; -ENOTSUP: not in the tables; other -errno: unreadable.
 */
int hotspot_find_flags(const struct mem *m, const uint64_t symbols[VMSTRUCTS_SYMBOLS], const char *const names[],
		       size_t count, uint64_t addresses[], struct diag *d);

#endif
