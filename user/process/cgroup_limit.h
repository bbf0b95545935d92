/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of control groups, version 1 and 2, which may be mounted at the same time. */
#ifndef USER_PROCESS_CGROUP_LIMIT_H
#define USER_PROCESS_CGROUP_LIMIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum cgroup_limit {
	CGROUP_LIMIT_MEMORY, /* bytes; in use: those that the kernel cannot take back, which are no file's */
	CGROUP_LIMIT_CPU,    /* thousandths of a CPU: quota / period; in use: 0 */
	CGROUP_LIMIT_PIDS,   /* processes and threads */
	CGROUP_LIMIT_FREEZER /* 1, and 1 in use: the group is frozen */
};

/* A limit, and how much of it is in use. UINT64_MAX: there is none. */
struct cgroup_room {
	uint64_t limit, used;
	char group[256]; /* the path of the group that has it, in its hierarchy */
};

/* Reads a file of a group, cut to `size`. Returns 0 or -errno. */
typedef int (*cgroup_limit_reader)(const char *path, char *out, size_t size);

/*
 * The tightest limit on the path from the process's group to the root, given the texts of /proc/PID/cgroup and
 * /proc/self/mountinfo. UINT64_MAX: none.
 */
uint64_t cgroup_limit_find(const char *cgroup, const char *mountinfo, enum cgroup_limit what, cgroup_limit_reader read);

/* The same for the group on the path that has the least left of its limit. */
void cgroup_room_find(const char *cgroup, const char *mountinfo, enum cgroup_limit what, cgroup_limit_reader read,
		      struct cgroup_room *out);

/* The same for a process. */
void cgroup_room_of(pid_t pid, enum cgroup_limit what, struct cgroup_room *out);

/* Memory limit of our own group in bytes; UINT64_MAX: none. */
uint64_t cgroup_limit_own_memory(void);

/* Parse a limit. "max", version 1's "no limit" (some 2^63) and invalid text give UINT64_MAX. */
uint64_t cgroup_limit_parse(const char *text);

#endif
