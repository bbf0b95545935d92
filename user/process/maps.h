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

/* The same, only whether there is one: "libfrtrace-" is the agent, of any build. False if it is unknown, too. */
bool target_maps(const struct target *t, const char *prefix);

/* Find the executable mapping of the libjvm that the JVM runs in, as chosen by jvm_find(). Returns as above. */
int target_find_libjvm(const struct target *t, struct mapping *out, struct diag *d);

/*
 * Open the file of a mapping for reading. Below map_files that takes CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN; without
 * these the file is opened by its name, if it still has it. It must be a regular file of at most `limit` bytes. Returns
 * a descriptor or -errno; -ESTALE, -ENOENT: its name leads to another file now, or to none.
 */
int target_open_mapping(const struct target *t, const struct mapping *m, int64_t limit, struct diag *d);

/*
 * Open a memfd of the target read-write, through /proc/PID/fd. Its name begins with `prefix` (without "/memfd:").
 * Returns a descriptor, -ENOENT if there is none, or -errno.
 */
int target_open_memfd(const struct target *t, const char *prefix, struct diag *d);

/* The same, for reading, for a regular file with this base name that the target has open, also if it was deleted. */
int target_open_descriptor(const struct target *t, const char *name, struct diag *d);

/*
 * Open the same file with another file description, so that locks are separate. Returns a descriptor, or -1 with
 * errno.
 */
int memfd_open_again(int fd);

#endif
