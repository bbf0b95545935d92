/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds mapped files and memfds of the target, and opens them through /proc. */
#ifndef USER_PROCESS_MAPS_H
#define USER_PROCESS_MAPS_H

#include "user/process/proc.h"
#include "user/process/target.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Find the first executable file mapping whose base name begins with `prefix`. Returns 1: found, 0: not found, or
 * -errno.
 */
int target_find_mapping(const struct target *t, const char *prefix, struct mapping *out, struct diag *d);

/* Find the executable mapping of the libjvm that the JVM runs in, as chosen by jvm_find(). Returns as above. */
int target_find_libjvm(const struct target *t, struct mapping *out, struct diag *d);

/*
 * Open a memfd of the target read-write, through /proc/PID/fd. Its name begins with `prefix` (without "/memfd:").
 * `name` (may be NULL) receives its name. Returns a descriptor, -ENOENT if there is none, or -errno.
 */
int target_open_memfd(const struct target *t, const char *prefix, char *name, size_t name_size, struct diag *d);

/*
 * Open the same file with another file description, so that locks are separate. Returns a descriptor, or -1 with
 * errno.
 */
int memfd_open_again(int fd);

#endif
