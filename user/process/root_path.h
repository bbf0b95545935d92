/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files as the target sees them: paths are walked below /proc/PID/root and
 * cannot lead out of it, whatever links the target has laid (openat2 with
 * RESOLVE_IN_ROOT; where the kernel or a seccomp filter does not have it, no
 * link is followed at all). No setns(): the doors of /proc need no
 * CAP_SYS_ADMIN and leave our own view as it is.
 *
 * What lies there may be a device that only we may open, and the open alone
 * can do harm: it arms a watchdog, rewinds a tape, makes a terminal ours. So a
 * file of the target is opened in two steps: O_PATH, which calls no driver,
 * and after a look at what it is again, by its descriptor.
 */
#ifndef USER_PROCESS_ROOT_PATH_H
#define USER_PROCESS_ROOT_PATH_H

#include "user/process/proc.h"
#include "user/process/target.h"

#include <fcntl.h>
#include <unistd.h>

/* O_PATH descriptor of /proc/PID/root or /proc/PID/cwd (`what`), or -errno. */
int root_path_open(const struct target *t, const char *what);

/*
 * Open `path` below the directory `root`; -errno. For O_PATH and O_DIRECTORY only, -EINVAL otherwise: contents are for
 * root_path_open_file().
 */
int root_path_open_at(int root, const char *path, int flags);

/*
 * Open for reading a file that the target chose. It must be a regular file of at most `limit` bytes, owned by the
 * target's user or by root or readable by everybody (what an archive was unpacked with may be anybody's). Never blocks
 * on a FIFO, never opens a device. A descriptor; -EACCES: what is there is something else; -EFBIG: larger; other
 * -errno of the open.
 */
int root_path_open_file(const struct target *t, int root, const char *path, off_t limit);

/*
 * The same by an O_PATH descriptor, which is closed in any case; a negative one is returned as it is. `flags` is
 * O_RDONLY or O_RDWR. Without a target the file may be anybody's.
 */
int root_path_open_again(const struct target *t, int fd, int flags, off_t limit);

/* The path by which others, in this process, open again what `fd` holds. */
#define PLACE_FD_PATH 32
void root_path_fd_path(int fd, char out[PLACE_FD_PATH]);

/* The file of the JVM's performance counters, read-only. -ENOENT: there is none. */
int root_path_open_perf_data(const struct target *t);

/* Where the target's root lies for us: "" when it is a root for us too. A chroot shows up as a prefix of its paths. */
void root_path_root_name(const struct target *t, char *out, size_t size);

/* Turn a path as the kernel shows it to us into the target's. */
void root_path_strip_root(const char *root_name, char *path);

/* How the target names a directory that we have open. False when it cannot be told. */
bool root_path_name(const char *root_name, int fd, char *out, size_t size);

#endif
