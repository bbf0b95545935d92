// SPDX-License-Identifier: BSD-2-Clause
/* Filters that kill the process for one of the agent's system calls. Each is tried in a process of its own. */
#include "uprobes/agent/seccomp.h"
#include "tests/lib/test.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct report {
	enum frt_result result;
	bool children; /* are left */
	long dumpable;
};

#define NO_FILTERS 99

/* As in qemu-user. */
static void skip_without_filters(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTERS)
		skip();
}

static void filter_on(uint32_t call, uint32_t action)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = 4, .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(NO_FILTERS);
}

static void filtered_process(uint32_t call, uint32_t action, bool launch, int to)
{
	struct report r;

	filter_on(call, action);
	r.result = seccomp_try(launch);
	if (call == SYS_waitid)
		r.children = waitpid(-1, NULL, __WALL | WNOHANG) >= 0;
	else
		r.children = !waitid(P_ALL, 0, NULL, WEXITED | WNOHANG | __WALL);
	r.dumpable = sys_dumpable();
	_exit(write(to, &r, sizeof(r)) != sizeof(r));
}

/* What seccomp_try() says in a process with such a filter. The process must live. */
static enum frt_result tried(uint32_t call, uint32_t action, bool launch)
{
	struct report r = {0};
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		filtered_process(call, action, launch, ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	skip_without_filters(status);
	if (status)
		fail_msg("system call %u: status %x", call, status);
	assert_int_equal(read(ends[0], &r, sizeof(r)), sizeof(r));
	assert_false(r.children);
	assert_int_equal(r.dumpable, sys_dumpable());
	close(ends[0]);
	close(ends[1]);
	return r.result;
}

CASE(without_a_filter_nothing_is_tried)
{
	assert_int_equal(seccomp_try(true), FRT_DONE);
	assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

CASE(call_that_kills_is_named_and_kills_a_child_only)
{
	for (uint32_t i = SYS_TRY_LAUNCHES; i < SYS_TRIES; i++) {
		uint32_t call = sys_try_number(i);
		enum frt_result result = tried(call, SECCOMP_RET_KILL_PROCESS, true);

		assert_int_equal(result, FRT_CALL_KILLS | call);
		assert_int_equal(seccomp_refuses_connection(result), i < SYS_TRY_OTHERS);
	}
	assert_int_equal(tried(SYS_memfd_create, SECCOMP_RET_KILL_THREAD, true), FRT_CALL_KILLS | SYS_memfd_create);
	assert_int_equal(tried(SYS_memfd_create, SECCOMP_RET_TRAP, true), FRT_CALL_KILLS | SYS_memfd_create);
}

CASE(call_that_only_a_launch_makes_does_not_matter_to_an_attach)
{
	for (uint32_t i = SYS_TRY_LAUNCHES; i < SYS_TRY_OTHERS; i++)
		assert_int_equal(tried(sys_try_number(i), SECCOMP_RET_KILL_PROCESS, false), FRT_DONE);
}

CASE(call_that_fails_is_left_to_the_caller)
{
	for (uint32_t i = 0; i < SYS_TRIES; i++)
		assert_int_equal(tried(sys_try_number(i), SECCOMP_RET_ERRNO | EPERM, true), FRT_DONE);
}

CASE(either_way_to_wait_is_enough)
{
	for (uint32_t i = SYS_TRY_WAITS; i < SYS_TRY_LAUNCHES; i++)
		assert_int_equal(tried(sys_try_number(i), SECCOMP_RET_KILL_PROCESS, true), FRT_DONE);
}

/* This libc makes threads by one of the two. The other one may kill. */
CASE(child_is_made_as_the_threads_are)
{
#if __GLIBC_PREREQ(2, 34)
	assert_int_equal(tried(SYS_clone, SECCOMP_RET_KILL_PROCESS, true), FRT_DONE);
	assert_int_equal(tried(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS, true), FRT_DONE);
	assert_int_equal(tried(SYS_clone3, SECCOMP_RET_ERRNO | EPERM, true), FRT_SECCOMP);
#else
	assert_int_equal(tried(SYS_clone3, SECCOMP_RET_KILL_PROCESS, true), FRT_DONE);
	assert_int_equal(tried(SYS_clone, SECCOMP_RET_ERRNO | EPERM, true), FRT_SECCOMP);
#endif
}

CASE(sleep_needs_no_call_that_a_jvm_can_do_without)
{
	uint64_t begin = sys_monotonic_ns();
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		filter_on(SYS_nanosleep, SECCOMP_RET_KILL_PROCESS);
		sys_sleep_ms(50);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	skip_without_filters(status);
	assert_int_equal(status, 0);
	assert_true(sys_monotonic_ns() - begin >= 50000000);
}
