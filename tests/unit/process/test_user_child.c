// SPDX-License-Identifier: BSD-2-Clause
/* The helper child, with this process itself as the target. */
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"
#include "user/process/user_child.h"
#include "user/process/interrupt.h"
#include "user/text/monotonic.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct target self(void)
{
	static int pidfd;

	pidfd = pidfd ? pidfd : (int)syscall(SYS_pidfd_open, getpid(), 0);
	return (struct target){.pid = getpid(), .ns_pid = getpid(), .pidfd = pidfd, .uid = geteuid(), .gid = getegid()};
}

static int answer_work(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	out->code = *(int *)context;
	out->length = 3 << 20;
	out->text = malloc(out->length + 1);
	memset(out->text, 'x', out->length);
	out->text[out->length] = 0;
	return 0;
}

CASE(answer_arrives_complete)
{
	struct target t = self();
	struct answer answer;
	struct diag d;
	int code = 42;

	assert_int_equal(user_child_run(&t, answer_work, &code, 10000, &answer, NULL, &d), 0);
	assert_int_equal(answer.code, 42);
	assert_int_equal(answer.length, 3 << 20);
	assert_int_equal(strlen(answer.text), 3 << 20);
	answer_release(&answer);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static int fail_work(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	out->text = strdup("not for you");
	out->length = 11;
	return diag_set(d, ENOTTY, "what happened in the child");
}

CASE(failure_arrives_with_its_message)
{
	struct target t = self();
	struct answer answer;
	struct diag d = {0};

	assert_int_equal(user_child_run(&t, fail_work, NULL, 10000, &answer, NULL, &d), -ENOTTY);
	assert_string_equal(d.text, "what happened in the child");
	assert_null(answer.text);
}

static int die_work(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	raise(SIGKILL);
	return 0;
}

static int hang_work(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	for (;;)
		pause();
	return 0;
}

CASE(child_that_dies_or_hangs_is_reaped_and_reported)
{
	struct target t = self();
	struct answer answer;
	bool abandoned = false;
	struct diag d;

	assert_int_equal(user_child_run(&t, die_work, NULL, 10000, &answer, &abandoned, &d), -EPIPE);
	assert_true(abandoned);
	abandoned = false;
	assert_int_equal(user_child_run(&t, hang_work, NULL, 10, &answer, &abandoned, &d), -ETIMEDOUT);
	assert_true(abandoned);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* Pretend that SIGKILL does not end the child, as if it waited in the kernel for a file system. */
static bool unkillable;

WRAP(pid_t, waitpid, pid_t pid, int *status, int options)
{
	return unkillable && (options & WNOHANG) ? 0 : __real_waitpid(pid, status, options);
}

CASE(child_that_cannot_be_killed_is_left_behind)
{
	struct target t = self();
	int64_t begun = monotonic_ms();
	struct answer answer;
	bool abandoned = true;
	struct diag d;

	strcpy(t.name, "Shop");
	unkillable = true;
	assert_int_equal(user_child_run(&t, hang_work, NULL, 10, &answer, &abandoned, &d), -ETIMEDOUT);
	unkillable = false;
	assert_contains(d.text, "'Shop': its /tmp does not answer");
	assert_false(abandoned);
	assert_in_range(monotonic_ms() - begun, 2000, 9000); /* the grace time and a second */
	assert_true(waitpid(-1, NULL, 0) > 0);
}

static void block_interrupts(int how)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigprocmask(how, &ends, NULL);
}

/* Send SIGINT to this process in a moment. */
static void interrupt_later(void)
{
	pid_t self = getpid();

	if (fork() == 0) {
		usleep(200000);
		kill(self, SIGINT);
		_exit(0);
	}
}

CASE(waiting_for_a_child_ends_with_ctrl_c)
{
	struct target t = self();
	int64_t begun = monotonic_ms();
	struct answer answer;
	bool abandoned = false;
	struct diag d;
	int code = 1;

	block_interrupts(SIG_BLOCK);
	interrupt_later();
	assert_int_equal(user_child_run(&t, hang_work, NULL, 60000, &answer, &abandoned, &d), -EINTR);
	assert_contains(d.text, "interrupted");
	assert_true(abandoned);
	assert_in_range(monotonic_ms() - begun, 200, 2000);
	assert_int_equal(user_child_run(&t, answer_work, &code, 10000, &answer, NULL, &d), -EINTR);
	while (waitpid(-1, NULL, 0) > 0)
		;
	interrupt_forget();
	block_interrupts(SIG_UNBLOCK);
}

static int count_work(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	++*(volatile int *)context;
	return 0;
}

CASE(cleanup_continues_after_ctrl_c)
{
	int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct target t = self();

	usleep(1100000); /* the signal does not count as that of the previous test */
	block_interrupts(SIG_BLOCK);
	raise(SIGINT);
	assert_true(interrupted());
	user_child_clean_up(&t, count_work, shared, 10000);
	assert_int_equal(*shared, 1);
	assert_true(interrupted());
	interrupt_forget();
	assert_false(interrupted());
	raise(SIGINT);
	assert_false(interrupted()); /* from the same key press */
	usleep(1100000);
	raise(SIGINT);
	assert_true(interrupted());
	interrupt_forget();
	block_interrupts(SIG_UNBLOCK);
	munmap(shared, 4096);
}

static int descriptors_work(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	out->code = fcntl(*(int *)context, F_GETFD) >= 0;
	if (fcntl(h->root, F_GETFD) < 0 || fcntl(h->tmp, F_GETFD) < 0 || fcntl(h->status, F_GETFD) < 0)
		return -EBADF;
	return 0;
}

CASE(child_closes_the_parents_descriptors)
{
	int fds[] = {dup(2), dup(2), fcntl(2, F_DUPFD, 500)};
	struct target t = self();
	struct answer answer;
	struct diag d;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(user_child_run(&t, descriptors_work, &fds[i], 10000, &answer, NULL, &d), 0);
		assert_int_equal(answer.code, 0);
	}
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

static int ids_work(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	uid_t r, e, s;

	getresuid(&r, &e, &s);
	out->code = r == h->target->uid && e == r && s == r && getegid() == h->target->gid;
	return 0;
}

CASE(child_is_the_targets_user_for_good)
{
	struct target t = self();
	struct answer answer;
	struct diag d;

	if (geteuid() != 0) {
		print_message("SKIP: taking on another user needs root\n");
		skip();
	}
	t.uid = 65534;
	t.gid = 65533;
	assert_int_equal(user_child_run(&t, ids_work, NULL, 10000, &answer, NULL, &d), 0);
	assert_int_equal(answer.code, 1);
	assert_int_equal(geteuid(), 0);
}

CASE(works_if_sigchld_is_ignored)
{
	struct target t = self();
	struct answer answer;
	struct diag d;
	int code = 1;

	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(user_child_run(&t, answer_work, &code, 10000, &answer, NULL, &d), 0);
	assert_int_equal(answer.code, 1);
	answer_release(&answer);
	signal(SIGCHLD, SIG_DFL);
}

CASE(gone_target_is_reported)
{
	struct target t = self();
	struct answer answer;
	struct diag d;

	t.pid = 999999999;
	assert_int_equal(user_child_run(&t, hang_work, NULL, 10000, &answer, NULL, &d), -ESRCH);
}

/* Pid and pidfd disagree when the process has ended and its pid was reused. */
CASE(process_with_a_reused_pid_is_not_the_target)
{
	struct target t = self();
	struct answer answer;
	struct diag d;
	pid_t child = fork();
	int code = 1;

	if (child == 0)
		_exit(0);
	t.pidfd = syscall(SYS_pidfd_open, child, 0);
	waitpid(child, NULL, 0);
	assert_int_equal(user_child_run(&t, answer_work, &code, 10000, &answer, NULL, &d), -ESRCH);
	close(t.pidfd);
}
