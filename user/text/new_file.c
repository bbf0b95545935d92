// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/new_file.h"
#include "user/text/io.h"
#include "user/text/safe_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIES 100 /* each lost to another process that was quicker */

static bool new_file_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* True also on a file system without locks. */
static bool lock(int fd)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return !fcntl(fd, F_SETLK, &l) || (errno != EAGAIN && errno != EACCES);
}

/* The process that has locked the file; 0: none, -1: unknown. */
static pid_t writer_of(int fd)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_GETLK, &l) || l.l_type == F_UNLCK)
		return 0;
	return l.l_pid > 0 ? l.l_pid : -1;
}

static int report_writer(const char *path, pid_t writer, struct diag *d)
{
	char who[32] = "another frtrace";

	if (writer > 0)
		snprintf(who, sizeof(who), "frtrace pid %d", (int)writer);
	return diag_set(d, EBUSY,
			"cannot write '%s': %s is writing it; stop that one first, or give another name with -o", path,
			who);
}

static bool new_file_has_name(int fd, int directory, const char *name)
{
	struct stat st, named;

	return !fstat(fd, &st) && !fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) &&
	       new_file_is_same(&st, &named);
}

/* Whoever removes a scratch file must have locked it; so the name refers to this file as long as the lock is held. */
static int remove_unlocked(int fd, int directory, const char *name, pid_t *writer)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || !owner_is_ours(st.st_uid))
		return -EPERM;
	if (!lock(fd)) {
		*writer = writer_of(fd);
		return -EBUSY;
	}
	return new_file_has_name(fd, directory, name) && unlinkat(directory, name, 0) && errno != ENOENT ? -errno : 0;
}

int scratch_remove(int directory, const char *name, pid_t *writer)
{
	int fd = openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), err;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = remove_unlocked(fd, directory, name, writer);
	close(fd);
	return err;
}

/* Returns -EAGAIN when another process has taken the file for an abandoned one and removes it. */
static int create_locked(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	if (lock(fd) && new_file_has_name(fd, directory, name)) {
		owner_give(fd);
		return fd;
	}
	close(fd);
	return -EAGAIN;
}

int scratch_create(int directory, const char *name, const char *path, struct diag *d)
{
	pid_t writer = 0;
	int fd = -EAGAIN, err = 0;

	for (int i = 0; i < TRIES && !err && (fd == -EAGAIN || fd == -EEXIST); i++) {
		fd = create_locked(directory, name);
		if (fd == -EEXIST)
			err = scratch_remove(directory, name, &writer);
	}
	if (fd >= 0)
		return fd;
	if (err == -EBUSY)
		return report_writer(path, writer, d);
	if (err)
		return diag_errno(d, -err, "cannot create '%s': '%s' is in the way", path, name);
	return diag_errno(d, -fd, "cannot create '%s'", path);
}

/* Check that the existing file may be replaced. */
static int check_old(const struct new_file *f, struct diag *d)
{
	const struct stat *st = &f->old;

	if (f->keep)
		return diag_set(d, EEXIST, "'%s' is there already: give another name with -o, or remove it", f->path);
	if (S_ISLNK(st->st_mode))
		return diag_set(d, ELOOP, "refuse to write through the link '%s'", f->path);
	if (S_ISDIR(st->st_mode))
		return diag_errno(d, EISDIR, "cannot create '%s'", f->path);
	if (!S_ISREG(st->st_mode) || st->st_nlink > 1) /* nlink 0: another process is replacing it */
		return diag_set(d, EINVAL, "refuse to write to '%s': not a regular file with one name", f->path);
	if (!owner_is_ours(st->st_uid))
		return diag_set(
			d, EPERM,
			"refuse to replace '%s': it belongs to user %u; remove it, or give another name with -o",
			f->path, (unsigned int)st->st_uid);
	return 0;
}

static int check_existing(struct new_file *f, struct diag *d)
{
	f->existed = !fstatat(f->directory, f->name, &f->old, AT_SYMLINK_NOFOLLOW);
	if (!f->existed && errno != ENOENT)
		return diag_errno(d, errno, "cannot create '%s'", f->path);
	return f->existed ? check_old(f, d) : 0;
}

/*
 * Check that nobody writes the file. Call once the scratch name is ours: a writer has either that or the name itself.
 */
