// SPDX-License-Identifier: BSD-2-Clause
/* with_pid PID PROGRAM ARGUMENT...: run the program as the process of that number, which must be free. Status 1: it is not. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES 1000 /* other processes may be started at the same time */

static int last_pid_write(int pid)
{
	char text[16];
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY), length = snprintf(text, sizeof(text), "%d", pid), bad;

	bad = fd < 0 || write(fd, text, length) != length;
	close(fd);
	return bad;
}

int main(int argc, char **argv)
{
	int wanted = argc > 2 ? atoi(argv[1]) : 0;

	for (int i = 0; i < TRIES && !last_pid_write(wanted - 1); i++) {
		pid_t pid = fork();

		if (!pid && getpid() == wanted)
			execv(argv[2], argv + 2);
		if (!pid)
			_exit(127);
		if (pid == wanted)
			return waitpid(pid, NULL, 0) != pid;
		waitpid(pid, NULL, 0);
	}
	return 1;
}
