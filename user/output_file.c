// SPDX-License-Identifier: BSD-2-Clause
#include "user/output_form.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER	68 /* of a chunk */
#define STATE	64 /* of its bytes */
#define WRITING 0xff

/* The keeper cuts what is behind this size: it must know of each chunk. */
static void watch(const struct output *o, uint64_t size)
{
	keeper_watch(o->keeper, o->path, o->device, o->inode, size);
}

/* What the file is, before it is the output. */
static int identify(struct output *o, int fd, struct diag *d)
{
	struct stat st;

	if (fstat(fd, &st))
		return diag_errno(d, errno, "cannot look at '%s'", o->path);
	o->device = st.st_dev;
	o->inode = st.st_ino;
	return 0;
}

static int open_file(struct output *o, struct diag *d)
{
	char end[32];
	int err;

	o->fd = output_create(AT_FDCWD, o->path, 0, d);
	if (o->fd < 0)
		return o->fd;
	if (ftruncate(o->fd, 0) || fchmod(o->fd, 0600))
		return diag_errno(d, errno, "cannot write '%s'", o->path);
	output_give_to_user(o->fd);
	snprintf(end, sizeof(end), ".%d.tmp", (int)getpid());
	err = output_set_scratch(o, end, d);
	return err ? err : identify(o, o->fd, d);
}

/* The header first, for readers to wait; the state when all is there. */
static int write_chunk(int fd, const unsigned char *bytes, size_t size, uint64_t at)
{
	unsigned char header[HEADER];
	int err;

	if (size < HEADER)
		return -EINVAL;
	memcpy(header, bytes, HEADER);
	header[STATE] = WRITING;
	err = output_write(fd, header, HEADER, at);
	if (!err)
		err = output_write(fd, bytes + HEADER, size - HEADER, at + HEADER);
	return err ? err : output_write(fd, bytes + STATE, 1, at + STATE);
}

static int append(struct output *o, struct output_chunk *c, const void *bytes, size_t size, struct diag *d)
{
	int err = write_chunk(o->fd, bytes, size, o->size);

	if (err && ftruncate(o->fd, o->size)) /* what is finished stays readable */
		return diag_errno(d, -err, "cannot write '%s', nor cut what was written", o->path);
	if (err)
		return diag_errno(d, -err, "cannot write '%s'", o->path);
	watch(o, o->size + size);
	return 0;
}

static uint64_t offset_of(const struct output *o, size_t chunk)
{
	uint64_t offset = 0;

	for (size_t i = 0; i < chunk; i++)
		offset += o->chunk[i].size;
	return offset;
}

static int copy(const struct output *o, size_t first, int to, struct diag *d)
{
	uint64_t gone = offset_of(o, first);
	int err = output_copy_range(o->fd, gone, to, 0, o->size - gone);

	return err ? diag_errno(d, -err, "cannot copy '%s'", o->path) : 0;
}

/* Put the file's tail in its place. */
static int drop(struct output *o, size_t gone, struct diag *d)
{
	uint64_t device = o->device, inode = o->inode;
	int fd, err;

	unlink(o->scratch); /* of an attempt that failed */
	fd = output_create(AT_FDCWD, o->scratch, O_EXCL, d);
	if (fd < 0)
		return fd;
	output_give_to_user(fd);
	err = copy(o, gone, fd, d);
	if (!err)
		err = identify(o, fd, d);
	if (!err && rename(o->scratch, o->path))
		err = diag_errno(d, errno, "cannot drop the oldest chunks of '%s'", o->path);
	if (err) {
		close(fd);
		unlink(o->scratch);
		o->device = device;
		o->inode = inode;
		return err;
	}
	close(o->fd);
	o->fd = fd;
	watch(o, o->size - offset_of(o, gone));
	return 0;
}

static void remove_file(struct output *o)
{
	struct stat st;

	if (!fstat(o->fd, &st) && !st.st_size)
		unlink(o->path);
}

const struct output_form output_file = {
	.spare = 1, .open = open_file, .append = append, .drop = drop, .copy = copy, .remove = remove_file };
