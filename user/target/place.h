/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files as the target sees them: paths are walked below /proc/PID/root and
 * cannot lead out of it, whatever links the target has laid (openat2 with
 * RESOLVE_IN_ROOT; where the kernel or a seccomp filter does not have it, no
 * link is followed at all). No setns(): the doors of /proc need no
 * CAP_SYS_ADMIN and leave our own view as it is.
 */
#ifndef USER_TARGET_PLACE_H
#define USER_TARGET_PLACE_H

#include "user/target/proc.h"

#include <fcntl.h>
#include <unistd.h>

/* O_PATH descriptor of /proc/PID/root or /proc/PID/cwd (`what`), or -errno. */
int place_open(const struct target *t, const char *what);

/* Open `path` below the directory `root`; -errno. */
int place_open_at(int root, const char *path, int flags);

/* The file of the JVM's performance counters, read-only. -ENOENT: there is none. */
int place_open_perf_data(const struct target *t);

/* Where the target's root lies for us: "" when it is a root for us too. A chroot shows up as a prefix of its paths. */
void place_root_name(const struct target *t, char *out, size_t size);

/* Turn a path as the kernel shows it to us into the target's. */
void place_strip_root(const char *root_name, char *path);

/* How the target names a directory that we have open. False when it cannot be told. */
bool place_name(const char *root_name, int fd, char *out, size_t size);

#endif
