// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/uretprobe.h"
#include "user/process/child.h"
#include "user/process/machine/machine.h"
#include "user/process/proc.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_LIMIT 65536

/* A filter that refuses this system call, and nothing else. */
static int refuse_uretprobe(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, URETPROBE_CALL, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ?: prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* In a child: SIGILL is the kernel's answer to a call from elsewhere than its own trampoline. */
static void call_uretprobe(bool refused)
{
	signal(SIGILL, SIG_DFL);
	prctl(PR_SET_DUMPABLE, 0); /* no core file */
	if (refused && refuse_uretprobe())
		_exit(1);
	syscall(URETPROBE_CALL);
	_exit(errno == ENOSYS ? 2 : 1);
}

/* How the child ended. */
static int uretprobe_try(bool refused)
{
	pid_t child = fork();

	if (!child)
		call_uretprobe(refused);
	return child > 0 ? child_wait(child) : -1;
}

static bool kernel_asks_no_filter(void)
{
	int status;

	if (URETPROBE_CALL < 0)
		return true;
	status = uretprobe_try(false);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		return true; /* it has no such system call: functions return through a breakpoint */
	status = uretprobe_try(true);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGILL;
}

static bool target_has_filter(const struct target *t)
{
	char *status = proc_read(t->pid, "status", STATUS_LIMIT, NULL);
	bool filter = !status || strstr(status, "\nSeccomp:\t2");

	free(status);
	return filter;
}

bool uretprobe_is_safe(const struct target *t)
{
	return !target_has_filter(t) || kernel_asks_no_filter();
}
