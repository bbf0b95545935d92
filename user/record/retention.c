// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/retention.h"
#include "format/vec.h"
#include "user/text/io.h"
#include "user/text/safe_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAMP	   "dddd_dd_dd_dd_dd_dd" /* as output_directory.c names chunks: "2026_11_20_18_05_24.jfr", "..._01.jfr" */
#define CHUNK_NAME 32

/* A chunk, and the number of its directory. */
struct kept_chunk {
	char name[CHUNK_NAME];
	uint32_t directory;
	uint64_t size;
};

struct kept_directory {
	char name[NAME_MAX + 1];
	uint32_t chunks;
	bool emptied; /* by us: else it may be one that another frtrace has just made */
};

struct listing {
	int fd; /* of DIR */
	struct kept_directory *directory;
	size_t directories, directory_capacity;
	struct kept_chunk *chunk;
	size_t chunks, chunk_capacity;
	uint64_t size;
};

static bool has_stamp(const char *name)
{
	for (const char *form = STAMP; *form; form++, name++)
		if (*form == 'd' ? *name < '0' || *name > '9' : *name != *form)
			return false;
	return true;
}

static bool is_chunk_name(const char *name)
{
	size_t length = strlen(name);

	return length < CHUNK_NAME && length > sizeof(STAMP) && has_stamp(name) && !strcmp(name + length - 4, ".jfr");
}

/* A recording's directory is named like its first chunk, with the JVM's pid: "2026_11_20_18_05_24_7017". */
static bool is_directory_name(const char *name)
{
	size_t length = strlen(name);

	return length > sizeof(STAMP) && has_stamp(name) && name[sizeof(STAMP) - 1] == '_' &&
	       strspn(name + sizeof(STAMP), "0123456789") == length - sizeof(STAMP);
}

static int listing_add_chunk(struct listing *l, int fd, const char *name)
{
	struct kept_chunk c = {.directory = l->directories - 1};
	struct stat st;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	if (vec_reserve(&l->chunk, &l->chunk_capacity, l->chunks + 1))
		return -ENOMEM;
	snprintf(c.name, sizeof(c.name), "%s", name);
	c.size = st.st_size;
	l->size += c.size;
	l->chunk[l->chunks++] = c;
	l->directory[c.directory].chunks++;
	return 0;
}

/* Visit the entries of a directory, whose descriptor is closed. */
static int each_entry(int fd, struct listing *l, int (*visit)(struct listing *l, int fd, const char *name))
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		io_close(fd);
		return 0; /* it went meanwhile, or is not a directory */
	}
	while (!err && (entry = readdir(dir)))
		err = visit(l, dirfd(dir), entry->d_name);
	closedir(dir);
	return err;
}

static int visit_chunk(struct listing *l, int fd, const char *name)
{
	return is_chunk_name(name) ? listing_add_chunk(l, fd, name) : 0;
}

static int visit_recording(struct listing *l, int fd, const char *name)
{
	if (!is_directory_name(name))
		return 0;
	if (vec_reserve(&l->directory, &l->directory_capacity, l->directories + 1))
		return -ENOMEM;
	l->directory[l->directories] = (struct kept_directory){.chunks = 0};
	snprintf(l->directory[l->directories++].name, NAME_MAX + 1, "%s", name);
	return each_entry(openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), l, visit_chunk);
}

/* By their times. */
static int kept_chunk_compare(const void *a, const void *b)
{
	const struct kept_chunk *x = a, *y = b;
	int by_name = strcmp(x->name, y->name);

	return by_name ?: (x->directory > y->directory) - (x->directory < y->directory);
}

static void chunk_path(const struct listing *l, const struct kept_chunk *c, char out[NAME_MAX + CHUNK_NAME + 2])
{
	snprintf(out, NAME_MAX + CHUNK_NAME + 2, "%s/%s", l->directory[c->directory].name, c->name);
}

/* The directory may have been exchanged for a link meanwhile, so it is opened again. */
static bool chunk_remove(struct listing *l, const struct kept_chunk *c)
{
	int fd = openat(l->fd, l->directory[c->directory].name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool removed = fd >= 0 && (!unlinkat(fd, c->name, 0) || errno == ENOENT);

	io_close(fd);
	return removed;
}

/* Returns the number of bytes removed, or -errno. */
static int64_t listing_shrink(struct listing *l, const struct retention *r, struct diag *d)
{
	char path[NAME_MAX + CHUNK_NAME + 2];
	uint64_t before = l->size;

	if (l->chunks)
		qsort(l->chunk, l->chunks, sizeof(l->chunk[0]), kept_chunk_compare);
	for (size_t i = 0; i < l->chunks && l->size > r->most; i++) {
		const struct kept_chunk *c = &l->chunk[i];

		if (!chunk_remove(l, c)) {
			chunk_path(l, c, path);
			return diag_errno(d, errno, "cannot remove '%s%s'", r->path, path);
		}
		l->size -= c->size;
		l->directory[c->directory].emptied = !--l->directory[c->directory].chunks;
	}
	for (size_t i = 0; i < l->directories; i++)
		if (l->directory[i].emptied && !r->is_made(l->directory[i].name, r->context))
			unlinkat(l->fd, l->directory[i].name, AT_REMOVEDIR);
	return before - l->size;
}

int64_t retention_apply(const struct retention *r, struct diag *d)
{
	struct listing l = {.fd = safe_directory_open(r->path, r->path, d)};
	int64_t removed;
	int err;

	if (l.fd < 0)
		return l.fd == -ENOENT ? 0 : l.fd;
	err = each_entry(openat(l.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &l, visit_recording);
	removed = err ? diag_errno(d, -err, "cannot list '%s'", r->path) : listing_shrink(&l, r, d);
	free(l.directory);
	free(l.chunk);
	close(l.fd);
	return removed;
}
