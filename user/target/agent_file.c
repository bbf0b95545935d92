// SPDX-License-Identifier: BSD-2-Clause
#include "user/target/agent_file.h"
#include "user/target/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static const char *const bases[] = {"/tmp", "/var/tmp", "cwd", "/dev/shm"};
#define BASES ((int)(sizeof(bases) / sizeof(bases[0])))

int agent_file_name(struct agent_file *f, const char *name, struct diag *d)
{
	uint64_t random;

	*f = (struct agent_file){.name = name, .base = -1, .inside = -1};
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return diag_errno(d, errno, "cannot get random bytes");
	snprintf(f->directory, sizeof(f->directory), ".frtrace-%012llx", (unsigned long long)random >> 16);
	return 0;
}

static int open_base(const struct helper *h, int i)
{
	if (bases[i][0] == '/')
		return place_open_at(h->root, bases[i], O_PATH | O_DIRECTORY);
	return h->cwd < 0 ? -ENOENT : fcntl(h->cwd, F_DUPFD_CLOEXEC, 3);
}

static int write_file(int fd, const void *image, size_t size)
{
	const char *at = image;
	ssize_t n;

	while (size) {
		n = write(fd, at, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += n;
		size -= n;
	}
	return fchmod(fd, 0500) ? -errno : 0;
}

/* Everything is made by descriptor and must not be there yet: a link laid for us leads nowhere. */
static int make_file(struct agent_file *f, const struct helper *h, const void *image, size_t size)
{
	struct statvfs fs;
	struct stat st;
	int fd, r;

	if (fstatvfs(f->base, &fs))
		return -errno;
	if (fs.f_flag & ST_NOEXEC)
		return -ENOEXEC;
	if (mkdirat(f->base, f->directory, 0700))
		return -errno;
	f->made = true;
	f->inside = openat(f->base, f->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (f->inside < 0 || fstat(f->inside, &st))
		return -errno;
	if (st.st_uid != h->target->uid || (st.st_mode & 0077))
		return -EPERM;
	fd = openat(f->inside, f->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_file(fd, image, size);
	close(fd);
	return r;
}

static int name_file(struct agent_file *f, const struct helper *h)
{
	size_t used;

	if (!place_name(h->root_name, f->inside, f->path, sizeof(f->path)))
		return -ENAMETOOLONG;
	used = strlen(f->path);
	if (used + 1 + strlen(f->name) >= sizeof(f->path))
		return -ENAMETOOLONG;
	snprintf(f->path + used, sizeof(f->path) - used, "/%s", f->name);
	return 0;
}

static int try_base(struct agent_file *f, const struct helper *h, int i, const void *image, size_t size)
{
	int r;

	f->base = open_base(h, i);
	if (f->base < 0)
		return f->base;
	r = make_file(f, h, image, size);
	if (!r)
		r = name_file(f, h);
	if (r)
		agent_file_remove(f);
	return r;
}

int agent_file_write(struct agent_file *f, const struct helper *h, const void *image, size_t size, struct diag *d)
{
	char reasons[400] = "";
	size_t used = 0;
	int r = -ENOENT;

	umask(0);
	for (int i = 0; i < BASES; i++) {
		r = try_base(f, h, i, image, size);
		if (!r)
			return 0;
		used += snprintf(reasons + used, sizeof(reasons) - used, "%s%s: %s", i ? "; " : "",
				 bases[i][0] == '/' ? bases[i] : "its working directory",
				 r == -ENOEXEC ? "mounted noexec" : strerror(-r));
		if (used >= sizeof(reasons))
			used = sizeof(reasons) - 1;
	}
	return diag_set(d, -r, "cannot put the agent where process %d can load it: %s", h->target->pid, reasons);
}

void agent_file_remove(struct agent_file *f)
{
	if (f->inside >= 0) {
		unlinkat(f->inside, f->name, 0);
		close(f->inside);
	}
	if (f->made)
		unlinkat(f->base, f->directory, AT_REMOVEDIR);
	if (f->base >= 0)
		close(f->base);
	f->base = f->inside = -1;
	f->made = false;
}

void agent_file_sweep(struct agent_file *f, const struct helper *h)
{
	for (int i = 0; i < BASES; i++) {
		f->base = open_base(h, i);
		if (f->base >= 0)
			f->inside = openat(f->base, f->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		f->made = f->inside >= 0;
		agent_file_remove(f);
	}
}
