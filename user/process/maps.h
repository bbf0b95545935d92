/* SPDX-License-Identifier: BSD-2-Clause */
/* What of the target is mapped, and the doors to it that /proc has. */
#ifndef USER_PROCESS_MAPS_H
#define USER_PROCESS_MAPS_H

#include "user/process/proc.h"
#include "user/process/target.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Find the first executable file mapping whose base name begins with `prefix`.
 * 1 found, 0 not found, -errno.
 */
int target_find_mapping(const struct target *t, const char *prefix, struct mapping *out, struct diag *d);

/* Find the executable mapping of the libjvm that the JVM runs in, which jvm_find() has chosen. 1, 0, -errno as above. */
int target_find_libjvm(const struct target *t, struct mapping *out, struct diag *d);

/*
 * Open, read-write, a memfd of the target whose name begins with `prefix`
 * ("/memfd:" not included), through /proc/PID/fd. `name` (may be NULL) receives
 * its name. Returns a descriptor, -ENOENT when there is none, -errno.
 */
int target_open_memfd(const struct target *t, const char *prefix, char *name, size_t name_size, struct diag *d);

/* The same file by another description: what is locked by one is not held by the other. A descriptor, or -1 with errno. */
int memfd_open_again(int fd);

#endif
