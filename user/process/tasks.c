// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/tasks.h"
#include "user/process/proc.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
