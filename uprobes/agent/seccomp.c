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

static bool for_launch;
static uint32_t trying; /* written by the child, which shares the memory */

static void try_calls(void)
{
	for (uint32_t i = load_relaxed(&trying); i < SYS_TRIES; store_relaxed(&trying, ++i))
		if (for_launch || i < SYS_TRY_LAUNCHES || i >= SYS_TRY_OTHERS)
			sys_try(i);
}

/*
 * The agent itself needs to wait for its children only. If a call for that kills, it is left out, and the next child goes on
 * behind it. If all of them do, the children stay zombies until the JVM ends.
 */
static enum frt_result run_children(void)
{
	uint32_t children = 0, refused = 0, reached = 0;
	long child[SYS_TRY_LAUNCHES + 1];
	bool made;

	do {
		store_relaxed(&trying, reached);
		child[children] = sys_run_child(try_calls, child_stack, STACK_SIZE);
		made = child[children] > 0;
		children += made;
		reached = load_relaxed(&trying);
		if (reached < SYS_TRY_LAUNCHES)
			refused |= 1u << reached;
	} while (made && reached++ < SYS_TRY_LAUNCHES);
	for (uint32_t i = 0; i < children; i++)
		sys_reap(child[i], refused);
	if (!made)
		return FRT_SECCOMP;
	reached = load_relaxed(&trying);
	return reached == SYS_TRIES ? FRT_DONE : FRT_CALL_KILLS | sys_try_number(reached);
}

enum frt_result seccomp_try(bool launch)
{
	enum frt_result result;
	long dumpable;

	if (!has_filter())
		return FRT_DONE;
	for_launch = launch;
	dumpable = sys_dumpable();
	if (dumpable != 0 && dumpable != 1) /* 2 cannot be set again */
		return FRT_SECCOMP;
	if (dumpable && !sys_set_dumpable(0))
		return FRT_SECCOMP;
	result = run_children();
	if (dumpable)
		sys_set_dumpable(dumpable);
	return result;
}

bool seccomp_refuses_connection(enum frt_result result)
{
	for (uint32_t i = SYS_TRY_LAUNCHES; i < SYS_TRY_OTHERS; i++)
		if (result == (FRT_CALL_KILLS | sys_try_number(i)))
			return true;
	return false;
}
