// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which capability allows what, measured on Linux 6.18 with bounding sets: BPF programs, their uprobe_multi links and
 * tracepoints take CAP_BPF and CAP_PERFMON; perf_event_open() of a uprobe is refused without CAP_SYS_ADMIN, also with
 * these two; /proc/PID/map_files takes CAP_CHECKPOINT_RESTORE; CAP_SYS_ADMIN has these three; /proc/PID/root, mem and map_files of a process with another
 * user, or with capabilities that we lack, take CAP_SYS_PTRACE; the directory /proc/PID/fd is its user's with mode 0500.
 */
#include "user/process/rights.h"
#include "user/process/root_path.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	int number;
	const char *name, *purpose;
} rights[] = {
	[RIGHT_BPF] = {CAP_BPF, "CAP_BPF", "BPF programs"},
	[RIGHT_PERFMON] = {CAP_PERFMON, "CAP_PERFMON", "attaching them"},
	[RIGHT_FILES] = {CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE", "its mapped files"},
	[RIGHT_UPROBES] = {CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "uprobes by perf events"},
	[RIGHT_LOOK] = {CAP_SYS_PTRACE, "CAP_SYS_PTRACE", "its memory and directories"},
	[RIGHT_DESCRIPTORS] = {CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH", "its descriptors"},
	[RIGHT_GROUP] = {CAP_SETGID, "CAP_SETGID", "attaching as its user"},
	[RIGHT_USER] = {CAP_SETUID, "CAP_SETUID", "attaching as its user"},
};

static bool has_capability(int n)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	return !syscall(SYS_capget, &header, data) && (data[n / 32].effective & 1u << n % 32);
}

bool right_held(enum right r)
{
	bool has = has_capability(rights[r].number);

	return has || (r < RIGHT_UPROBES && has_capability(CAP_SYS_ADMIN));
}

const char *right_advice(void)
{
	return geteuid() ? "run with sudo" : "give frtrace the capability";
}

const char *right_why(enum right r, int err, char out[RIGHT_TEXT])
{
	if (err != EPERM && err != EACCES)
		snprintf(out, RIGHT_TEXT, "%s", strerror(err));
	else if (!right_held(r))
		snprintf(out, RIGHT_TEXT, "%s is missing", rights[r].name);
	else
		snprintf(out, RIGHT_TEXT, "%s, though frtrace has %s: a seccomp filter or a user namespace?",
			 strerror(err), rights[r].name);
	return out;
}

static bool may_open_root(const struct target *t)
{
	int fd = root_path_open(t, "root");

	if (fd >= 0)
		close(fd);
	return fd != -EACCES && fd != -EPERM;
}

static bool may_read_descriptors(const struct target *t)
{
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", t->pid);
	dir = opendir(path);
	if (dir)
		closedir(dir);
	return dir || errno != EACCES;
}

/* As the child that attaches does it (user_child.c). */
static bool may_take_user(const struct target *t, enum right r)
{
	if (geteuid() == t->uid && getegid() == t->gid && getuid() == t->uid)
		return true;
	if (r == RIGHT_GROUP ? geteuid() != 0 : geteuid() == t->uid)
		return true;
	return right_held(r);
}

/* Without the other two nobody knows whether the kernel has uprobe_multi links. */
int rights_check(const struct target *t, bool by_perf, struct diag *why)
{
	bool programs = right_held(RIGHT_BPF) && right_held(RIGHT_PERFMON);
	bool missing[] = {
		[RIGHT_BPF] = !right_held(RIGHT_BPF),
		[RIGHT_PERFMON] = !right_held(RIGHT_PERFMON),
		[RIGHT_FILES] = !right_held(RIGHT_FILES),
		[RIGHT_UPROBES] = by_perf && programs && !right_held(RIGHT_UPROBES),
		[RIGHT_LOOK] = !may_open_root(t),
		[RIGHT_DESCRIPTORS] = !may_read_descriptors(t),
		[RIGHT_GROUP] = !may_take_user(t, RIGHT_GROUP),
		[RIGHT_USER] = !may_take_user(t, RIGHT_USER),
	};
	char list[400] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		if (missing[i])
			used += snprintf(list + used, sizeof(list) - used, "%s%s (%s)", used ? ", " : "",
					 rights[i].name, rights[i].purpose);
	return used ? diag_set(why, EPERM, "rights are missing: %s: %s", list, right_advice()) : 0;
}
