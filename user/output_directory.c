// SPDX-License-Identifier: BSD-2-Clause
#include "user/output_form.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define START 32 /* of a chunk's header: when it began, ns since the epoch, big-endian */
#define PART  "chunk.part"

/* Make it unless it is there; *made when it is new. */
static int make_directory(const char *path, bool *made, struct diag *d)
{
	*made = !mkdir(path, 0700);
	return *made || errno == EEXIST ? 0 : diag_errno(d, errno, "cannot create the directory '%s'", path);
}

static int make_parent(const char *path, bool *made, struct diag *d)
{
	char parent[PATH_MAX];
	char *slash;

	snprintf(parent, sizeof(parent), "%s", path);
	parent[strlen(parent) - 1] = 0;
	slash = strrchr(parent, '/');
	*made = false;
	if (!slash || slash == parent)
		return 0;
	*slash = 0;
	return make_directory(parent, made, d);
}

static void give_parent(int directory)
{
	int parent = openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (parent >= 0) {
		output_give_to_user(parent);
		close(parent);
	}
}

static int open_directory(struct output *o, struct diag *d)
{
	bool parent_made, made;
	int err = make_parent(o->path, &parent_made, d);

	if (!err)
		err = make_directory(o->path, &made, d);
	if (err)
		return err;
	o->fd = open(o->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (o->fd < 0)
		return diag_errno(d, errno, "cannot open the directory '%s'", o->path);
	if (parent_made)
		give_parent(o->fd);
	if (made)
		output_give_to_user(o->fd);
	return output_set_scratch(o, PART, d);
}

/* As the JVM names them: 2026_11_20_18_05_24.jfr, and _01 for the next of the same second. A name that has been dropped does
 * not come again: `jfr assemble` puts them in the order of their names. */
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

static void watch(const struct output *o, int fd, const struct output_chunk *c)
{
	char path[PATH_MAX];
	struct stat st;

	if (!fstat(fd, &st) && snprintf(path, sizeof(path), "%s%s", o->path, c->name) < (int)sizeof(path))
		keeper_watch(o->keeper, path, st.st_dev, st.st_ino, c->size);
}

static int append(struct output *o, struct output_chunk *c, const void *bytes, size_t size, struct diag *d)
{
	int fd, err;

	if (size < START + sizeof(uint64_t))
		return diag_set(d, EINVAL, "cannot write to '%s': no chunk", o->path);
	unlinkat(o->fd, PART, 0); /* of somebody who was killed */
	fd = output_create(o->fd, PART, O_EXCL, d);
	if (fd < 0)
		return fd;
	output_give_to_user(fd);
	err = output_write(fd, bytes, size, 0);
	if (!err)
		err = give_name(o, c, bytes);
	if (err)
		unlinkat(o->fd, PART, 0);
	else
		watch(o, fd, c);
	close(fd);
	return err ? diag_errno(d, -err, "cannot write to '%s'", o->path) : 0;
}

/* One that somebody took away is gone as well. */
static int drop(struct output *o, size_t gone, struct diag *d)
{
	for (size_t i = 0; i < gone; i++)
		if (unlinkat(o->fd, o->chunk[i].name, 0) && errno != ENOENT)
			return diag_errno(d, errno, "cannot remove '%s%s'", o->path, o->chunk[i].name);
	return 0;
}

static int copy_one(const struct output *o, const struct output_chunk *c, int to, uint64_t at)
{
	int from = openat(o->fd, c->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), err;

	if (from < 0)
		return -errno;
	err = output_copy_range(from, 0, to, at, c->size);
	close(from);
	return err;
}

static int copy(const struct output *o, size_t first, int to, struct diag *d)
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

static void remove_directory(struct output *o)
{
	rmdir(o->path);
}

const struct output_form output_directory = { .is_directory = true,
					      .open = open_directory,
					      .append = append,
					      .drop = drop,
					      .copy = copy,
					      .remove = remove_directory };
