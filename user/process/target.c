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
	int fd = proc_open(t->pid, "pagemap");

	if (fd < 0)
		return;
	t->memory = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (t->memory < 0)
		t->memory = 0;
	close(fd);
}

/*
 * An open pagemap belongs to the memory of its time. The kernel refuses to read less than 8 bytes of it, and reads
 * nothing if that memory is gone. It takes no lock for either.
 */
/* A process that ends gives its memory away first; one that has executed a program has another one. */
static bool has_memory(const struct target *t)
{
	char *text = proc_read(t->pid, "statm", 256, NULL);
	bool has = text && text[0] != '0';

	free(text);
	return has;
}

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

uint64_t target_cpu_ns(const struct target *t)
{
	struct timespec used;
	clockid_t clock;

	if (target_ended(t) || clock_getcpuclockid(t->pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return used.tv_sec * 1000000000ULL + used.tv_nsec;
}
