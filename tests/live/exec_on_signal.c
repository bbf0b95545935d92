// SPDX-License-Identifier: BSD-2-Clause
/* LD_PRELOAD of a library that makes its process another program, `sleep 60`, when SIGWINCH comes. */
#include <signal.h>
#include <unistd.h>

static void become_sleep(int number)
{
	(void)number;
	execl("/bin/sleep", "sleep", "60", (char *)0);
}

__attribute__((constructor)) static void start(void)
{
	signal(SIGWINCH, become_sleep);
}
