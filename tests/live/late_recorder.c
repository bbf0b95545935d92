// SPDX-License-Identifier: BSD-2-Clause
/*
 * Preloaded into frtrace --follow: a process that is to record, which frtrace forks and which asks for SIGINT when its parent
 * ends, makes the file $FRTRACE_LATE.forked and begins when the file $FRTRACE_LATE is there.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int prctl(int option, ...)
{
	int (*next)(int, ...) = dlsym(RTLD_NEXT, "prctl");
	const char *late = getenv("FRTRACE_LATE");
	unsigned long argument[4];
	char forked[512];
	va_list list;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		argument[i] = va_arg(list, unsigned long);
	va_end(list);
	if (late && option == PR_SET_PDEATHSIG && (int)argument[0] == SIGINT) {
		snprintf(forked, sizeof(forked), "%s.forked", late);
		close(open(forked, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
		while (access(late, F_OK))
			usleep(10000);
	}
	return next(option, argument[0], argument[1], argument[2], argument[3]);
}