static int check_writer(const struct new_file *f, struct diag *d)
{
	pid_t writer;
	int fd;

	if (!f->existed)
		return 0;
	fd = openat(f->directory, f->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : diag_errno(d, errno, "cannot tell whether '%s' is being written", f->path);
	writer = writer_of(fd);
	close(fd);
	return writer ? report_writer(f->path, writer, d) : 0;
}

static int make_names(struct new_file *f, const char *path, struct diag *d)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	f->path = strdup(path);
	if (!f->path)
		return diag_errno(d, ENOMEM, "cannot create '%s'", path);
	if (snprintf(f->scratch, sizeof(f->scratch), "%s%s", name, SCRATCH_END) >= (int)sizeof(f->scratch))
		return diag_errno(d, ENAMETOOLONG, "cannot create '%s'", path);
	strcpy(f->name, name);
	return 0;
}

static int open_directory_of(const char *path, struct diag *d)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];

	if (slash && slash - path >= (long)sizeof(directory) - 1)
		return diag_errno(d, ENAMETOOLONG, "cannot create '%s'", path);
	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
	return safe_directory_open(directory, path, d);
}

int new_file_find(struct new_file *f, const char *path, enum new_file_kind kind, struct diag *d)
{
	int err;

	*f = (struct new_file){.directory = -1, .fd = -1, .keep = kind == NEW_FILE_IS_NEW};
	err = make_names(f, path, d);
	if (!err)
		err = f->directory = open_directory_of(path, d);
	if (err >= 0)
		return 0;
	new_file_close(f);
	return err;
}

int new_file_begin(struct new_file *f, struct diag *d)
{
	int err = check_existing(f, d);

	if (err)
		return err;
	f->fd = scratch_create(f->directory, f->scratch, f->path, d);
	if (f->fd < 0)
		return f->fd;
	f->unfinished = true;
	err = check_existing(f, d);
	return err ? err : check_writer(f, d);
}

int new_file_open(struct new_file *f, const char *path, enum new_file_kind kind, struct diag *d)
{
	int err = new_file_find(f, path, kind, d);

	if (!err)
		err = new_file_begin(f, d);
	if (err)
		new_file_close(f);
	return err;
}

/* Some file systems do not support RENAME_NOREPLACE. */
static int rename_to_free_name(const struct new_file *f)
{
	struct stat st;

	if (!renameat2(f->directory, f->scratch, f->directory, f->name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (!fstatat(f->directory, f->name, &st, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	return renameat(f->directory, f->scratch, f->directory, f->name) ? -errno : 0;
}

static int rename_over_old(const struct new_file *f)
{
	return renameat(f->directory, f->scratch, f->directory, f->name) ? -errno : 0;
}

int new_file_commit(struct new_file *f, struct diag *d)
{
	struct stat now, own;
	bool there = !fstatat(f->directory, f->name, &now, AT_SYMLINK_NOFOLLOW);
	int err;

	if (there && (!f->existed || !new_file_is_same(&now, &f->old)))
		return diag_set(d, EBUSY, "refuse to replace '%s': it is another file than before", f->path);
	err = fstat(f->fd, &own) ? -errno : there ? rename_over_old(f) : rename_to_free_name(f);
	if (err)
		return diag_errno(d, -err, "cannot give '%s' its name", f->path);
	f->unfinished = false;
	f->existed = true;
	f->old = own;
	return 0;
}

int new_file_finish(struct new_file *f, struct diag *d)
{
	if (fdatasync(f->fd))
		return diag_errno(d, errno, "cannot write '%s'", f->path);
	return new_file_commit(f, d);
}

int new_file_begin_again(struct new_file *f, struct diag *d)
{
	int old = f->fd, fd = scratch_create(f->directory, f->scratch, f->path, d);

	if (fd < 0)
		return fd;
	f->fd = fd;
	f->unfinished = true;
	return old;
}

void new_file_revert(struct new_file *f, int fd)
{
	unlinkat(f->directory, f->scratch, 0);
	close(f->fd);
	f->fd = fd;
	f->unfinished = false;
}

void new_file_close(struct new_file *f)
{
	if (f->fd >= 0) {
		if (f->unfinished)
			unlinkat(f->directory, f->scratch, 0);
		close(f->fd);
	}
	io_close(f->directory);
	free(f->path);
	*f = (struct new_file){.directory = -1, .fd = -1};
}

bool new_file_is_there(const struct new_file *f)
{
	struct stat st;

	return !fstatat(f->directory, f->name, &st, AT_SYMLINK_NOFOLLOW) && new_file_is_same(&st, &f->old);
}
