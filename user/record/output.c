// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/output_internal.h"
#include "format/vec.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define LEAST_FREE (1ULL << 30)

/* Fail when less than 1 GB, or on a small disk 5 %, would stay free. */
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

int output_write_failed(int err, const char *path, struct diag *d)
{
	if (err == -EFBIG)
		return diag_set(d, EFBIG, "cannot write '%s': it would exceed the limit of file sizes (ulimit -f)",
				path);
	return diag_errno(d, -err, "cannot write '%s'", path);
}

/* The descriptor that chunks are written to; -1 in memory. */
static int written(const struct output *o)
{
	return o->form->is_directory ? o->fd : o->file.fd;
}

static int check_room(const struct output *o, uint64_t wanted, struct diag *d)
{
	if (!o->form->in_memory && !o->form->is_stream)
		return check_space(written(o), o->path, wanted, d);
	if (wanted <= o->limits.size)
		return 0;
	return diag_set(d, EFBIG, "cannot keep a chunk of %llu KB in memory: there is room for %llu KB",
			(unsigned long long)(wanted >> 10), (unsigned long long)(o->limits.size >> 10));
}

/* `fd`: of a stream. */
static int open_form(struct output **out, const struct output_form *form, const char *path, int fd,
		     const struct output_limits *limits, struct diag *d)
{
	struct output *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return diag_errno(d, ENOMEM, "cannot open '%s'", path);
	o->form = form;
	o->limits = *limits;
	o->fd = fd;
	o->parent = -1;
	o->file = (struct new_file){.directory = -1, .fd = -1};
	o->since_ns = monotonic_ns();
	o->path = path ? strdup(path) : NULL;
	err = path && !o->path ? diag_errno(d, ENOMEM, "cannot open '%s'", path) : form->open ? form->open(o, d) : 0;
	err = err ?: check_room(o, 0, d);
	if (err) {
		output_close(o);
		return err;
	}
	*out = o;
	return 0;
}

int output_open(struct output **out, const char *path, const struct output_limits *limits, struct diag *d)
{
	bool is_directory = path[0] && path[strlen(path) - 1] == '/';

	return open_form(out, is_directory ? &output_directory : &output_file, path, -1, limits, d);
}

int output_open_stream(struct output **out, int fd, const struct output_limits *limits, struct diag *d)
{
	return open_form(out, &output_stream, "standard output", fd, limits, d);
}

/* Can a file of this name be written? */
static int try_name(const char *path, struct diag *d)
{
	struct new_file f;
	int err = new_file_open(&f, path, NEW_FILE_REPLACES, d);

	if (!err)
		new_file_close(&f);
	return err;
}

int output_open_memory(struct output **out, const char *path, const struct output_limits *limits, struct diag *d)
{
	int err = path ? try_name(path, d) : 0;

	return err ? err : open_form(out, &output_memory, path, -1, limits, d);
}

int output_name(struct output *o, const char *path, struct diag *d)
{
	char *copy;
	int err;

	output_is_busy(o, true);
	if (!o->form->in_memory)
		return diag_set(d, EEXIST, "the recording is in '%s', not in memory: end it without -o", o->path);
	err = try_name(path, d);
	copy = err ? NULL : strdup(path);
	if (!err && !copy)
		err = diag_errno(d, ENOMEM, "cannot name '%s'", path);
	if (err)
		return err;
	free(o->path);
	o->path = copy;
	return 0;
}

int output_finish(struct output *o, struct diag *d)
{
	uint64_t size;
	int err;

	if (o->form->is_stream)
		return output_stream_finish(o, d);
	output_is_busy(o, true);
	if (!output_in_memory(o) || !o->path || !o->chunks)
		return 0;
	err = output_save(o, o->path, 0, &size, d);
	o->saved = !err;
	return err;
}

void output_close(struct output *o)
{
	if (!o)
		return;
	output_thread_end(o);
	o->form->close(o);
	output_guard_end(o->guard);
	free(o->chunk);
	free(o->path);
	free(o);
}

