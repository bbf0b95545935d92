// SPDX-License-Identifier: BSD-2-Clause
/*
 * filtered kill|refuse CALL[,CALL...] PROGRAM [ARGUMENT...]
 *
 * Run PROGRAM under seccomp filters that kill the process on the system calls with these numbers, or make them fail with
 * EPERM.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int filter_on(unsigned int call, unsigned int action)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = 4, .filter = filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	unsigned int action =
		argc > 1 && strcmp(argv[1], "kill") ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_KILL_PROCESS;

	if (argc < 4)
		return 2;
	for (char *call = strtok(argv[2], ","); call; call = strtok(NULL, ","))
		if (filter_on(atoi(call), action)) {
			perror("filtered");
			return 2;
		}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
