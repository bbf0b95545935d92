/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that appears complete or not at all. It is written under a scratch name beside its own (NAME.frtrace) and
 * renamed when it is complete. Until then an existing file of that name stays unchanged.
 *
 * The file is locked from the start (fcntl(F_SETLK), because children do not inherit that lock and its holder can be
 * queried). The scratch file keeps others from using the name before the rename, the file itself does so afterwards.
 * An unlocked scratch file was left by a killed process and is removed by the next writer.
 *
 * No other code in this process may open and close the file: that would drop the lock.
 */
#ifndef USER_TEXT_NEW_FILE_H
#define USER_TEXT_NEW_FILE_H

#include "format/diag.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#define SCRATCH_END ".frtrace"

struct new_file {
	int directory;					/* the directory that contains the file */
	int fd;						/* -1: none */
	char *path;					/* as given, for messages */
	char name[NAME_MAX + 1], scratch[NAME_MAX + 1]; /* within the directory */
	bool unfinished;				/* it still has its scratch name */
	bool keep;					/* fail if the name exists instead of replacing the file */
	/* Whether the name existed at the last check, and what it was. After new_file_commit(): the committed file. */
	bool existed;
	struct stat old;
};

enum new_file_kind {
	NEW_FILE_REPLACES, /* an existing regular file of ours is replaced */
	NEW_FILE_IS_NEW,   /* the name must not exist */
};

/*
 * Create an empty file with mode 0600, owned by the user behind sudo. Returns 0, or -errno with the message and
 * nothing to close. -ELOOP, -EISDIR, -EINVAL, -EPERM: the existing file is a link, a directory, not a regular file
 * with one name, or owned by another user. -EBUSY: another process is writing it.
 */
int new_file_open(struct new_file *f, const char *path, enum new_file_kind kind, struct diag *d);

/*
 * The same in two steps: first f->directory and the names, without touching the disk; then the file. Close `f` when
 * the second step fails.
 */
int new_file_find(struct new_file *f, const char *path, enum new_file_kind kind, struct diag *d);
int new_file_begin(struct new_file *f, struct diag *d);

/*
 * Rename the file to its name. Its content must have been synced, or a power failure may leave neither this file nor
 * the old one. On error the file keeps its scratch name; -EBUSY, -EEXIST: another file has taken the name meanwhile
 * and stays. The descriptor stays open.
 */
int new_file_commit(struct new_file *f, struct diag *d);

/* Sync the file, then commit it. */
int new_file_finish(struct new_file *f, struct diag *d);

/*
 * Begin a file that will replace the committed one; f->fd becomes the new file. Returns the old descriptor, which the
 * caller closes after new_file_commit() or passes to new_file_revert(); or -errno with f unchanged.
 */
int new_file_begin_again(struct new_file *f, struct diag *d);
void new_file_revert(struct new_file *f, int fd);

/* Close the file, and remove it if it was not committed. A file that is closed or was never opened is allowed. */
void new_file_close(struct new_file *f);

/* Does the name still refer to the committed file? */
bool new_file_is_there(const struct new_file *f);

/*
 * scratch_create() creates an empty, locked scratch file in an open directory and returns its descriptor or -errno;
 * `path` is the path for messages. scratch_remove() removes a scratch file unless a live process has locked it. It
 * returns 0 or -errno; -EBUSY sets *writer to that process.
 */
int scratch_create(int directory, const char *name, const char *path, struct diag *d);
int scratch_remove(int directory, const char *name, pid_t *writer);

#endif