/* Number of oldest chunks to drop so that `coming` bytes fit and all chunks are young enough. */
static size_t count_excess(const struct output *o, uint64_t coming, uint64_t size, uint64_t age)
{
	int64_t oldest = age ? monotonic_ns() - (int64_t)age : INT64_MIN;
	uint64_t left = o->size;
	size_t drop = 0;

	while (drop < o->chunks && (left + coming > size || (o->chunk[drop].end_ns < oldest && drop + 1 < o->chunks)))
		left -= o->chunk[drop++].size;
	return drop;
}

/* Drop chunks beyond the limits and the allowed excess together, so that it happens rarely. */
static int drop_oldest(struct output *o, uint64_t coming, struct diag *d)
{
	const struct output_limits *l = &o->limits;
	unsigned int spare = o->form->spare;
	size_t drop;
	int err;

	if (!count_excess(o, coming, l->size, l->age_ns / 4 * (4 + spare)))
		return 0;
	drop = count_excess(o, coming, l->size / 4 * (4 - spare), l->age_ns);
	err = o->form->drop ? o->form->drop(o, drop, d) : 0;
	if (err)
		return err;
	for (size_t i = 0; i < drop; i++)
		o->size -= o->chunk[i].size;
	o->since_ns = o->chunk[drop - 1].end_ns;
	memmove(o->chunk, o->chunk + drop, (o->chunks - drop) * sizeof(*o->chunk));
	o->chunks -= drop;
	o->dropped += drop;
	return 0;
}

int output_append(struct output *o, const void *bytes, size_t size, struct diag *d)
{
	struct output_chunk c = {.size = size};
	int err = check_room(o, size, d);

	if (!err && vec_reserve(&o->chunk, &o->capacity, o->chunks + 1))
		err = diag_errno(d, ENOMEM, "cannot write '%s'", o->path);
	err = err ?: drop_oldest(o, size, d) ?: o->form->append(o, &c, bytes, size, d);
	if (err)
		return err;
	c.end_ns = monotonic_ns();
	o->size += size;
	o->chunk[o->chunks++] = c;
	return 0;
}

/* Opening and closing our own file again would drop its lock. */
static int check_other(const struct output *o, const char *path, struct diag *d)
{
	struct stat own, st;

	if (!fstat(written(o), &own) && !stat(path, &st) && own.st_dev == st.st_dev && own.st_ino == st.st_ino)
		return diag_set(d, EINVAL, "refuse to copy '%s' to itself", path);
	return 0;
}

static int copy_to(const struct output *o, size_t first, struct new_file *copy, struct diag *d)
{
	return check_space(copy->fd, copy->path, o->size, d) ?: o->form->copy(o, first, copy->fd, d)
		?: new_file_finish(copy, d);
}

int output_save(const struct output *o, const char *path, uint64_t last_ns, uint64_t *size, struct diag *d)
{
	struct new_file copy;
	size_t first;
	int err;

	if (o->form->is_stream)
		return diag_set(d, ENOTSUP, "what goes to standard output cannot be copied");
	output_is_busy(o, true);
	if (!o->chunks)
		return diag_set(d, ENODATA, "nothing to copy: there is no chunk yet");
	err = check_other(o, path, d) ?: new_file_open(&copy, path, NEW_FILE_REPLACES, d);
	if (err)
		return err;
	first = count_excess(o, 0, UINT64_MAX, last_ns);
	err = copy_to(o, first, &copy, d);
	*size = 0;
	for (size_t i = first; i < o->chunks; i++)
		*size += o->chunk[i].size;
	new_file_close(&copy);
	return err;
}

bool output_was_removed(struct output *o)
{
	if (!output_is_busy(o, false))
		o->removed = o->chunks && o->form->is_there && !o->form->is_there(o);
	return o->removed;
}

bool output_is_directory(const struct output *o)
{
	return o->form->is_directory;
}

bool output_is_stream(const struct output *o)
{
	return o->form->is_stream;
}

bool output_in_memory(const struct output *o)
{
	return o->form->in_memory && !o->saved;
}

int64_t output_since(const struct output *o)
{
	return o->since_ns;
}

const char *output_path(const struct output *o)
{
	return o->path;
}

uint64_t output_size(const struct output *o)
{
	return o->form->is_stream ? o->stream : o->size;
}

uint64_t output_dropped(const struct output *o)
{
	return o->dropped;
}
