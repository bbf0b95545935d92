/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of control groups, version 1 and 2, which may be mounted at the same time. */
#ifndef USER_PROCESS_CGROUP_LIMIT_H
#define USER_PROCESS_CGROUP_LIMIT_H

#include <stddef.h>
#include <stdint.h>

enum cgroup_limit {
	CGROUP_LIMIT_MEMORY, /* bytes */
	CGROUP_LIMIT_CPU,    /* thousandths of a CPU: quota / period */
};

/* Reads a file of a group, cut to `size`. Returns 0 or -errno. */
typedef int (*cgroup_limit_reader)(const char *path, char *out, size_t size);

/*
 * The tightest limit on the path from the process's group to the root, given the texts of /proc/PID/cgroup and
 * /proc/self/mountinfo. UINT64_MAX: none.
 */
uint64_t cgroup_limit_find(const char *cgroup, const char *mountinfo, enum cgroup_limit what, cgroup_limit_reader read);

/* Memory limit of our own group in bytes; UINT64_MAX: none. */
uint64_t cgroup_limit_own_memory(void);

/* Parse a limit. "max", version 1's "no limit" (some 2^63) and invalid text give UINT64_MAX. */
uint64_t cgroup_limit_parse(const char *text);

#endif
