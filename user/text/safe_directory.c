// SPDX-License-Identifier: BSD-2-Clause
/*
 * The path is walked one name at a time, each relative to the directory before it, which stays open, so that a
 * concurrent rename or replacement cannot redirect the walk. openat2(RESOLVE_NO_SYMLINKS) would also refuse root's
 * own links, such as /var/run.
 */
#include "user/text/safe_directory.h"
#include "user/text/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool parse_id(const char *text, unsigned int *id)
{
	char *end;

	if (!text)
		return false;
	*id = strtoul(text, &end, 10);
	return end != text && !*end;
}

/* False when frtrace was not started by sudo. */
static bool user_behind_sudo(uid_t *uid, gid_t *gid)
{
	return !geteuid() && parse_id(getenv("SUDO_UID"), uid) && parse_id(getenv("SUDO_GID"), gid);
}

void owner_give(int fd)
{
	uid_t uid;
	gid_t gid;

	if (user_behind_sudo(&uid, &gid) && fchown(fd, uid, gid))
		return; /* the file stays root's; nothing is lost */
}

bool owner_is_ours(uid_t uid)
{
	uid_t sudo;
	gid_t gid;

	return !uid || uid == geteuid() || (user_behind_sudo(&sudo, &gid) && uid == sudo);
}

#define MOST_LINKS 40 /* as in the kernel */

struct walk {
	int at;		     /* the directory reached so far */
	char rest[PATH_MAX]; /* the remaining path */
	unsigned int links;
};

/* The rule of the kernel's protected_symlinks, for any directory: only a trusted user can have put the link there. */
static bool is_safe_link(const struct stat *directory, const struct stat *link)
{
	bool shared = directory->st_mode & (S_IWGRP | S_IWOTH);

	return owner_is_ours(link->st_uid) && owner_is_ours(directory->st_uid) &&
	       (!shared || directory->st_mode & S_ISVTX);
}

static int walk_restart(struct walk *w, const char *path)
{
	int fd = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	io_close(w->at);
	w->at = fd;
	return 0;
}

/* Prepend the link's target to the remaining path. */
static int walk_link(struct walk *w, int link, const struct stat *st)
{
	char text[PATH_MAX], way[2 * PATH_MAX];
	struct stat directory;
	ssize_t length;

	if (++w->links > MOST_LINKS || fstat(w->at, &directory) || !is_safe_link(&directory, st))
		return -ELOOP;
	length = readlinkat(link, "", text, sizeof(text) - 1);
	if (length < 0)
		return -errno;
	text[length] = 0;
	if (snprintf(way, sizeof(way), "%s/%s", text, w->rest) >= (int)sizeof(w->rest))
		return -ENAMETOOLONG;
	strcpy(w->rest, way);
	return text[0] == '/' ? walk_restart(w, text) : 0;
}

static int safe_directory_walk_step(struct walk *w, const char *name)
{
	int fd = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISLNK(st.st_mode))
		err = walk_link(w, fd, &st);
	else if (!S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	else {
		close(w->at);
		w->at = fd;
		return 0;
	}
	close(fd);
	return err;
}

/* Take the first name off the remaining path; false at the end. */
static bool safe_directory_walk_next(struct walk *w, char *name)
{
	size_t slashes = strspn(w->rest, "/"), length = strcspn(w->rest + slashes, "/");

	memcpy(name, w->rest + slashes, length);
	name[length] = 0;
	memmove(w->rest, w->rest + slashes + length, strlen(w->rest + slashes + length) + 1);
	return length;
}

static int walk(struct walk *w, const char *path, char *name)
{
	int err = 0;

	if (strlen(path) >= sizeof(w->rest))
		return -ENAMETOOLONG;
	strcpy(w->rest, path);
	err = walk_restart(w, path);
	while (!err && safe_directory_walk_next(w, name))
		err = safe_directory_walk_step(w, name);
	return err;
}

int safe_directory_open(const char *path, const char *file, struct diag *d)
{
	struct walk w = {.at = -1};
	char name[PATH_MAX];
	int err = walk(&w, path, name);

	if (!err)
		return w.at;
	io_close(w.at);
	if (err == -ELOOP)
		return diag_set(d, ELOOP,
				"refuse to write to '%s': the link '%s' on the way is one that another user can change",
				file, name);
	return diag_errno(d, -err, "cannot create '%s'", file);
}
