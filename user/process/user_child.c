// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/user_child.h"
#include "user/process/child.h"
#include "user/process/interrupt.h"
#include "user/process/rights.h"
#include "user/process/root_path.h"
#include "user/text/io.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define GRACE_MS 2000 /* extra time for the child after its own deadline, before it is killed */
#define REAP_MS	 1000 /* time for a killed child to end; one that waits for a dead file system does not */

/* The message in the pipe, followed by `length` bytes of text. */
struct outcome {
	int result, code;
	uint64_t length;
	bool has_text;
	struct diag d;
};

const char *user_name(uid_t uid, char *out, size_t size)
{
	struct passwd entry, *found = NULL;
	char buffer[4096];

	if (getpwuid_r(uid, &entry, buffer, sizeof(buffer), &found) == 0 && found)
		snprintf(out, size, "%s", found->pw_name);
	else
		snprintf(out, size, "%u", uid);
	return out;
}

void answer_release(struct answer *a)
{
	free(a->text);
	*a = (struct answer){0};
}

/* Become the target's user for good: real, effective and saved ids. */
static int take_user(const struct user_child *h, struct diag *d)
{
	const struct target *t = h->target;
	struct proc_status status = {0};
	char *text, name[64], why[RIGHT_TEXT];

	if (target_is_same_user(t))
		return 0;
	text = proc_read_fd(h->status, 65536, NULL);
	if (!text || proc_parse_status(text, &status))
		status.group_count = 0;
	free(text);
	if (setgroups(status.group_count, status.groups) && geteuid() == 0)
		return diag_set(d, errno, "cannot set the groups of process %d: %s", t->pid,
				right_why(RIGHT_GROUP, errno, why));
	if (setresgid(t->gid, t->gid, t->gid) && geteuid() == 0)
		return diag_set(d, errno, "cannot set group %u of process %d: %s", t->gid, t->pid,
				right_why(RIGHT_GROUP, errno, why));
	if (geteuid() != t->uid && setresuid(t->uid, t->uid, t->uid))
		return diag_set(
			d, errno,
			"cannot attach to process %d of user '%s': no rights (%s): run with sudo or as that user",
			t->pid, user_name(t->uid, name, sizeof(name)), right_why(RIGHT_USER, errno, why));
	return 0;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Close the parent's descriptors: BPF links must not stay open in the child. */
static void close_others(const struct user_child *h, int out)
{
	int keep[] = {h->root, h->cwd, h->tmp, h->status, h->target->pidfd, h->target->memory, h->kept, out};
	unsigned int from = 3;

	qsort(keep, sizeof(keep) / sizeof(keep[0]), sizeof(int), compare_ints);
	for (size_t i = 0; i < sizeof(keep) / sizeof(keep[0]); i++) {
		if (keep[i] < (int)from)
			continue;
		if ((unsigned int)keep[i] > from)
			syscall(SYS_close_range, from, keep[i] - 1, 0);
		from = keep[i] + 1;
	}
	syscall(SYS_close_range, from, ~0u, 0);
}

/*
 * Ctrl-C reaches the whole process group. The child finishes and cleans up in the time that it has. A write that fails
 * has a message (SIGPIPE, SIGXFSZ).
 */
static void child_signals(void)
{
	static const char ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, 0};
	sigset_t set;

	for (int s = 1; s < NSIG; s++)
		if (s != SIGCHLD)
			signal(s, strchr(ignored, s) ? SIG_IGN : SIG_DFL);
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

static void child(struct user_child *h, user_child_work *work, void *context, int out)
{
	struct outcome outcome = {0};
	struct answer answer = {0};

	child_signals();
	close_others(h, out);
	outcome.result = take_user(h, &outcome.d);
	if (!outcome.result)
		outcome.result = work(h, context, &answer, &outcome.d);
	outcome.code = answer.code;
	outcome.has_text = answer.text;
	outcome.length = answer.text ? answer.length : 0;
	if (!io_write_all(out, &outcome, sizeof(outcome)))
		io_write_all(out, answer.text, outcome.length);
	_exit(0);
}

/*
 * Read all of `size` bytes before the deadline and the grace time. Returns 0; -ETIMEDOUT; -EINTR; -EPIPE: the
 * child ended before.
 */
static int user_child_read_all(int fd, void *data, size_t size, struct user_child *h)
{
	struct pollfd poller = {fd, POLLIN, 0};
	char *at = data;
	ssize_t n;

	while (size) {
		if (!h->cleanup && interrupted())
			return -EINTR;
		n = poll(&poller, 1, interrupt_slice(deadline_left(h->deadline + GRACE_MS)));
		if ((n < 0 && errno == EINTR) || (n == 0 && deadline_left(h->deadline + GRACE_MS)))
			continue;
		if (n == 0)
			return -ETIMEDOUT;
		n = read(fd, at, size);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return n ? -errno : -EPIPE;
		at += n;
		size -= n;
	}
	return 0;
}

static int collect(int fd, struct user_child *h, struct answer *out, struct diag *d, int *result)
{
	struct outcome outcome;
	int r = user_child_read_all(fd, &outcome, sizeof(outcome), h);

	if (r)
		return r;
	out->code = outcome.code;
	if (outcome.has_text) {
		out->text = malloc(outcome.length + 1);
		if (!out->text)
			return -ENOMEM;
		r = user_child_read_all(fd, out->text, outcome.length, h);
		out->text[outcome.length] = 0;
		out->length = outcome.length;
	}
	if (outcome.result)
		*d = outcome.d;
	*result = outcome.result;
	return r;
}

/* Explain why there is no outcome; the child has been killed. */
static int user_child_explain(const struct user_child *h, int err, bool reaped, struct diag *d)
{
	const struct target *t = h->target;

	if (err == -EINTR)
		return diag_set(d, EINTR, "cannot attach to process %d '%s': interrupted", t->pid, t->name);
	if (!reaped)
		return diag_set(d, ETIMEDOUT, "cannot attach to process %d '%s': its /tmp does not answer", t->pid,
				t->name);
	if (err == -ETIMEDOUT)
		return diag_set(d, ETIMEDOUT, "cannot attach to process %d: no answer within the time", t->pid);
	return diag_set(d, -err, "cannot attach to process %d: the helper process died", t->pid);
}

static int child_work(struct user_child *h, user_child_work *work, void *context, struct answer *out, bool *abandoned,
		      struct diag *d)
{
	int pipe_fds[2], r, result = 0;
	bool reaped;
	pid_t pid;

	if (!h->cleanup && interrupted())
		return user_child_explain(h, -EINTR, true, d);
	if (pipe2(pipe_fds, O_CLOEXEC))
		return diag_errno(d, errno, "cannot make a pipe");
	pid = fork();
	if (pid == 0)
		child(h, work, context, pipe_fds[1]);
	close(pipe_fds[1]);
	if (pid < 0) {
		close(pipe_fds[0]);
		return diag_errno(d, errno, "cannot fork");
	}
	r = collect(pipe_fds[0], h, out, d, &result);
	close(pipe_fds[0]);
	if (r)
		kill(pid, SIGKILL);
	reaped = child_reap(pid, REAP_MS);
	if (!r)
		return result;
	*abandoned = reaped;
	return user_child_explain(h, r, reaped, d);
}

static struct user_child prepare_helper(const struct target *t, int timeout_ms)
{
	int64_t now = monotonic_ms();

	return (struct user_child){
		.target = t, .root = -1, .cwd = -1, .tmp = -1, .status = -1, .kept = -1, .deadline = now + timeout_ms};
}

static int open_and_run(struct user_child h, user_child_work *work, void *context, struct answer *out, bool *abandoned,
			struct diag *d)
{
	const struct target *t = h.target;
	char name[64], why[RIGHT_TEXT];
	bool killed = false;
	int r;

	*out = (struct answer){0};
	h.status = proc_open(t->pid, "status");
	h.root = h.status < 0 ? -errno : root_path_open(t, "root");
	if (h.root == -ENOENT || h.root == -ESRCH ||
	    (h.root >= 0 && target_ended(t))) { /* the opened directories belong to the target */
		r = diag_set(d, ESRCH, "cannot attach to process %d: it has ended", t->pid);
		goto out;
	}
	if (h.root < 0) {
		r = diag_set(d, -h.root,
			     "cannot attach to process %d of user '%s': no rights (%s): run with sudo or as that user",
			     t->pid, user_name(t->uid, name, sizeof(name)), right_why(RIGHT_LOOK, -h.root, why));
		goto out;
	}
	root_path_root_name(t, h.root_name, sizeof(h.root_name));
	h.cwd = root_path_open(t, "cwd");
	h.tmp = root_path_open_at(h.root, "/tmp", O_PATH | O_DIRECTORY);
	r = child_work(&h, work, context, out, &killed, d);
	if (r) {
		int code = out->code;

		answer_release(out);
		out->code = code;
	}
	if (abandoned)
		*abandoned = killed;
out:
	for (int *fd = (int[]){h.status, h.root, h.cwd, h.tmp, -1}, i = 0; i < 4; i++)
		io_close(fd[i]);
	return r;
}

int user_child_run(const struct target *t, user_child_work *work, void *context, int timeout_ms, struct answer *out,
		   bool *abandoned, struct diag *d)
{
	return open_and_run(prepare_helper(t, timeout_ms), work, context, out, abandoned, d);
}

int user_child_run_keeping(int kept, const struct target *t, user_child_work *work, void *context, int timeout_ms,
			   struct answer *out, bool *abandoned, struct diag *d)
{
	struct user_child h = prepare_helper(t, timeout_ms);

	h.kept = kept;
	return open_and_run(h, work, context, out, abandoned, d);
}

void user_child_clean_up(const struct target *t, user_child_work *work, void *context, int timeout_ms)
{
	struct user_child h = prepare_helper(t, timeout_ms);
	struct answer answer;
	struct diag ignored;

	h.cleanup = true;
	open_and_run(h, work, context, &answer, NULL, &ignored);
	answer_release(&answer);
}
