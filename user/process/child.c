// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/child.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t child_fork(int *link)
{
	int ends[2], err;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = fork();
	err = errno;
	close(ends[pid ? 1 : 0]);
	if (pid < 0) {
		close(ends[0]);
		return -err;
	}
	*link = ends[pid ? 0 : 1];
	return pid;
}

/* First above the places where they belong, so that none is closed for another one. */
void child_keep(const char *name, int *const fd[], int count)
{
	for (int i = 0; i < count; i++)
		*fd[i] = fcntl(*fd[i], F_DUPFD, count);
	for (int i = 0; i < count; i++)
		*fd[i] = dup2(*fd[i], i);
	syscall(SYS_close_range, count, ~0u, 0);
	if (name)
		prctl(PR_SET_NAME, name);
}

int child_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

bool child_reap(pid_t pid, int timeout_ms)
{
	int64_t enough = monotonic_ms() + timeout_ms;
	pid_t ended;

	while ((ended = waitpid(pid, NULL, WNOHANG)) == 0 && deadline_left(enough))
		usleep(1000);
	return ended != 0;
}
