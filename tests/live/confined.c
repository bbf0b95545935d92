// SPDX-License-Identifier: BSD-2-Clause
/*
 * A frtrace that appends each system call that its filter refuses, as "refused NAME", to the file that FRTRACE_REFUSED
 * names. As in frtrace itself, the call then fails with EPERM. It compares the time stamp counters of the CPUs, whether or
 * not somebody vouches for them. Linked with -Wl,--wrap=seccomp_init,--wrap=tsc_usable.
 */
#include "user/process/tsc.h"
#include "tests/lib/wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

WRAP(bool, tsc_usable, char how[static TSC_TEXT])
{
	return tsc_measured(how);
}

/* The file is not kept open: tests look at the descriptors of frtrace. */
static void refused_write(const char *name)
{
	const char *path = getenv("FRTRACE_REFUSED");
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;

	dprintf(fd < 0 ? STDERR_FILENO : fd, "refused %s\n", name);
	if (fd >= 0)
		close(fd);
}

static void on_refused(int signal, siginfo_t *info, void *context)
{
	ucontext_t *thread = context;
	int saved = errno;
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, info->si_syscall);

	refused_write(name ? name : "?");
	free(name);
	errno = saved;
	thread->uc_mcontext.gregs[REG_RAX] = -EPERM;
}

WRAP(scmp_filter_ctx, seccomp_init, uint32_t otherwise)
{
	struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO | SA_RESTART};

	if (otherwise != SCMP_ACT_ERRNO(EPERM))
		return NULL;
	sigaction(SIGSYS, &action, NULL);
	return __real_seccomp_init(SCMP_ACT_TRAP);
}
