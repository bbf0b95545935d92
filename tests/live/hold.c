// SPDX-License-Identifier: BSD-2-Clause
/* hold TID: keep one thread of another process stopped until this program ends. Prints "held" once it is. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	pid_t thread = argc == 2 ? atoi(argv[1]) : 0;

	if (thread <= 0 || ptrace(PTRACE_SEIZE, thread, 0, 0) || ptrace(PTRACE_INTERRUPT, thread, 0, 0) ||
	    waitpid(thread, NULL, __WALL) != thread) {
		perror("hold");
		return 1;
	}
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}
