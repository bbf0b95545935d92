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
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT_MOST 8192 /* bytes of memory.stat */

static const char *const controllers_v1[] = {[CGROUP_LIMIT_MEMORY] = "memory",
					     [CGROUP_LIMIT_CPU] = "cpu",
					     [CGROUP_LIMIT_PIDS] = "pids",
					     [CGROUP_LIMIT_FREEZER] = "freezer"};

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
					  char out[STAT_MOST])
{
	char path[4096 + 32];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return read(path, out, STAT_MOST) ? strcpy(out, "") : out;
}

static uint64_t cgroup_limit_read_number(const char *directory, const char *name, cgroup_limit_reader read)
{
	char text[STAT_MOST];

	return cgroup_limit_parse(cgroup_limit_read_text(directory, name, read, text));
}

/* The number behind a word at the beginning of a line; 0 if it is missing. */
static uint64_t number_of(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (!strncmp(text, word, length) && text[length] == ' ')
			return strtoull(text + length, NULL, 10);
	return 0;
}

/* The limit in thousandths of a CPU: "50000 100000" or "max 100000" in version 2, two files in version 1. */
static uint64_t cgroup_limit_read_cpu(const char *directory, bool v2, cgroup_limit_reader read)
{
	char text[STAT_MOST];
	const char *quota_text = cgroup_limit_read_text(directory, v2 ? "cpu.max" : "cpu.cfs_quota_us", read, text);
	uint64_t quota = cgroup_limit_parse(quota_text), period;

	if (v2)
		period = cgroup_limit_parse(quota_text + strcspn(quota_text, " "));
	else
		period = cgroup_limit_read_number(directory, "cpu.cfs_period_us", read);
	return quota < 1ull << 50 && period && period != UINT64_MAX ? quota * 1000 / period : UINT64_MAX;
}

static uint64_t read_used_memory(const char *directory, bool v2, cgroup_limit_reader read)
{
	char text[STAT_MOST];
	uint64_t used = cgroup_limit_read_number(directory, v2 ? "memory.current" : "memory.usage_in_bytes", read),
		 files;

	cgroup_limit_read_text(directory, "memory.stat", read, text);
	files = v2 ? number_of(text, "inactive_file") + number_of(text, "active_file") +
				number_of(text, "slab_reclaimable")
		   : number_of(text, "total_inactive_file") + number_of(text, "total_active_file");
	return used == UINT64_MAX || files > used ? 0 : used - files;
}

/* A frozen group says so, also if it is one above it that has been frozen. */
static bool is_frozen(const char *directory, bool v2, cgroup_limit_reader read)
{
	char text[STAT_MOST];

	if (v2)
		return number_of(cgroup_limit_read_text(directory, "cgroup.events", read, text), "frozen") == 1;
	cgroup_limit_read_text(directory, "freezer.state", read, text);
	return !strncmp(text, "FROZEN", 6) || !strncmp(text, "FREEZING", 8);
}

static void read_room(const char *directory, enum cgroup_limit what, bool v2, cgroup_limit_reader read,
		      struct cgroup_room *out)
{
	out->used = 0;
	switch (what) {
	case CGROUP_LIMIT_CPU: out->limit = cgroup_limit_read_cpu(directory, v2, read); break;
	case CGROUP_LIMIT_MEMORY:
		out->limit = cgroup_limit_read_number(directory, v2 ? "memory.max" : "memory.limit_in_bytes", read);
		break;
	case CGROUP_LIMIT_PIDS: out->limit = cgroup_limit_read_number(directory, "pids.max", read); break;
	case CGROUP_LIMIT_FREEZER: out->limit = is_frozen(directory, v2, read) ? 1 : UINT64_MAX; break;
	}
	if (out->limit == UINT64_MAX)
		return;
	if (what == CGROUP_LIMIT_MEMORY)
		out->used = read_used_memory(directory, v2, read);
	else if (what == CGROUP_LIMIT_PIDS)
		out->used = cgroup_limit_read_number(directory, "pids.current", read);
	else if (what == CGROUP_LIMIT_FREEZER)
		out->used = 1;
}

static uint64_t room_left(const struct cgroup_room *room)
{
	if (room->limit == UINT64_MAX)
		return UINT64_MAX;
	return room->used < room->limit ? room->limit - room->used : 0;
}

/* Replace *out by what is tighter in one of the two versions. */
static void find_in(const char *cgroup, const char *mountinfo, enum cgroup_limit what, bool v2,
		    cgroup_limit_reader read, bool by_limit, struct cgroup_room *out)
{
	char group[2048], directory[4096], *slash;
	struct group_mount mount;
	struct cgroup_room room;
	size_t root, point;

	if (!find_group(cgroup, what, v2, group, sizeof(group)) || !find_mount(mountinfo, what, v2, &mount))
		return;
	root = strcmp(mount.root, "/") ? strlen(mount.root) : 0;
	if (strncmp(group, mount.root, root) || (root && group[root] && group[root] != '/') || strstr(group, "/.."))
		return;
	point = strlen(mount.point);
	snprintf(directory, sizeof(directory), "%s%s", mount.point, group + root);
	for (;;) {
		read_room(directory, what, v2, read, &room);
		if (by_limit ? room.limit < out->limit : room_left(&room) < room_left(out)) {
			snprintf(room.group, sizeof(room.group), "%.255s", directory[point] ? directory + point : "/");
			*out = room;
		}
		slash = strrchr(directory, '/');
		if (!slash || (size_t)(slash - directory) < point)
			return;
		*slash = 0;
	}
}

static void find_tightest(const char *cgroup, const char *mountinfo, enum cgroup_limit what, cgroup_limit_reader read,
			  bool by_limit, struct cgroup_room *out)
{
	*out = (struct cgroup_room){.limit = UINT64_MAX};
	find_in(cgroup, mountinfo, what, false, read, by_limit, out);
	find_in(cgroup, mountinfo, what, true, read, by_limit, out);
}

uint64_t cgroup_limit_find(const char *cgroup, const char *mountinfo, enum cgroup_limit what, cgroup_limit_reader read)
{
	struct cgroup_room room;

	find_tightest(cgroup, mountinfo, what, read, true, &room);
	return room.limit;
}

void cgroup_room_find(const char *cgroup, const char *mountinfo, enum cgroup_limit what, cgroup_limit_reader read,
		      struct cgroup_room *out)
{
	find_tightest(cgroup, mountinfo, what, read, false, out);
}

static int cgroup_limit_read_file(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, out, size - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	out[n] = 0;
	return 0;
}

static void room_of(pid_t pid, enum cgroup_limit what, bool by_limit, struct cgroup_room *out)
{
	char *cgroup = proc_read(pid, "cgroup", 1 << 20, NULL),
	     *mounts = proc_read(getpid(), "mountinfo", 16 << 20, NULL);

	find_tightest(cgroup ?: "", mounts ?: "", what, cgroup_limit_read_file, by_limit, out);
	free(cgroup);
	free(mounts);
}

void cgroup_room_of(pid_t pid, enum cgroup_limit what, struct cgroup_room *out)
{
	room_of(pid, what, false, out);
}

static uint64_t limit_of(pid_t pid, enum cgroup_limit what)
{
	struct cgroup_room room;

	room_of(pid, what, true, &room);
	return room.limit;
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
