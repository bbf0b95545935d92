// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which capability allows what, measured on Linux 6.18 with bounding sets: BPF programs, their uprobe_multi links and
 * tracepoints take CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN, which has both; perf_event_open() of a uprobe is refused
 * without CAP_SYS_ADMIN, also with these two; /proc/PID/root, fd and mem of a process with another user, or with
 * capabilities that we lack, take CAP_SYS_PTRACE; the directory /proc/PID/fd is its user's with mode 0500.
 */
#include "user/process/rights.h"
#include "user/process/root_path.h"
#include "user/text/io.h"

#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static const struct {
	int number;
	const char *name, *purpose;
} rights[] = {
	[RIGHT_BPF] = {CAP_BPF, "CAP_BPF", "BPF programs"},
	[RIGHT_PERFMON] = {CAP_PERFMON, "CAP_PERFMON", "attaching them"},
	[RIGHT_UPROBES] = {CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "uprobes by perf events"},
	[RIGHT_LOOK] = {CAP_SYS_PTRACE, "CAP_SYS_PTRACE", "the JVM's memory and directories"},
	[RIGHT_DESCRIPTORS] = {CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH", "the JVM's descriptors"},
	[RIGHT_GROUP] = {CAP_SETGID, "CAP_SETGID", "attaching as the JVM's user"},
	[RIGHT_USER] = {CAP_SETUID, "CAP_SETUID", "attaching as the JVM's user"},
	[RIGHT_SYMBOLS] = {CAP_SYSLOG, "CAP_SYSLOG", "names of kernel functions"},
	[RIGHT_PRIORITY] = {CAP_SYS_NICE, "CAP_SYS_NICE", "running at nice -20"},
};

/* The capabilities of this process; none if the kernel does not tell. */
static uint64_t capabilities_held(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &header, data))
		return 0;
	return data[0].effective | (uint64_t)data[1].effective << 32;
}

static bool has_capability(int n)
{
	return capabilities_held() >> n & 1;
}

bool right_held(enum right r)
{
	bool has = has_capability(rights[r].number);

	return has || (r < RIGHT_UPROBES && has_capability(CAP_SYS_ADMIN));
}

const char *right_name(enum right r)
{
	return rights[r].name;
}

const char *right_purpose(enum right r)
{
	return rights[r].purpose;
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

	io_close(fd);
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
	if (target_is_same_user(t))
		return true;
	if (r == RIGHT_GROUP ? geteuid() != 0 : geteuid() == t->uid)
		return true;
	return right_held(r);
}

/* Append "CAP_BPF (BPF programs)". */
static void rights_append(char list[RIGHTS_TEXT], enum right r)
{
	size_t used = strlen(list);

	snprintf(list + used, RIGHTS_TEXT - used, "%s%s (%s)", used ? ", " : "", rights[r].name, rights[r].purpose);
}

void rights_missing(enum right first, enum right end, char out[RIGHTS_TEXT])
{
	out[0] = 0;
	for (enum right r = first; r < end; r++)
		if (!right_held(r))
			rights_append(out, r);
}

/* An array of one number is the least that bpf() can be asked for. */
static bool bpf_is_refused(void)
{
	union bpf_attr array = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = sizeof(int), .value_size = sizeof(int), .max_entries = 1};
	int fd = syscall(SYS_bpf, BPF_MAP_CREATE, &array, sizeof(array));

	io_close(fd);
	return fd < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static bool in_user_namespace(void)
{
	struct stat own;

	return !stat("/proc/self/ns/user", &own) && own.st_ino != PROC_INITIAL_USER_NAMESPACE;
}

int rights_check_bpf(struct diag *why)
{
	if (!right_held(RIGHT_BPF) || !bpf_is_refused())
		return 0;
	if (in_user_namespace())
		return diag_set(why, EPERM,
				"bpf() is refused: frtrace is in a user namespace, where capabilities do not count for "
				"it: run it in the host's");
	if (prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER)
		return diag_set(why, EPERM,
				"a seccomp filter refuses bpf(), though frtrace has the capabilities: allow it in the "
				"seccomp profile of frtrace's container");
	return diag_set(why, EPERM, "bpf() is refused, though frtrace has the capabilities: by a security module?");
}

