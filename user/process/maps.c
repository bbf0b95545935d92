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
	}
	return r;
}

int target_find_mapping(const struct target *t, const char *prefix, struct mapping *out, struct diag *d)
{
	struct search s = {t, prefix, out};

	return find_mapping(&s, match_mapping, d);
}

bool target_maps(const struct target *t, const char *prefix)
{
	struct mapping m;
	struct diag ignored;

	return target_find_mapping(t, prefix, &m, &ignored) == 1;
}

int target_find_libjvm(const struct target *t, struct mapping *out, struct diag *d)
{
	struct search s = {t, "libjvm.so", out};

	return find_mapping(&s, match_libjvm_code, d);
}

/* By a path below map_files it is the file behind the mapping, whatever its name leads to. */
static int open_mapped(const struct target *t, const struct mapping *m)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", t->pid, (unsigned long)m->start,
		 (unsigned long)m->end);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * By its name, if that leads to the same file. The devices are not compared: some file systems show one in maps and
 * another one to stat(2).
 */
static int open_named(const struct target *t, const struct mapping *m)
{
	int root = root_path_open(t, "root"), fd;
	struct stat st;

	if (root < 0)
		return root;
	fd = root_path_open_at(root, m->path, O_PATH);
	close(root);
	if (fd < 0 || (!fstat(fd, &st) && st.st_ino == m->inode))
		return fd;
	close(fd);
	return -ESTALE;
}

int target_open_mapping(const struct target *t, const struct mapping *m, int64_t limit, struct diag *d)
{
	int fd = open_mapped(t, m);

	if (fd == -EPERM || fd == -EACCES)
		fd = open_named(t, m);
	if (fd == -ESTALE || fd == -ENOENT)
		return diag_set(d, -fd, "cannot open '%s': there is another file now, or none", m->path);
	fd = root_path_open_again(NULL, fd, O_RDONLY, limit);
	return fd < 0 ? diag_errno(d, -fd, "cannot open '%s'", m->path) : fd;
}

/* What a descriptor of the target refers to is known by the text of its link. */
struct wanted {
	bool (*is_it)(const char *text, const char *name);
	const char *name; /* for is_it() */
	int flags;
};

/* "/memfd:PREFIX..." */
static bool is_memfd(const char *text, const char *prefix)
{
	static const char head[] = "/memfd:";

	return !strncmp(text, head, strlen(head)) && !strncmp(text + strlen(head), prefix, strlen(prefix));
}

/* ".../NAME" or ".../NAME (deleted)" */
static bool is_file(const char *text, const char *name)
{
	const char *rest = path_base(text) + strlen(name);

	return !strncmp(path_base(text), name, strlen(name)) && (!*rest || !strcmp(rest, " (deleted)"));
}

static bool link_is_wanted(const char *link, const struct wanted *w)
{
	char text[PATH_MAX];
	ssize_t n = readlink(link, text, sizeof(text) - 1);

	if (n <= 0)
		return false;
	text[n] = 0;
	return w->is_it(text, w->name);
}

/*
 * The target may have changed the descriptor since its name was read, so the name of the opened file is checked
 * again.
 */
static int descriptor_open(const struct target *t, const char *path, const struct wanted *w)
{
	char own[PLACE_FD_PATH];
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	root_path_fd_path(fd, own);
	if (!link_is_wanted(own, w)) {
		close(fd);
		return -ENOENT;
	}
	fd = root_path_open_again(t, fd, w->flags, INT64_MAX);
	return fd == -EACCES ? -ENOENT : fd;
}

int memfd_open_again(int fd)
{
	char own[PLACE_FD_PATH];

	root_path_fd_path(fd, own);
	return open(own, O_RDWR | O_CLOEXEC);
}

/* Returns a descriptor, -ENOENT if there is none, or -errno; the message only where the descriptors cannot be read. */
static int descriptor_find(const struct target *t, const struct wanted *w, struct diag *d)
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
		if (link_is_wanted(path, w))
			fd = descriptor_open(t, path, w);
	}
	closedir(dir);
	if (fd == -ENOENT)
		return diag_set(d, ENOENT, "process %d has no descriptor of '%s'", t->pid, w->name);
	return fd < 0 ? diag_errno(d, -fd, "cannot open '%s' of process %d", w->name, t->pid) : fd;
}

int target_open_memfd(const struct target *t, const char *prefix, struct diag *d)
{
	return descriptor_find(t, &(struct wanted){is_memfd, prefix, O_RDWR}, d);
}

int target_open_descriptor(const struct target *t, const char *name, struct diag *d)
{
	return descriptor_find(t, &(struct wanted){is_file, name, O_RDONLY}, d);
}
