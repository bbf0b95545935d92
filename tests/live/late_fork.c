// SPDX-License-Identifier: BSD-2-Clause
/* Preloaded into frtrace: a process that it forks begins when the file $FRTRACE_LATE is there. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

pid_t fork(void)
{
	pid_t (*next)(void) = dlsym(RTLD_NEXT, "fork");
	const char *late = getenv("FRTRACE_LATE");
	pid_t pid = next();

	while (!pid && late && access(late, F_OK))
		usleep(10000);
	return pid;
}
