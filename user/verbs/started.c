// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/started.h"
#include "user/text/monotonic.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FIRST_MS 10 /* the first look, after a process has been added; each later one doubles its age */
#define WAIT_MS	 10 /* between two calls while looks are on their way */
#define SLACK_S	 1  /* a process is in /proc some time after its start */

struct young {
	pid_t pid;
	int64_t since, due;
	bool settled;
};

struct started {
	struct young process[STARTED_MOST];
	size_t count;
	uint64_t scanned; /* when /proc was read, like a start time */
	struct looks looks;
	enum started_verdict (*visit)(const struct sight *jvm, void *context);
	void *context;
};

static struct young *young_find(struct started *s, pid_t pid)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->process[i].pid == pid)
			return &s->process[i];
	return NULL;
}

static void on_sight(const struct sight *jvm, void *context)
{
	struct started *s = context;
	struct young *y = young_find(s, jvm->target.pid);
	bool done = s->visit(jvm, s->context) == STARTED_DONE;

	if (y)
		y->settled = done || jvm->kind == TARGET_MUTE;
}

struct started *started_new(void)
{
	struct started *s = calloc(1, sizeof(*s));

	if (s)
		looks_init(&s->looks, on_sight, s);
	return s;
}

void started_free(struct started *s)
{
	free(s);
}

/* The place for a process: its own, a free one, or the oldest one. */
static struct young *started_place(struct started *s, pid_t pid, bool *free_one)
{
	struct young *oldest = &s->process[0];

	*free_one = true;
	for (size_t i = 0; i < s->count; i++) {
		if (s->process[i].pid == pid)
			return &s->process[i];
		if (s->process[i].since < oldest->since)
			oldest = &s->process[i];
	}
	if (s->count < STARTED_MOST)
		return &s->process[s->count++];
	*free_one = false;
	return oldest;
}

bool started_add(struct started *s, pid_t pid)
{
	int64_t now = monotonic_ms();
	bool fits;
	struct young *y = started_place(s, pid, &fits);

	*y = (struct young){pid, now, now + FIRST_MS, false};
	return fits;
}

/* Now, in the unit of /proc/PID/stat's start times. */
static uint64_t start_time_now(void)
{
	uint64_t ticks = sysconf(_SC_CLK_TCK);
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return ((uint64_t)t.tv_sec - SLACK_S) * ticks;
}

bool started_scan(struct started *s)
{
	uint64_t since = s->scanned;
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	struct target t;
	bool all = proc;
	int pid;

	s->scanned = start_time_now();
	while (proc && (entry = readdir(proc)))
		if ((pid = atoi(entry->d_name)) > 0 && !target_read(pid, &t) && t.start_time >= since)
			all &= started_add(s, pid);
	if (proc)
		closedir(proc);
	return all;
}

/* A look that is on its way still is the only one at that process. */
static void young_look(struct started *s, struct young *y, int64_t now)
{
	struct target t;

	if (y->pid == getpid() || now - y->since >= STARTED_MS || target_read(y->pid, &t))
		y->settled = true;
	else
		looks_begin(&s->looks, y->pid);
	y->due = now + (now - y->since) + 1;
}

int started_look(struct started *s, enum started_verdict (*visit)(const struct sight *jvm, void *context),
		 void *context)
{
	int64_t now = monotonic_ms(), next = INT64_MAX;

	s->visit = visit;
	s->context = context;
	looks_collect(&s->looks);
	for (size_t i = 0; i < s->count;) {
		struct young *y = &s->process[i];

		if (y->due <= now)
			young_look(s, y, now);
		if (y->settled) {
			*y = s->process[--s->count];
			continue;
		}
		next = y->due < next ? y->due : next;
		i++;
	}
	now = monotonic_ms();
	if (s->looks.apart.pending && next > now + WAIT_MS)
		next = now + WAIT_MS;
	return next == INT64_MAX ? -1 : next > now ? (int)(next - now) : 0;
}
