// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/file_list.h"
#include "format/vec.h"
#include "user/trace/spool.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void file_list_release(struct file_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->file[i].path);
	free(l->file);
	*l = (struct file_list){0};
}

/* Takes ownership of `path`, which may be NULL: no memory. */
static int list_append(struct file_list *l, char *path, const struct stat *st, bool found, struct diag *d)
{
	if (!path || vec_reserve(&l->file, &l->capacity, l->count + 1)) {
		free(path);
		return diag_errno(d, ENOMEM, "cannot list the recordings");
	}
	l->file[l->count++] = (struct listed_file){path, st->st_dev, st->st_ino, found};
	return 0;
}

static char *join_path(const char *directory, const char *name)
{
	size_t length = strlen(directory);
	char *path;

	return asprintf(&path, "%s%s%s", directory, length && directory[length - 1] == '/' ? "" : "/", name) < 0 ? NULL
														 : path;
}

static bool name_ends(const char *name, const char *end)
{
	size_t length = strlen(name), of_end = strlen(end);

	return length > of_end && strcmp(name + length - of_end, end) == 0;
}

static bool is_recording_name(const char *name)
{
	return name[0] != '.' && (name_ends(name, ".jfr") || name_ends(name, ".jfr.gz"));
}

/* "2026_11_20_18_05_24_7017" */
static bool is_date_name(const char *name)
{
	static const char form[] = "dddd_dd_dd_";

	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)name[i]) : name[i] != form[i])
			return false;
	return true;
}

static int list_found(struct file_list *l, int directory, const char *path, const char *name, struct diag *d)
{
	struct stat st;
	int err;

	if (fstatat(directory, name, &st, 0))
		return errno == ENOENT ? 0 : diag_errno(d, errno, "cannot look at '%s' in '%s'", name, path);
	if (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && !st.st_size))
		return 0;
	err = list_append(l, join_path(path, name), &st, true, d);
	if (!err && !S_ISREG(st.st_mode))
		err = diag_set(d, EINVAL, "cannot read '%s': it is no regular file", l->file[l->count - 1].path);
	return err;
}

static int list_directory(struct file_list *l, int fd, const char *path, bool deeper, struct diag *d);

static int list_subdirectory(struct file_list *l, int directory, const char *path, const char *name, struct diag *d)
{
	int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err;
	char *below;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : diag_errno(d, errno, "cannot open the directory '%s' in '%s'", name, path);
	below = join_path(path, name);
	err = below ? list_directory(l, fd, below, false, d) : diag_errno(d, ENOMEM, "cannot list '%s'", path);
	if (!below)
		close(fd);
	free(below);
	return err;
}

/* Closes `fd`. `deeper`: subdirectories, too. */
static int list_directory(struct file_list *l, int fd, const char *path, bool deeper, struct diag *d)
{
	DIR *directory = fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!directory) {
		close(fd);
		return diag_errno(d, ENOMEM, "cannot list '%s'", path);
	}
	while (!err && (entry = readdir(directory))) {
		if (is_recording_name(entry->d_name))
			err = list_found(l, fd, path, entry->d_name, d);
		else if (deeper && is_date_name(entry->d_name))
			err = list_subdirectory(l, fd, path, entry->d_name, d);
	}
	closedir(directory);
	return err;
}

static int list_compare_paths(const void *a, const void *b)
{
	const struct listed_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int list_file(struct file_list *l, const char *path, struct diag *d)
{
	struct stat st;

	if (spool_is_input(path) ? fstat(STDIN_FILENO, &st) : stat(path, &st))
		return diag_errno(d, errno, "cannot open '%s'", path);
	return list_append(l, strdup(path), &st, false, d);
}

int file_list_add(struct file_list *l, const char *path, struct diag *d)
{
	int fd = spool_is_input(path) ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	size_t before = l->count;

	if (spool_is_input(path))
		return list_file(l, path, d);
	if (fd < 0)
		return errno == ENOTDIR ? list_file(l, path, d) : diag_errno(d, errno, "cannot open '%s'", path);
	err = list_directory(l, fd, path, true, d);
	if (err)
		return err;
	if (l->count == before)
		return diag_set(d, ENODATA, "'%s' has no recordings: it is a directory without NAME.jfr", path);
	qsort(l->file + before, l->count - before, sizeof(*l->file), list_compare_paths);
	return 0;
}

bool file_list_is_directory(const char *path)
{
	struct stat st;

	return !spool_is_input(path) && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int list_compare_inodes(const void *a, const void *b)
{
	const struct listed_file *x = *(const struct listed_file *const *)a, *y = *(const struct listed_file *const *)b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->inode != y->inode ? (x->inode < y->inode ? -1 : 1) : 0;
}

int file_list_check_twice(const struct file_list *l, struct diag *d)
{
	const struct listed_file **sorted = calloc(l->count + 1, sizeof(*sorted));
	int err = 0;

	if (!sorted)
		return diag_errno(d, ENOMEM, "cannot list the recordings");
	for (size_t i = 0; i < l->count; i++)
		sorted[i] = &l->file[i];
	qsort(sorted, l->count, sizeof(*sorted), list_compare_inodes);
	for (size_t i = 1; i < l->count && !err; i++) {
		if (list_compare_inodes(&sorted[i - 1], &sorted[i]) != 0)
			continue;
		err = strcmp(sorted[i - 1]->path, sorted[i]->path) == 0
			      ? diag_usage(d, "'%s' is given twice: its events would count twice", sorted[i]->path)
			      : diag_usage(d, "'%s' and '%s' are the same file: its events would count twice",
					   sorted[i - 1]->path, sorted[i]->path);
	}
	free(sorted);
	return err;
}
