// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finding the limits. /proc/PID/cgroup has one line per hierarchy; of /proc/self/mountinfo fields 4 and 5 and
 * those after " - " matter:
 *
 *	4:memory:/docker/4f2a			31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
 *	0::/system.slice/shop.service		33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
 *
 * A mount may show only a part of the hierarchy (field 4, its root), in a container without a cgroup namespace. A
 * group outside of the mounted part is not accessible.
 */
#include "user/process/cgroup_limit.h"
#include "user/process/proc.h"
#include "user/process/find.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const controllers_v1[] = {[CGROUP_LIMIT_MEMORY] = "memory", [CGROUP_LIMIT_CPU] = "cpu"};

struct group_mount {
	char root[512], point[512];
};

uint64_t cgroup_limit_parse(const char *text)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (end == text || errno || v >= 1ull << 62)
		return UINT64_MAX;
	return v;
}

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += n)
		if ((at == list || at[-1] == ',' || at[-1] == ' ') && (!at[n] || strchr(", \n", at[n])))
			return true;
	return false;
}

/* True if this line of mountinfo is the wanted hierarchy. */
static bool parse_mount(const char *line, enum cgroup_limit what, bool v2, struct group_mount *out)
{
	char type[32], options[512];
	const char *tail = strstr(line, " - ");

	if (!tail || sscanf(line, "%*s %*s %*s %511s %511s", out->root, out->point) != 2 ||
	    sscanf(tail + 3, "%31s %*s %511s", type, options) != 2)
		return false;
	return v2 ? strcmp(type, "cgroup2") == 0
		  : strcmp(type, "cgroup") == 0 && has_word(options, controllers_v1[what]);
}

static const char *next_line(const char *line, char *out, size_t size)
{
	size_t n = strcspn(line, "\n");

	if (!*line)
		return NULL;
	snprintf(out, size, "%.*s", (int)n, line);
	return line + n + (line[n] == '\n');
}

static bool find_mount(const char *mountinfo, enum cgroup_limit what, bool v2, struct group_mount *out)
{
	char line[4096];

	while ((mountinfo = next_line(mountinfo, line, sizeof(line))))
		if (parse_mount(line, what, v2, out))
			return true;
	return false;
}

/* The path of the group in the controller's own hierarchy, or in the unified one. */
static bool find_group(const char *cgroup, enum cgroup_limit what, bool v2, char *out, size_t size)
{
	char line[4096], *controllers, *path;

	while ((cgroup = next_line(cgroup, line, sizeof(line)))) {
		controllers = strchr(line, ':');
		path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = 0;
		if (v2 ? strcmp(line, "0:") == 0 : has_word(controllers + 1, controllers_v1[what])) {
			snprintf(out, size, "%s", path);
			return true;
		}
	}
	return false;
}

/* The text of a group's file; "" if it is unreadable. */
static const char *cgroup_limit_read_text(const char *directory, const char *name, cgroup_limit_reader read,
					  char out[64])
{
	char path[4096 + 32];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return read(path, out, 64) ? strcpy(out, "") : out;
}

/* The limit in thousandths of a CPU: "50000 100000" or "max 100000" in version 2, two files in version 1. */
static uint64_t cgroup_limit_read_cpu(const char *directory, bool v2, cgroup_limit_reader read)
{
	char text[64];
	const char *quota_text = cgroup_limit_read_text(directory, v2 ? "cpu.max" : "cpu.cfs_quota_us", read, text);
	uint64_t quota = cgroup_limit_parse(quota_text), period;

	if (v2)
		period = cgroup_limit_parse(quota_text + strcspn(quota_text, " "));
	else
		period = cgroup_limit_parse(cgroup_limit_read_text(directory, "cpu.cfs_period_us", read, text));
	return quota < 1ull << 50 && period && period != UINT64_MAX ? quota * 1000 / period : UINT64_MAX;
}

static uint64_t read_limit(const char *directory, enum cgroup_limit what, bool v2, cgroup_limit_reader read)
{
	char text[64];

	if (what == CGROUP_LIMIT_CPU)
		return cgroup_limit_read_cpu(directory, v2, read);
	return cgroup_limit_parse(
		cgroup_limit_read_text(directory, v2 ? "memory.max" : "memory.limit_in_bytes", read, text));
}

static uint64_t find_in(const char *cgroup, const char *mountinfo, enum cgroup_limit what, bool v2,
			cgroup_limit_reader read)
{
	char group[2048], directory[4096], *slash;
	uint64_t limit, tightest = UINT64_MAX;
	struct group_mount mount;
	size_t root;

	if (!find_group(cgroup, what, v2, group, sizeof(group)) || !find_mount(mountinfo, what, v2, &mount))
		return UINT64_MAX;
	root = strcmp(mount.root, "/") ? strlen(mount.root) : 0;
	if (strncmp(group, mount.root, root) || (root && group[root] && group[root] != '/') || strstr(group, "/.."))
		return UINT64_MAX;
	snprintf(directory, sizeof(directory), "%s%s", mount.point, group + root);
	for (;;) {
		limit = read_limit(directory, what, v2, read);
		tightest = limit < tightest ? limit : tightest;
		slash = strrchr(directory, '/');
		if (!slash || (size_t)(slash - directory) < strlen(mount.point))
			return tightest;
		*slash = 0;
	}
}

uint64_t cgroup_limit_find(const char *cgroup, const char *mountinfo, enum cgroup_limit what, cgroup_limit_reader read)
{
	uint64_t v1 = find_in(cgroup, mountinfo, what, false, read), v2 = find_in(cgroup, mountinfo, what, true, read);

	return v1 < v2 ? v1 : v2;
}

static int cgroup_limit_read_file(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "re");
	int r = 0;

	if (!f)
		return -errno;
	if (!fgets(out, size, f))
		r = -EIO;
	fclose(f);
	return r;
}

static uint64_t limit_of(pid_t pid, enum cgroup_limit what)
{
	char *cgroup = proc_read(pid, "cgroup", 1 << 20, NULL),
	     *mounts = proc_read(getpid(), "mountinfo", 16 << 20, NULL);
	uint64_t limit =
		cgroup && mounts ? cgroup_limit_find(cgroup, mounts, what, cgroup_limit_read_file) : UINT64_MAX;

	free(cgroup);
	free(mounts);
	return limit;
}

uint64_t cgroup_limit_own_memory(void)
{
	return limit_of(getpid(), CGROUP_LIMIT_MEMORY);
}

uint64_t target_memory_limit(const struct target *t)
{
	return limit_of(t->pid, CGROUP_LIMIT_MEMORY);
}

double target_cpus(const struct target *t)
{
	cpu_set_t set[16]; /* of 1024 each: the kernel requires space for all possible CPUs */
	double quota = limit_of(t->pid, CGROUP_LIMIT_CPU) / 1000.0, cpus = 1;

	if (!sched_getaffinity(t->pid, sizeof(set), set))
		cpus = CPU_COUNT_S(sizeof(set), set);
	return quota > 0 && quota < cpus ? quota : cpus;
}
