/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that appears whole or not at all. It is written under a scratch name beside its own (NAME.frtrace) and renamed
 * when it is complete: until then, and for ever if it never is, a file that has the name already stays as it is.
 *
 * The file is locked from its first moment on (fcntl(F_SETLK): no child inherits the lock, and it tells who holds it).
 * The scratch file keeps others from the name before the rename, the file itself after it. A scratch file that nobody
 * has locked was left by a process that was killed, and is removed by whoever comes next.
 *
 * In this process nobody else may open and close the file: that would drop the lock.
 */
#ifndef USER_RECORD_NEW_FILE_H
#define USER_RECORD_NEW_FILE_H

#include "format/diag.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#define SCRATCH_END ".frtrace"

struct new_file {
	int directory;					/* that it stands in */
	int fd;						/* the file; -1: none */
	char *path;					/* as given, for messages */
	char name[NAME_MAX + 1], scratch[NAME_MAX + 1]; /* in the directory */
	bool unfinished;				/* it has its scratch name */
	bool keep;					/* what has the name already is not to be replaced */
	bool existed; /* when last looked at, as `old`; after new_file_commit() that is the file itself */
	struct stat old;
};

enum new_file_kind {
	NEW_FILE_REPLACES, /* a regular file that is ours may be there, and is replaced */
	NEW_FILE_IS_NEW,   /* nothing may be there */
};

/*
 * Create it, empty, with mode 0600, owned by the user behind sudo. -ELOOP, -EISDIR, -EINVAL, -EPERM: what is there is
 * a link, a directory, no regular file with one name, or somebody else's. -EBUSY: another process is writing it.
 * On error there is nothing to close.
 */
int new_file_open(struct new_file *f, const char *path, enum new_file_kind kind, struct diag *d);

/* The same in two steps: f->directory and the names, with nothing on the disk yet; then the file. After an error of the second close. */
int new_file_find(struct new_file *f, const char *path, enum new_file_kind kind, struct diag *d);
int new_file_begin(struct new_file *f, struct diag *d);

/*
 * Give it its name; what it has is to be on the disk before, or a power cut may leave neither it nor the old file. -EBUSY, -EEXIST: something else has got the name meanwhile, and stays. On error it keeps its
 * scratch name. The descriptor stays open.
 */
int new_file_commit(struct new_file *f, struct diag *d);

/* Bring it to the disk, then commit. */
int new_file_finish(struct new_file *f, struct diag *d);

/*
 * Begin another file that is to replace the one committed: f->fd is then the new one, and the old descriptor, returned,
 * the caller's to close after new_file_commit(), or to hand to new_file_revert(). Or -errno, with f as before.
 */
int new_file_begin_again(struct new_file *f, struct diag *d);
void new_file_revert(struct new_file *f, int fd);

/* Close; what was not committed is removed. One that is closed, or was not opened, is fine. */
void new_file_close(struct new_file *f);

/* Does the name still stand for the file that was committed? */
bool new_file_is_there(const struct new_file *f);

/*
 * A locked scratch file, empty, in an open directory; `path` is its path for messages. Returns a descriptor.
 * scratch_remove() removes it unless a process that lives has it locked: 0, -errno, or -EBUSY with that process.
 */
int scratch_create(int directory, const char *name, const char *path, struct diag *d);
int scratch_remove(int directory, const char *name, pid_t *writer);

#endif