/* Without the other two nobody knows whether the kernel has uprobe_multi links. */
int rights_check(const struct target *t, bool by_perf, bool agent, struct diag *why)
{
	bool programs = right_held(RIGHT_BPF) && right_held(RIGHT_PERFMON);
	bool missing[] = {
		[RIGHT_BPF] = !right_held(RIGHT_BPF),
		[RIGHT_PERFMON] = !right_held(RIGHT_PERFMON),
		[RIGHT_UPROBES] = by_perf && programs && !right_held(RIGHT_UPROBES),
		[RIGHT_LOOK] = !may_open_root(t),
		[RIGHT_DESCRIPTORS] = agent && !may_read_descriptors(t),
		[RIGHT_GROUP] = agent && !may_take_user(t, RIGHT_GROUP),
		[RIGHT_USER] = agent && !may_take_user(t, RIGHT_USER),
	};
	char list[RIGHTS_TEXT] = "";

	if (programs && rights_check_bpf(why))
		return -EPERM;
	for (enum right r = 0; r < RIGHTS_NEEDED; r++)
		if (missing[r])
			rights_append(list, r);
	return list[0] ? diag_set(why, EPERM, "rights are missing: %s: %s", list, right_advice()) : 0;
}

bool right_needed_beside(enum right r, const struct target *t, bool by_perf)
{
	switch (r) {
	case RIGHT_BPF:
	case RIGHT_PERFMON: return !by_perf; /* CAP_SYS_ADMIN has them */
	case RIGHT_UPROBES: return by_perf;
	case RIGHT_LOOK: return true;
	case RIGHT_GROUP: return !t || t->uid || t->gid;
	case RIGHT_DESCRIPTORS:
	case RIGHT_USER: return !t || t->uid;
	default: return false;
	}
}

#define CAPABILITY(n) (1ull << (n))

/* From Linux 5.19 on, BPF maps and links that are there can be used without CAP_BPF, whatever is forbidden to users. */
static bool bpf_takes_rights(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname u;

	return uname(&u) || sscanf(u.release, "%u.%u", &major, &minor) != 2 || major < 5 || (major == 5 && minor < 19);
}

/*
 * What is left to do: read the JVM's memory, its libraries (CAP_CHECKPOINT_RESTORE opens those that were deleted) and
 * the kernel's symbols, write files, which may be those of another user, and change the own priority. Without
 * CAP_SYS_PTRACE a process may look into those only that have no capability more than itself.
 */
static uint64_t rights_to_keep(const struct target *t, struct rights_later later, uint64_t held)
{
	uint64_t keep = CAPABILITY(CAP_SYS_PTRACE) | CAPABILITY(CAP_CHECKPOINT_RESTORE) | CAPABILITY(CAP_SYSLOG) |
			CAPABILITY(CAP_DAC_OVERRIDE) | CAPABILITY(CAP_CHOWN) | CAPABILITY(CAP_FOWNER) |
			CAPABILITY(CAP_SYS_NICE);
	struct proc_status status;

	if (!(held & CAPABILITY(CAP_SYS_PTRACE)))
		keep |= proc_read_status(t->pid, &status) ? ~0ull : status.permitted;
	if (bpf_takes_rights())
		keep |= CAPABILITY(CAP_BPF) | CAPABILITY(CAP_SYS_ADMIN);
	if (later.attach)
		keep |= CAPABILITY(CAP_SETUID) | CAPABILITY(CAP_SETGID) | CAPABILITY(CAP_DAC_READ_SEARCH);
	if (later.signal)
		keep |= CAPABILITY(CAP_KILL);
	if (later.probe) /* some kernels take the one, some the other */
		keep |= CAPABILITY(CAP_PERFMON) | CAPABILITY(CAP_SYS_ADMIN);
	return keep & held;
}

void rights_drop(const struct target *t, struct rights_later later)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	uint64_t keep = rights_to_keep(t, later, capabilities_held());
	struct __user_cap_data_struct data[2] = {{.effective = keep, .permitted = keep},
						 {.effective = keep >> 32, .permitted = keep >> 32}};

	/* neither can fail for a process that gives up what it has */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(SYS_capset, &header, data);
}
