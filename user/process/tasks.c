// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/tasks.h"
#include "user/process/proc.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_LIMIT 16384

/* The value in "Key:\t...", at the beginning of a line; NULL if it is missing. */
static const char *tasks_value_of(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (!strncmp(text, key, length))
			return text + length + strspn(text + length, "\t ");
	return NULL;
}

/* The last number of a line: NSpid has one per namespace, outermost first. */
static int last_number(const char *value)
{
	int n = 0;

	while (*value && *value != '\n') {
		n = atoi(value);
		value += strcspn(value, "\t \n");
		value += strspn(value, "\t ");
	}
	return n;
}

int task_parse(const char *text, struct task *out)
{
	const char *tid = tasks_value_of(text, "NSpid:"), *state = tasks_value_of(text, "State:");
	const char *voluntary = tasks_value_of(text, "voluntary_ctxt_switches:");
	const char *forced = tasks_value_of(text, "nonvoluntary_ctxt_switches:");

	if (!tid)
		tid = tasks_value_of(text, "Pid:"); /* a kernel without namespaces */
	if (!tid || !state || !voluntary || !forced)
		return -EINVAL;
	out->tid = last_number(tid);
	out->asleep = *state == 'S' || *state == 'D';
	out->switches = strtoull(voluntary, NULL, 10) + strtoull(forced, NULL, 10);
	return 0;
}

static int visit_task(const struct target *t, const char *tid, int (*visit)(const struct task *task, void *context),
		      void *context)
{
	char name[300], *text;
	struct task task;
	int r = 0;

	snprintf(name, sizeof(name), "task/%s/status", tid);
	text = proc_read(t->pid, name, STATUS_LIMIT, NULL);
	if (text && !task_parse(text, &task)) /* otherwise it has ended meanwhile */
		r = visit(&task, context);
	free(text);
	return r;
}

int target_each_task(const struct target *t, int (*visit)(const struct task *task, void *context), void *context)
{
	struct dirent *entry;
	char path[64];
	int r = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", t->pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!r && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			r = visit_task(t, entry->d_name, visit, context);
	closedir(dir);
	return r;
}

/* /proc/PID/stat begins with "7017 (name) S". */
static bool stat_has_name(const char *text, const char kernel_name[16])
{
	const char *begin = strchr(text, '('), *end = strrchr(text, ')');
	size_t length = strnlen(kernel_name, 16);

	return begin && end && (size_t)(end - begin - 1) == length && !memcmp(begin + 1, kernel_name, length);
}

bool target_task_is(const struct target *t, uint32_t tid, const char kernel_name[16], uint32_t started,
		    unsigned int shift)
{
	uint64_t tick = 1000000000 / sysconf(_SC_CLK_TCK), at;
	uint32_t first, last;
	char name[64], *text;
	bool is;

	if (t->own_pid_ns_ino != t->pid_ns_ino || t->own_monotonic_offset)
		return false;
	snprintf(name, sizeof(name), "task/%u/stat", tid);
	text = proc_read(t->pid, name, STATUS_LIMIT, NULL);
	is = text && stat_has_name(text, kernel_name) && !proc_parse_start_time(text, &at);
	free(text);
	if (!is)
		return false;
	first = (uint32_t)(at * tick >> shift);
	last = (uint32_t)(((at + 1) * tick - 1) >> shift);
	return started - first <= last - first;
}
