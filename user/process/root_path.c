// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/root_path.h"
#include "user/process/interrupt.h"

#include <dirent.h>
#include <errno.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define PERF_DATA_MAX (8 << 20)
#define ENTRIES_MOST  100000 /* of a /tmp: it may belong to a file system that never comes to an end */

int root_path_open(const struct target *t, const char *what)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", t->pid, what);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Open one component after the other; none may be a link. */
static int open_without_links(int root, const char *path, int flags)
{
	char part[NAME_MAX + 1];
	int fd = fcntl(root, F_DUPFD_CLOEXEC, 3), next;
	size_t length;
	bool last;

	while (fd >= 0 && *(path += strspn(path, "/"))) {
		length = strcspn(path, "/");
		if (length > NAME_MAX || (length == 2 && !strncmp(path, "..", 2))) {
			close(fd);
			return -ELOOP;
		}
		snprintf(part, sizeof(part), "%.*s", (int)length, path);
		path += length;
		last = !path[strspn(path, "/")];
		next = openat(fd, part, O_NOFOLLOW | O_CLOEXEC | (last ? flags : O_PATH | O_DIRECTORY));
		close(fd);
		fd = next;
	}
	return fd < 0 ? -errno : fd;
}

int root_path_open_at(int root, const char *path, int flags)
{
	struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int fd;

	if (!(flags & (O_PATH | O_DIRECTORY)))
		return -EINVAL;
	fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd >= 0)
		return fd;
	if (errno == ENOSYS || errno == EPERM)
		return open_without_links(root, path, flags);
	return -errno;
}

static bool may_be_read(const struct target *t, const struct stat *st)
{
	return !t || st->st_uid == t->uid || st->st_uid == 0 || (st->st_mode & S_IROTH);
}

static int check_file(const struct target *t, int fd, off_t limit)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || !may_be_read(t, &st))
		return -EACCES;
	return st.st_size > limit ? -EFBIG : 0;
}

void root_path_fd_path(int fd, char out[PLACE_FD_PATH])
{
	snprintf(out, PLACE_FD_PATH, "/proc/self/fd/%d", fd);
}

int root_path_open_again(const struct target *t, int fd, int flags, off_t limit)
{
	char own[PLACE_FD_PATH];
	int again;

	if (fd < 0)
		return fd;
	again = check_file(t, fd, limit);
	if (!again) {
		root_path_fd_path(fd, own);
		again = open(own, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		again = again < 0 ? -errno : again;
	}
	close(fd);
	return again;
}

int root_path_open_file(const struct target *t, int root, const char *path, off_t limit)
{
	return root_path_open_again(t, root_path_open_at(root, path, O_PATH), O_RDONLY, limit);
}

/* Open a file of counters. It must be owned by the target's user. */
static int open_counters(const struct target *t, int fd)
{
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || st.st_uid != t->uid)) {
		close(fd);
		return -ENOENT;
	}
	fd = root_path_open_again(t, fd, O_RDONLY, PERF_DATA_MAX);
	return fd == -EACCES ? -ENOENT : fd;
}

/* The directory is named after the user in the target's /etc/passwd, which need not be readable. */
static int find_perf_data(const struct target *t, int root)
{
	int tmp = root_path_open_at(root, "/tmp", O_RDONLY | O_DIRECTORY), fd = -ENOENT;
	char path[NAME_MAX + 32];
	struct dirent *entry;
	DIR *dir;

	if (tmp < 0)
		return -ENOENT;
	dir = fdopendir(tmp);
	if (!dir) {
		close(tmp);
		return -ENOMEM;
	}
	for (int i = 0; fd < 0 && i < ENTRIES_MOST && !interrupted() && (entry = readdir(dir)); i++) {
		if (strncmp(entry->d_name, "hsperfdata_", strlen("hsperfdata_")))
			continue;
		snprintf(path, sizeof(path), "%s/%d", entry->d_name, t->ns_pid);
		fd = open_counters(t, open_without_links(tmp, path, O_PATH));
	}
	closedir(dir);
	return fd < 0 ? -ENOENT : fd;
}

int root_path_open_perf_data(const struct target *t)
{
	int root = root_path_open(t, "root"), fd = -ENOENT;

	if (root < 0)
		return root;
	if (t->perf_data[0])
		fd = open_counters(t, root_path_open_at(root, t->perf_data, O_PATH | O_NOFOLLOW));
	else
		fd = find_perf_data(t, root);
	close(root);
	return fd;
}

void root_path_root_name(const struct target *t, char *out, size_t size)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/root", t->pid);
	n = readlink(link, out, size - 1);
	out[n > 1 ? n : 0] = 0;
}

void root_path_strip_root(const char *root_name, char *path)
{
	size_t n = strlen(root_name);

	if (n && strncmp(path, root_name, n) == 0 && path[n] == '/')
		memmove(path, path + n, strlen(path + n) + 1);
}

bool root_path_name(const char *root_name, int fd, char *out, size_t size)
{
	char link[PLACE_FD_PATH];
	ssize_t n;

	root_path_fd_path(fd, link);
	n = readlink(link, out, size - 1);
	if (n <= 0 || (size_t)n >= size - 1 || out[0] != '/')
		return false;
	out[n] = 0;
	root_path_strip_root(root_name, out);
	return true;
}
