// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/target.h"
#include "user/process/proc.h"
#include "user/text/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void read_start_time(struct target *t)
{
	char *text = proc_read(t->pid, "stat", 4096, NULL);

	if (!text || proc_parse_start_time(text, &t->start_time))
		t->start_time = 0;
	free(text);
}

int target_read(pid_t pid, struct target *t)
{
	struct proc_status status;
	int r = proc_read_status(pid, &status);

	memset(t, 0, sizeof(*t));
	t->pid = pid;
	t->pidfd = -1;
	if (r)
		return r;
	t->ns_pid = status.ns_pid;
	t->uid = status.uid;
	t->gid = status.gid;
	read_start_time(t);
	if (status.tgid != pid)
		return -EINVAL;
	return status.state == 'Z' || status.state == 'X' ? -ESRCH : 0;
}

void target_watch_memory(struct target *t)
{
	int fd = proc_open(t->pid, "pagemap"), again = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);

	t->memory = again < 0 ? 0 : again; /* 0 is none */
	io_close(fd);
}

/* A process that ends gives its memory away first; one that has executed a program has another one. */
static bool has_memory(const struct target *t)
{
	char *text = proc_read(t->pid, "statm", 256, NULL);
	bool has = text && text[0] != '0';

	free(text);
	return has;
}

/*
 * An open pagemap belongs to the memory of its time. The kernel refuses to read less than 8 bytes of it, and reads
 * nothing if that memory is gone. It takes no lock for either.
 */
bool target_replaced(const struct target *t)
{
	struct target now;
	char byte;

	return t->memory && pread(t->memory, &byte, sizeof(byte), 0) == 0 && has_memory(t) &&
	       !target_read(t->pid, &now) && now.start_time == t->start_time;
}

void target_close(struct target *t)
{
	if (t->memory)
		close(t->memory);
	t->memory = 0;
	io_close(t->pidfd);
	t->pidfd = -1;
}

bool target_ended(const struct target *t)
{
	struct pollfd poller = {t->pidfd, POLLIN, 0};
	struct target now;

	if (target_replaced(t))
		return true;
	if (t->pidfd >= 0)
		return poll(&poller, 1, 0) > 0;
	return target_read(t->pid, &now) || now.start_time != t->start_time;
}

bool target_is_same_user(const struct target *t)
{
	return geteuid() == t->uid && getegid() == t->gid && getuid() == t->uid;
}

uint64_t target_cpu_ns(const struct target *t)
{
	struct timespec used;
	clockid_t clock;

	if (target_ended(t) || clock_getcpuclockid(t->pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return used.tv_sec * 1000000000ULL + used.tv_nsec;
}

/* ---- threads */

#define STATUS_LIMIT 16384

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

int task_parse(const char *text, struct target_task *out)
{
	const char *tid = proc_status_value(text, "NSpid"), *state = proc_status_value(text, "State");
	const char *voluntary = proc_status_value(text, "voluntary_ctxt_switches");
	const char *forced = proc_status_value(text, "nonvoluntary_ctxt_switches");

	if (!tid)
		tid = proc_status_value(text, "Pid"); /* a kernel without namespaces */
	if (!tid || !state || !voluntary || !forced)
		return -EINVAL;
	out->tid = last_number(tid);
	out->asleep = *state == 'S' || *state == 'D';
	out->switches = strtoull(voluntary, NULL, 10) + strtoull(forced, NULL, 10);
	return 0;
}

struct task_visit {
	pid_t pid;
	int (*visit)(const struct target_task *task, void *context);
	void *context;
};

static int visit_task(pid_t tid, void *context)
{
	const struct task_visit *v = context;
	char *text = proc_read_thread(v->pid, tid, "status", STATUS_LIMIT);
	struct target_task task;
	int r = 0;

	if (text && !task_parse(text, &task)) /* otherwise it has ended meanwhile */
		r = v->visit(&task, v->context);
	free(text);
	return r;
}

int target_each_task(const struct target *t, int (*visit)(const struct target_task *task, void *context), void *context)
{
	return proc_each_thread(t->pid, visit_task, &(struct task_visit){t->pid, visit, context});
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
	char *text;
	bool is;

	if (t->own_pid_ns_ino != t->pid_ns_ino || t->own_monotonic_offset)
		return false;
	text = proc_read_thread(t->pid, tid, "stat", STATUS_LIMIT);
	is = text && stat_has_name(text, kernel_name) && !proc_parse_start_time(text, &at);
	free(text);
	if (!is)
		return false;
	first = (uint32_t)(at * tick >> shift);
	last = (uint32_t)(((at + 1) * tick - 1) >> shift);
	return started - first <= last - first;
}
