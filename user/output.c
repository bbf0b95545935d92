// SPDX-License-Identifier: BSD-2-Clause
#include "user/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define LEAST_FREE (1ULL << 30)

struct output {
	char *path;
	int fd;
	uint64_t size, max_size, dropped;
	uint64_t *chunk; /* sizes, oldest first */
	size_t chunks, capacity;
};

/* Less free than 1 GB, or than 5 % on a small disk? */
static int check_space(int fd, const char *path, uint64_t wanted, struct diag *d)
{
	struct statvfs v;
	uint64_t available, least;

	if (fstatvfs(fd, &v))
		return diag_errno(d, errno, "cannot tell the free space at '%s'", path);
	available = (uint64_t)v.f_bavail * v.f_frsize;
	least = (uint64_t)v.f_blocks * v.f_frsize / 20;
	if (least > LEAST_FREE)
		least = LEAST_FREE;
	if (available >= least + wanted)
		return 0;
	return diag_set(d, ENOSPC, "stop before the disk is full: %llu MB are free at '%s', %llu MB are left to others",
			(unsigned long long)(available >> 20), path, (unsigned long long)(least >> 20));
}

/* Who ran sudo owns the file. */
static void give_to_user(int fd)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	char *end;
	unsigned long u, g;

	if (geteuid() || !uid || !gid)
		return;
	u = strtoul(uid, &end, 10);
	if (*end || end == uid)
		return;
	g = strtoul(gid, &end, 10);
	if (*end || end == gid)
		return;
	if (fchown(fd, u, g))
		return; /* root's then, which loses nothing */
}

static int create(const char *path, int flags, struct diag *d)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | flags, 0600);

	if (fd < 0 && errno == ELOOP)
		return diag_set(d, ELOOP, "refuse to write through the link '%s'", path);
	if (fd < 0)
		return diag_errno(d, errno, "cannot create '%s'", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink != 1) {
		close(fd);
		return diag_set(d, EINVAL, "refuse to write to '%s': not a regular file with one name", path);
	}
	return fd;
}

int output_open(struct output **out, const char *path, uint64_t max_size, struct diag *d)
{
	struct output *o = calloc(1, sizeof(*o));
	int err;

	if (!o || !(o->path = strdup(path))) {
		free(o);
		return diag_errno(d, ENOMEM, "cannot open '%s'", path);
	}
	o->max_size = max_size;
	o->fd = err = create(path, 0, d);
	if (err >= 0)
		err = check_space(o->fd, path, 0, d);
	if (!err && (ftruncate(o->fd, 0) || fchmod(o->fd, 0600)))
		err = diag_errno(d, errno, "cannot write '%s'", path);
	if (err < 0) {
		output_close(o);
		return err;
	}
	give_to_user(o->fd);
	*out = o;
	return 0;
}

void output_close(struct output *o)
{
	struct stat st;

	if (!o)
		return;
	if (o->fd >= 0) {
		if (!o->chunks && !fstat(o->fd, &st) && !st.st_size)
			unlink(o->path);
		close(o->fd);
	}
	free(o->chunk);
	free(o->path);
	free(o);
}

static int write_all(int fd, const char *bytes, size_t size, uint64_t at)
{
	while (size) {
		ssize_t n = pwrite(fd, bytes, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		bytes += n;
		size -= n;
		at += n;
	}
	return 0;
}

static int copy_range(int from, uint64_t at, int to, uint64_t size)
{
	char buffer[1 << 16];
	uint64_t out = 0;

	while (out < size) {
		size_t want = size - out < sizeof(buffer) ? size - out : sizeof(buffer);
		ssize_t n = pread(from, buffer, want, at + out);
		int err;

		if (n <= 0)
			return n ? -errno : -EIO;
		err = write_all(to, buffer, n, out);
		if (err)
			return err;
		out += n;
	}
	return 0;
}

/* Put the file's last `keep` bytes in its place. */
static int replace_by_tail(struct output *o, uint64_t keep, struct diag *d)
{
	char temporary[PATH_MAX];
	int fd, err;

	if (snprintf(temporary, sizeof(temporary), "%s.%d.tmp", o->path, (int)getpid()) >= (int)sizeof(temporary))
		return diag_set(d, ENAMETOOLONG, "cannot shorten '%s': its name is too long", o->path);
	fd = create(temporary, O_EXCL, d);
	if (fd < 0)
		return fd;
	give_to_user(fd);
	err = copy_range(o->fd, o->size - keep, fd, keep);
	if (!err && rename(temporary, o->path))
		err = -errno;
	if (err) {
		close(fd);
		unlink(temporary);
		return diag_errno(d, -err, "cannot drop the oldest chunks of '%s'", o->path);
	}
	close(o->fd);
	o->fd = fd;
	o->size = keep;
	return 0;
}

/* Drop whole oldest chunks, a quarter of the limit at once, so that this is rare. */
static int trim(struct output *o, size_t coming, struct diag *d)
{
	uint64_t keep = o->size, limit = o->max_size / 4 * 3;
	size_t gone = 0;
	int err;

	if (o->size + coming <= o->max_size)
		return 0;
	while (gone < o->chunks && keep + coming > limit)
		keep -= o->chunk[gone++];
	err = replace_by_tail(o, keep, d);
	if (err)
		return err;
	memmove(o->chunk, o->chunk + gone, (o->chunks - gone) * sizeof(*o->chunk));
	o->chunks -= gone;
	o->dropped += gone;
	return 0;
}

/* Room in the table for one chunk more. */
static int reserve_chunk(struct output *o, struct diag *d)
{
	size_t capacity = o->capacity ? 2 * o->capacity : 64;
	uint64_t *more;

	if (o->chunks < o->capacity)
		return 0;
	more = realloc(o->chunk, capacity * sizeof(*more));
	if (!more)
		return diag_errno(d, ENOMEM, "cannot write '%s'", o->path);
	o->chunk = more;
	o->capacity = capacity;
	return 0;
}

int output_append(struct output *o, const void *chunk, size_t size, struct diag *d)
{
	int err = check_space(o->fd, o->path, size, d);

	if (!err)
		err = reserve_chunk(o, d);
	if (!err)
		err = trim(o, size, d);
	if (err)
		return err;
	err = write_all(o->fd, chunk, size, o->size);
	if (err) {
		if (ftruncate(o->fd, o->size)) /* what is finished stays readable */
			return diag_errno(d, -err, "cannot write '%s', nor cut what was written", o->path);
		return diag_errno(d, -err, "cannot write '%s'", o->path);
	}
	o->size += size;
	o->chunk[o->chunks++] = size;
	return 0;
}

const char *output_path(const struct output *o)
{
	return o->path;
}

uint64_t output_size(const struct output *o)
{
	return o->size;
}

uint64_t output_dropped(const struct output *o)
{
	return o->dropped;
}
