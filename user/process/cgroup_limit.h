/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of control groups, version 1 and 2, side by side as they may be mounted. */
#ifndef USER_PROCESS_CGROUP_LIMIT_H
#define USER_PROCESS_CGROUP_LIMIT_H

#include <stddef.h>
#include <stdint.h>

enum cgroup_limit {
	CGROUP_LIMIT_MEMORY, /* bytes */
	CGROUP_LIMIT_CPU,    /* thousandths of a CPU: quota by period */
};

/* Reads a file of a group, cut to `size`. 0 or -errno. */
typedef int (*cgroup_limit_reader)(const char *path, char *out, size_t size);

/*
 * The tightest limit on the way from the process's group up to the root,
 * from the texts of /proc/PID/cgroup and /proc/self/mountinfo. UINT64_MAX: none.
 */
uint64_t cgroup_limit_find(const char *cgroup, const char *mountinfo, enum cgroup_limit what, cgroup_limit_reader read);

/* "max" and version 1's "no limit" (some 2^63) are UINT64_MAX, and so is what is no number. */
uint64_t cgroup_limit_parse(const char *text);

#endif
