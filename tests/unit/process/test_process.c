// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/process/find.h"
#include "user/process/target.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_target(const char *spec, struct diag *d)
{
	struct target t;
	int r;

	memset(d, 0, sizeof(*d));
	r = target_open(spec, &t, d);
	target_close(&t);
	assert_int_equal(t.pidfd, -1);
	return r;
}

CASE(impossible_target_is_a_usage_error)
{
	static const char *const words[] = {"", "0", "00000", "1234567890123"};
	struct diag d;

	for (int i = 0; i < 4; i++) {
		assert_int_equal(open_target(words[i], &d), -EINVAL);
		assert_int_equal(d.usage, 1);
	}
}

CASE(pid_without_process_is_reported)
{
	struct diag d;

	assert_int_equal(open_target("999999999", &d), -ESRCH);
	assert_string_equal(d.text, "no process 999999999");
	assert_int_equal(d.usage, 0);
}

CASE(process_that_is_no_jvm_is_named)
{
	char spec[16];
	struct diag d;

	snprintf(spec, sizeof(spec), "%d", getpid());
	assert_int_equal(open_target(spec, &d), -ENOEXEC);
	assert_contains(d.text, "'test_process') is not a JVM");
}

CASE(unknown_name_is_quoted)
{
	struct diag d;

	assert_int_equal(open_target("no.such.Main%s%n", &d), -ESRCH);
	assert_contains(d.text, "'no.such.Main%s%n'");
	assert_int_equal(open_target("-5", &d), -ESRCH);
}

static struct target child_target(int pidfd)
{
	struct target t = {.pidfd = -1};

	t.pid = fork();
	if (t.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	if (pidfd)
		t.pidfd = syscall(SYS_pidfd_open, t.pid, 0);
	return t;
}

static void wait_until_zombie(pid_t pid)
{
	siginfo_t info;

	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
}

CASE(a_zombie_has_ended)
{
	struct target t = child_target(1);

	assert_true(t.pidfd >= 0);
	assert_false(target_ended(&t));
	wait_until_zombie(t.pid);
	assert_true(target_ended(&t));
	assert_int_equal(target_cpu_ns(&t), 0);
	waitpid(t.pid, NULL, 0);
	assert_true(target_ended(&t));
	target_close(&t);
}

CASE(without_pidfd_state_and_start_time_show_the_end)
{
	struct target t = child_target(0), self = {.pid = getpid(), .pidfd = -1, .start_time = 1};

	assert_true(target_ended(&t)); /* start_time 0 is not that of the process: its pid was reused */
	wait_until_zombie(t.pid);
	assert_true(target_ended(&t));
	waitpid(t.pid, NULL, 0);
	assert_true(target_ended(&t));
	assert_true(target_ended(&self));
}

CASE(cpu_time_grows_with_work)
{
	struct target t = {.pid = getpid(), .pidfd = -1};
	uint64_t before;
	volatile unsigned long n = 0;

	t.pidfd = syscall(SYS_pidfd_open, t.pid, 0);
	before = target_cpu_ns(&t);
	while (target_cpu_ns(&t) == before && n < 100000000)
		n++;
	assert_true(before > 0);
	assert_true(target_cpu_ns(&t) > before);
	target_close(&t);
}

CASE(closing_twice_closes_once)
{
	struct target t = {.pidfd = dup(2)};

	target_close(&t);
	target_close(&t);
	assert_int_equal(t.pidfd, -1);
}

CASE(a_thread_is_told_by_its_start_and_name)
{
	static const char name[16] = "odd ) (name", other[16] = "odd ) (nam";
	uint64_t ns;
	uint32_t started;
	struct target t;

	assert_int_equal(prctl(PR_SET_NAME, name), 0);
	assert_int_equal(target_read(getpid(), &t), 0);
	ns = t.start_time * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
	started = (uint32_t)(ns >> 20);
	assert_true(target_task_is(&t, (uint32_t)getpid(), name, started, 20));
	assert_false(target_task_is(&t, (uint32_t)getpid(), other, started, 20));
	assert_false(target_task_is(&t, (uint32_t)getpid(), name, started - 1, 20));
	assert_false(target_task_is(&t, (uint32_t)getpid(), name, started + 20, 20));
	assert_false(target_task_is(&t, 999999999, name, started, 20));
	t.own_pid_ns_ino = t.pid_ns_ino + 1;
	assert_false(target_task_is(&t, (uint32_t)getpid(), name, started, 20));
}
