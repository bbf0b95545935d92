// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/output_internal.h"
#include "user/text/io.h"
#include "user/text/safe_directory.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define START 32 /* offset of the start time in a chunk's header, ns since the epoch, big-endian */
#define PART  "chunk.part"

/* Create a directory in `at` unless it exists, for the user behind sudo, and open it. */
static int output_directory_make_directory(int at, const char *name, const char *path, struct diag *d)
{
	bool made = !mkdirat(at, name, 0700);
	int fd;

	if (!made && errno != EEXIST)
		return diag_errno(d, errno, "cannot create the directory '%s'", path);
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return diag_errno(d, errno, "cannot open the directory '%s'", path);
	if (made)
		owner_give(fd);
	return fd;
}

/* Split "a/b/c/" into "a/b" and "c". */
static void split_path(const char *path, char directory[PATH_MAX], char *name, size_t size)
{
	size_t end = strlen(path), begin;

	while (end && path[end - 1] == '/')
		end--;
	for (begin = end; begin && path[begin - 1] != '/';)
		begin--;
	snprintf(name, size, "%.*s", (int)(end - begin), path + begin);
	snprintf(directory, PATH_MAX, "%.*s", (int)begin, path);
}

/* Open the parent directory; create it if missing. */
static int open_parent(const char *parent, const char *path, struct diag *d)
{
	int fd = safe_directory_open(parent, path, d), above;
	char directory[PATH_MAX], name[NAME_MAX + 1];

	if (fd != -ENOENT)
		return fd;
	split_path(parent, directory, name, sizeof(name));
	above = safe_directory_open(directory, path, d);
	if (above < 0)
		return above;
	fd = output_directory_make_directory(above, name, path, d);
	close(above);
	return fd;
}

static int output_directory_open_directory(struct output *o, struct diag *d)
{
	char parent[PATH_MAX];

	if (strlen(o->path) >= sizeof(parent))
		return diag_errno(d, ENAMETOOLONG, "cannot create the directory '%s'", o->path);
	split_path(o->path, parent, o->name, sizeof(o->name));
	o->parent = open_parent(parent, o->path, d);
	if (o->parent < 0)
		return o->parent;
	o->fd = output_directory_make_directory(o->parent, o->name, o->path, d);
	if (o->fd < 0)
		return o->fd;
	o->guard = output_guard_start(o->fd, PART);
	return 0;
}

/*
 * Name the chunk as the JVM does: 2026_11_20_18_05_24.jfr, with _01 for the next one of the same second. A dropped
 * chunk's name is not reused, because `jfr assemble` sorts chunks by name.
 */
static int give_name(struct output *o, struct output_chunk *c, const unsigned char *bytes)
{
	char second[24];
	uint64_t start;
	struct tm tm;
	time_t t;

	memcpy(&start, bytes + START, sizeof(start));
	t = be64toh(start) / 1000000000;
	if (!localtime_r(&t, &tm) || !strftime(second, sizeof(second), "%Y_%m_%d_%H_%M_%S", &tm))
		return -EINVAL;
	if (strcmp(second, o->second) != 0)
		o->of_second = 0;
	strcpy(o->second, second);
	for (unsigned int n = o->of_second; n < 10000; n++) {
		snprintf(c->name, sizeof(c->name), n ? "%s_%02u.jfr" : "%s.jfr", second, n);
		if (!renameat2(o->fd, PART, o->fd, c->name, RENAME_NOREPLACE)) {
			o->of_second = n + 1;
			return 0;
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static void output_directory_watch(const struct output *o, int fd, const struct output_chunk *c)
{
	struct stat st;

	if (!fstat(fd, &st))
		output_guard_watch(o->guard, c->name, st.st_dev, st.st_ino, c->size);
}

static int output_directory_append(struct output *o, struct output_chunk *c, const void *bytes, size_t size,
				   struct diag *d)
{
	int fd, err;

	if (size < START + sizeof(uint64_t))
		return diag_set(d, EINVAL, "cannot write to '%s': no chunk", o->path);
	fd = scratch_create(o->fd, PART, o->path, d);
	if (fd < 0)
		return fd;
	err = io_write_at(fd, bytes, size, 0);
	if (!err)
		err = give_name(o, c, bytes);
	if (err)
		unlinkat(o->fd, PART, 0);
	else
		output_directory_watch(o, fd, c);
	close(fd);
	return err ? output_write_failed(err, o->path, d) : 0;
}

/* A chunk that somebody has removed already is fine, too. */
static int output_directory_drop(struct output *o, size_t drop, struct diag *d)
{
	for (size_t i = 0; i < drop; i++)
		if (unlinkat(o->fd, o->chunk[i].name, 0) && errno != ENOENT)
			return diag_errno(d, errno, "cannot remove '%s%s'", o->path, o->chunk[i].name);
	return 0;
}

static int copy_one(const struct output *o, const struct output_chunk *c, int to, uint64_t at)
{
	int from = openat(o->fd, c->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), err;

	if (from < 0)
		return -errno;
	err = io_copy_range(from, 0, to, at, c->size);
	close(from);
	return err;
}

static int output_directory_copy(const struct output *o, size_t first, int to, struct diag *d)
{
	uint64_t at = 0;

	for (size_t i = first; i < o->chunks; i++) {
		int err = copy_one(o, &o->chunk[i], to, at);

		if (err)
			return diag_errno(d, -err, "cannot copy '%s%s'", o->path, o->chunk[i].name);
		at += o->chunk[i].size;
	}
	return 0;
}

static bool output_directory_is_there(const struct output *o)
{
	struct stat own, named;

	return !fstat(o->fd, &own) && !fstatat(o->parent, o->name, &named, AT_SYMLINK_NOFOLLOW) &&
	       own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

static void close_directory(struct output *o)
{
	if (o->fd >= 0) {
		if (!o->chunks)
			unlinkat(o->parent, o->name, AT_REMOVEDIR);
		close(o->fd);
	}
	io_close(o->parent);
}

const struct output_form output_directory = {.is_directory = true,
					     .open = output_directory_open_directory,
					     .append = output_directory_append,
					     .drop = output_directory_drop,
					     .copy = output_directory_copy,
					     .is_there = output_directory_is_there,
					     .close = close_directory};
