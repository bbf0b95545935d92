// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/output_internal.h"
#include "user/text/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER	68 /* size of a chunk's header */
#define STATE	64 /* offset of its state */
#define WRITING 0xff

/* Report the finished size to the guard, which cuts off everything behind it. */
static void output_file_watch(const struct output *o, uint64_t size)
{
	output_guard_watch(o->guard, o->file.name, o->file.old.st_dev, o->file.old.st_ino, size);
}

static int open_file(struct output *o, struct diag *d)
{
	int err = new_file_find(&o->file, o->path, NEW_FILE_REPLACES, d);

	if (err)
		return err;
	o->guard = output_guard_start(o->file.directory, o->file.scratch);
	return new_file_begin(&o->file, d);
}

/* Write the header first, so that readers wait; write the state last. */
static int write_chunk(int fd, const unsigned char *bytes, size_t size, uint64_t at)
{
	unsigned char header[HEADER];
	int err;

	if (size < HEADER)
		return -EINVAL;
	memcpy(header, bytes, HEADER);
	header[STATE] = WRITING;
	err = io_write_at(fd, header, HEADER, at);
	if (!err)
		err = io_write_at(fd, bytes + HEADER, size - HEADER, at + HEADER);
	return err ? err : io_write_at(fd, bytes + STATE, 1, at + STATE);
}

/* Sync before the rename: a power failure must leave the old file or the new one. */
static int commit_first(struct output *o, struct diag *d)
{
	return o->file.existed ? new_file_finish(&o->file, d) : new_file_commit(&o->file, d);
}

static int output_file_append(struct output *o, struct output_chunk *c, const void *bytes, size_t size, struct diag *d)
{
	int fd = o->file.fd, err = write_chunk(fd, bytes, size, o->size);

	if (err)
		output_write_failed(err, o->path, d);
	else if (o->file.unfinished)
		err = commit_first(o, d);
	if (err && ftruncate(fd, o->size)) /* finished chunks stay readable */
		return diag_errno(d, -err, "cannot write '%s', nor cut what was written", o->path);
	if (err)
		return err;
	output_file_watch(o, o->size + size);
	return 0;
}

static uint64_t offset_of(const struct output *o, size_t chunk)
{
	uint64_t offset = 0;

	for (size_t i = 0; i < chunk; i++)
		offset += o->chunk[i].size;
	return offset;
}

static int output_file_copy(const struct output *o, size_t first, int to, struct diag *d)
{
	uint64_t from = offset_of(o, first);
	int err = io_copy_range(o->file.fd, from, to, 0, o->size - from);

	return err ? diag_errno(d, -err, "cannot copy '%s'", o->path) : 0;
}

/* Replace the file by one with the remaining chunks. */
static int output_file_drop(struct output *o, size_t drop, struct diag *d)
{
	uint64_t from = offset_of(o, drop);
	int old = new_file_begin_again(&o->file, d), err;

	if (old < 0)
		return old;
	err = io_copy_range(old, from, o->file.fd, 0, o->size - from);
	if (err)
		diag_errno(d, -err, "cannot drop the oldest chunks of '%s'", o->path);
	else
		err = new_file_commit(&o->file, d);
	if (err) {
		new_file_revert(&o->file, old);
		return err;
	}
	close(old);
	output_file_watch(o, o->size - from);
	return 0;
}

static bool output_file_is_there(const struct output *o)
{
	return new_file_is_there(&o->file);
}

static void close_file(struct output *o)
{
	new_file_close(&o->file);
}

const struct output_form output_file = {.spare = 1,
					.open = open_file,
					.append = output_file_append,
					.drop = output_file_drop,
					.copy = output_file_copy,
					.is_there = output_file_is_there,
					.close = close_file};
