/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files as the target sees them. Paths are resolved below /proc/PID/root and cannot leave it, whatever links the
 * target has planted (openat2 with RESOLVE_IN_ROOT; if the kernel or a seccomp filter does not allow it, no link
 * is followed at all). There is no setns(): /proc needs no CAP_SYS_ADMIN and leaves our own view unchanged.
 *
 * A path may be a device that only root may open, and even opening it can do harm: it arms a watchdog, rewinds a
 * tape, or acquires a controlling terminal. So a file of the target is opened in two steps: with O_PATH, which
 * calls no driver, and after a check of its type again through the descriptor.
 */
#ifndef USER_PROCESS_ROOT_PATH_H
#define USER_PROCESS_ROOT_PATH_H

#include "user/process/proc.h"
#include "user/process/target.h"

#include <fcntl.h>
#include <unistd.h>

/* An O_PATH descriptor of /proc/PID/root or /proc/PID/cwd (`what`), or -errno. */
int root_path_open(const struct target *t, const char *what);

/*
 * Open `path` below the directory `root`. Returns -errno on failure. Only for O_PATH and O_DIRECTORY, otherwise
 * -EINVAL: use root_path_open_file() for contents.
 */
int root_path_open_at(int root, const char *path, int flags);

/*
 * Open a file chosen by the target for reading. It must be a regular file of at most `limit` bytes. Its owner must
 * be the target's user or root, or everybody may read it (files from an unpacked archive may belong to anybody).
 * Never blocks on a FIFO, never opens a device. Returns a descriptor; -EACCES: not such a file; -EFBIG: larger;
 * other -errno.
 */
int root_path_open_file(const struct target *t, int root, const char *path, off_t limit);

/*
 * The same for an O_PATH descriptor, which is closed in any case; a negative one is returned unchanged. `flags` is
 * O_RDONLY or O_RDWR. Without a target the owner does not matter.
 */
int root_path_open_again(const struct target *t, int fd, int flags, off_t limit);

/* A path by which this process can open again what `fd` refers to. */
#define PLACE_FD_PATH 32
void root_path_fd_path(int fd, char out[PLACE_FD_PATH]);

/* Open the file of the JVM's performance counters read-only. -ENOENT: there is none. */
int root_path_open_perf_data(const struct target *t);

/* The path of the target's root in our view; "" if it is our root, too. A chroot appears as a prefix of its paths. */
void root_path_root_name(const struct target *t, char *out, size_t size);

/* Convert a path that the kernel shows to us into the target's path. */
void root_path_strip_root(const char *root_name, char *path);

/* The target's path of a directory that is open here. Returns false if it is unknown. */
bool root_path_name(const char *root_name, int fd, char *out, size_t size);

#endif
