// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/maps.h"
#include "user/process/rights.h"
#include "user/process/root_path.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct search {
	const struct target *target;
	const char *prefix;
	struct mapping *out;
};

static int match_mapping(const struct mapping *m, void *context)
{
	struct search *s = context;

	if (m->permissions[2] != 'x' || strncmp(path_base(m->path), s->prefix, strlen(s->prefix)))
		return 0;
	*s->out = *m;
	return 1;
}

static int match_libjvm_code(const struct mapping *m, void *context)
{
	struct search *s = context;

	return m->start == s->target->libjvm_code && match_mapping(m, context);
}

static int find_mapping(struct search *s, int (*match)(const struct mapping *m, void *context), struct diag *d)
{
	const struct target *t = s->target;
	int r = proc_each_mapping(t->pid, match, s);
	struct mapping *out = s->out;
	char root[512];

	if (r < 0)
		return diag_errno(d, -r, "cannot read the mappings of process %d", t->pid);
	if (r) {
		root_path_root_name(t, root, sizeof(root));
		root_path_strip_root(root, out->path);
		snprintf(out->open_path, sizeof(out->open_path), "/proc/%d/map_files/%lx-%lx", t->pid,
			 (unsigned long)out->start, (unsigned long)out->end);
	}
	return r;
}

int target_find_mapping(const struct target *t, const char *prefix, struct mapping *out, struct diag *d)
{
	struct search s = {t, prefix, out};

	return find_mapping(&s, match_mapping, d);
}

int target_find_libjvm(const struct target *t, struct mapping *out, struct diag *d)
{
	struct search s = {t, "libjvm.so", out};

	return find_mapping(&s, match_libjvm_code, d);
}

/* True for "/memfd:PREFIX...". Writes the name without the kernel's decoration. */
static bool memfd_name(const char *link, const char *prefix, char *name, size_t size)
{
	static const char head[] = "/memfd:", tail[] = " (deleted)";
	size_t length = strlen(head);
	char text[PATH_MAX], *end;
	ssize_t n = readlink(link, text, sizeof(text) - 1);

	if (n <= 0)
		return false;
	text[n] = 0;
	if (strncmp(text, head, length) || strncmp(text + length, prefix, strlen(prefix)))
		return false;
	end = strstr(text, tail);
	if (end)
		*end = 0;
	if (name)
		snprintf(name, size, "%s", text + length);
	return true;
}

/*
 * The target may have changed the descriptor since its name was read, so the name of the opened file is checked
 * again.
 */
static int open_memfd(const struct target *t, const char *path, const char *prefix, char *name, size_t size)
{
	char own[64];
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
	if (!memfd_name(own, prefix, name, size)) {
		close(fd);
		return -ENOENT;
	}
	fd = root_path_open_again(t, fd, O_RDWR, INT64_MAX);
	return fd == -EACCES ? -ENOENT : fd;
}

int memfd_open_again(int fd)
{
	char own[64];

	snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
	return open(own, O_RDWR | O_CLOEXEC);
}

int target_open_memfd(const struct target *t, const char *prefix, char *name, size_t name_size, struct diag *d)
{
	char path[64 + NAME_MAX], why[RIGHT_TEXT];
	struct dirent *entry;
	int fd = -ENOENT;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", t->pid);
	dir = opendir(path);
	if (!dir)
		return diag_set(d, errno, "cannot read the descriptors of process %d: %s", t->pid,
				right_why(RIGHT_DESCRIPTORS, errno, why));
	while (fd == -ENOENT && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", t->pid, entry->d_name);
		if (memfd_name(path, prefix, NULL, 0))
			fd = open_memfd(t, path, prefix, name, name_size);
	}
	closedir(dir);
	if (fd == -ENOENT)
		return diag_set(d, ENOENT, "process %d has no memfd '%s'", t->pid, prefix);
	if (fd < 0)
		return diag_errno(d, -fd, "cannot open the memfd '%s' of process %d", prefix, t->pid);
	return fd;
}
