// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/agent_file.h"
#include "user/process/exec_mount.h"
#include "user/process/root_path.h"
#include "user/text/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static const char *const bases[] = {"first", "/tmp", "/var/tmp", "cwd", "/dev/shm"};
#define BASES ((int)(sizeof(bases) / sizeof(bases[0])))

int agent_file_name(struct agent_file *f, const char *name, struct diag *d)
{
	uint64_t random;

	*f = (struct agent_file){.name = name, .base = -1, .inside = -1, .mounter = -1};
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return diag_errno(d, errno, "cannot get random bytes");
	snprintf(f->directory, sizeof(f->directory), ".frtrace-%012llx", (unsigned long long)random >> 16);
	return 0;
}

static int agent_file_open_directory(int root, int cwd, const char *path)
{
	if (path[0] == '/')
		return root_path_open_at(root, path, O_PATH | O_DIRECTORY);
	return cwd < 0 ? -ENOENT : fcntl(cwd, F_DUPFD_CLOEXEC, 3);
}

static const char *base_path(const struct agent_file *f, int i)
{
	return i ? bases[i] : f->first;
}

static int open_base(const struct agent_file *f, const struct user_child *h, int i)
{
	const char *path = base_path(f, i);

	return path ? agent_file_open_directory(h->root, h->cwd, path) : -ENOENT;
}

/* Everything is created relative to a descriptor and must not exist yet, so a planted link leads nowhere. */
static int make_file(struct agent_file *f, const struct user_child *h, const void *image, size_t size)
{
	struct stat st;
	int fd, r;

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
	r = io_write_all(fd, image, size) ?: fchmod(fd, 0500) ? -errno : 0;
	close(fd);
	return r;
}

static int name_file(struct agent_file *f, const struct user_child *h)
{
	size_t used;

	if (!root_path_name(h->root_name, f->inside, f->path, sizeof(f->path)))
		return -ENAMETOOLONG;
	used = strlen(f->path);
	if (used + 1 + strlen(f->name) >= sizeof(f->path))
		return -ENAMETOOLONG;
	snprintf(f->path + used, sizeof(f->path) - used, "/%s", f->name);
	return 0;
}

static int mount_inside(struct agent_file *f)
{
	int r = exec_mount_put(f->mounter, f->inside);

	f->mounted = !r;
	f->mount_failed = r;
	return r;
}

static int try_base(struct agent_file *f, const struct user_child *h, int i, bool mount, const void *image, size_t size)
{
	struct statvfs fs;
	bool noexec;
	int r;

	f->base = open_base(f, h, i);
	if (f->base < 0)
		return f->base;
	r = fstatvfs(f->base, &fs) ? -errno : 0;
	noexec = !r && fs.f_flag & ST_NOEXEC;
	if (noexec && !mount)
		r = -ENOEXEC;
	r = r ?: make_file(f, h, image, size);
	r = r ?: name_file(f, h);
	if (!r && noexec)
		r = mount_inside(f);
	if (r)
		agent_file_remove(f);
	return r;
}

#define REASONS 600
#define NOEXEC	"mounted noexec"

static void agent_file_add_reason(char reasons[REASONS], const char *path, int err, bool mount_failed)
{
	size_t used = strlen(reasons);
	const char *why = strerror(-err);

	if (err == -ENOEXEC)
		why = NOEXEC;
	else if (err == -EFBIG)
		why = "beyond the limit of file sizes (ulimit -f)";
	else if (err == -EXDEV)
		why = "what is mounted there appears in other namespaces, too";
	snprintf(reasons + used, REASONS - used, "%s%s: %s%s", used ? "; " : "",
		 path[0] == '/' ? path : "its working directory", mount_failed ? NOEXEC ", and --mount fails: " : "",
		 why);
}

/* `mount`: also where noexec is in the way. */
static int write_somewhere(struct agent_file *f, const struct user_child *h, bool mount, const void *image, size_t size,
			   char reasons[REASONS])
{
	int r = -ENOENT;

	reasons[0] = 0;
	for (int i = f->first ? 0 : 1; i < BASES; i++) {
		f->mount_failed = false;
		r = try_base(f, h, i, mount, image, size);
		if (!r)
			return 0;
		agent_file_add_reason(reasons, base_path(f, i), r, f->mount_failed);
	}
	return r;
}

int agent_file_write(struct agent_file *f, const struct user_child *h, const void *image, size_t size, struct diag *d)
{
	char reasons[REASONS];
	int r;

	umask(0);
	r = write_somewhere(f, h, false, image, size, reasons);
	if (r && f->mounter >= 0)
		r = write_somewhere(f, h, true, image, size, reasons);
	if (!r)
		return 0;
	if (!h->target->pid)
		return diag_set(d, -r, "cannot put the agent where a JVM can load it: %s", reasons);
	return diag_set(d, -r, "cannot put the agent where process %d can load it: %s%s", h->target->pid, reasons,
			f->mounter < 0 && strstr(reasons, NOEXEC) ? "; with --mount it can" : "");
}

static bool in_group(const struct proc_status *who, gid_t group)
{
	for (int i = 0; i < who->group_count; i++)
		if (who->groups[i] == group)
			return true;
	return who->gid == group;
}

static bool may_make_files(const struct proc_status *who, const struct stat *st)
{
	mode_t needed = S_IWOTH | S_IXOTH;

	if (who->uid == 0)
		return true;
	if (who->uid == st->st_uid)
		needed = S_IWUSR | S_IXUSR;
	else if (in_group(who, st->st_gid))
		needed = S_IWGRP | S_IXGRP;
	return (st->st_mode & needed) == needed;
}

static enum agent_place judge_place(int directory, const struct proc_status *who)
{
	struct statvfs fs;
	struct stat st;

	if (fstatvfs(directory, &fs) || fs.f_flag & ST_RDONLY || fstat(directory, &st) || !may_make_files(who, &st))
		return AGENT_PLACE_NONE;
	return fs.f_flag & ST_NOEXEC ? AGENT_PLACE_NOEXEC : AGENT_PLACE_GOOD;
}

enum agent_place agent_file_find_place(const struct target *t)
{
	int root = root_path_open(t, "root"), cwd = root_path_open(t, "cwd"), directory;
	enum agent_place best = AGENT_PLACE_NONE, place;
	struct proc_status who;

	if (root >= 0 && !proc_read_status(t->pid, &who)) {
		for (int i = 1; i < BASES && best != AGENT_PLACE_GOOD; i++) {
			directory = agent_file_open_directory(root, cwd, bases[i]);
			if (directory < 0)
				continue;
			place = judge_place(directory, &who);
			best = place > best ? place : best;
			close(directory);
		}
	}
	io_close(root);
	io_close(cwd);
	return best;
}

void agent_file_remove(struct agent_file *f)
{
	if (f->mounted)
		exec_mount_remove(f->mounter);
	f->mounted = false;
	if (f->inside >= 0) {
		unlinkat(f->inside, f->name, 0);
		close(f->inside);
	}
	if (f->made)
		unlinkat(f->base, f->directory, AT_REMOVEDIR);
	io_close(f->base);
	f->base = f->inside = -1;
	f->made = false;
}

void agent_file_sweep(struct agent_file *f, const struct user_child *h)
{
	for (int i = 0; i < BASES; i++) {
		f->base = open_base(f, h, i);
		if (f->base >= 0)
			f->inside = openat(f->base, f->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		f->made = f->inside >= 0;
		agent_file_remove(f);
	}
}
