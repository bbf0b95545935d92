// SPDX-License-Identifier: BSD-2-Clause
/*
 * The child shares the JVM's memory (CLONE_VM), because copying the page tables of a large heap would stop the
 * program for too long. It runs on a stack of its own with all signals blocked, and does nothing but system calls.
 *
 * A child that a filter kills would dump core, and before Linux 5.16 a core dump kills every process that shares
 * the memory. Therefore the process is made non-dumpable meanwhile: the kernel then skips the dump before it looks
 * for other processes.
 */
#include "uprobes/agent/seccomp.h"

#define STACK_SIZE  16384
#define STATUS_MOST (1l << 20) /* bytes */
#define FILTER	    '2'	       /* value of the line Seccomp: in /proc/self/status, proc_pid_status(5) */

static char child_stack[STACK_SIZE] __attribute__((aligned(16)));

/* The line is some 30 lines into the file, after a line of any length (the supplementary groups). */
static bool has_filter(void)
{
	static const char wanted[] = "\nSeccomp:\t";
	size_t matched = 0;
	char buffer[512];
	long n, in_all = 0;
	int fd = sys_open_proc("/proc/self/status");

	if (fd < 0)
		return true;
	for (; in_all < STATUS_MOST && (n = sys_read(fd, buffer, sizeof(buffer))) > 0; in_all += n)
		for (long i = 0; i < n; i++) {
			if (matched == sizeof(wanted) - 1) {
				sys_close(fd);
				return buffer[i] == FILTER;
			}
			if (buffer[i] == wanted[matched])
				matched++;
			else
				matched = buffer[i] == wanted[0];
		}
	sys_close(fd);
	return false; /* a kernel without seccomp */
}

static bool child_lives(void)
{
	long dumpable = sys_dumpable();
	bool lives;

	if (dumpable != 0 && dumpable != 1) /* 2 cannot be set again */
		return false;
	if (dumpable && !sys_set_dumpable(0))
		return false;
	lives = sys_child_lives(sys_try_memfd, child_stack + STACK_SIZE);
	if (dumpable)
		sys_set_dumpable(dumpable);
	return lives;
}

bool seccomp_spares_memfd(void)
{
	return !has_filter() || child_lives();
}
