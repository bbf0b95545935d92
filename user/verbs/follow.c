// SPDX-License-Identifier: BSD-2-Clause
/*
 * frtrace --follow: a small process that waits for JVMs, and forks a recording for each. So a JVM that breaks its
 * recording breaks no other one, and memory is bounded by the number of recordings.
 */
#include "user/verbs/verbs.h"
#include "user/capture/exec_watch.h"
#include "user/exit.h"
#include "user/run/loop.h"
#include "user/process/machine.h"
#include "user/process/proc.h"
#include "user/process/rights.h"
#include "user/process/syscall_filter.h"
#include "user/record/retention.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"
#include "user/verbs/started.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST	  32		/* recordings at a time: each takes up to 64 MB, and 8 MB for its queue */
#define SCAN_MS	  50		/* without exec_watch */
#define LIMIT_NS  10000000000LL /* between two looks at the size of all recordings */
#define LIMIT_MS  (LIMIT_NS / 1000000)
#define LEAVE_MS  10000 /* time for recordings to end, after a second Ctrl-C */
#define HANG_MS	  700	/* without a sign of life of one that is to end, while it reads another process */
#define PULSE_MS  100
#define FIXED_FDS 2 /* to poll, besides those of the recordings */
#define PID_TEXT  16
#define SAID_MOST \
	100 /* JVMs an hour that are not traced, by a line: whoever starts more of them must not fill the log */
#define SAID_NS 3600000000000LL

struct followed {
	pid_t jvm, recorder;
	uint64_t start_time; /* of the JVM */
	int end;	     /* a pidfd of the recorder: readable when it has ended */
	struct proc_pulse pulse;
};

struct follow {
	const struct settings *settings;
	int signals;		  /* a signalfd */
	struct exec_watch *watch; /* NULL: processes are looked for in /proc */
	struct started *started;
	int last_pid; /* at the last look into /proc */
	int nice;     /* of frtrace as it was started */
	bool overrun; /* it has been said that there are too many processes */
	struct followed jvm[MOST];
	unsigned int count;
	uint64_t traced, incomplete, failed;
	unsigned int said; /* of those that failed, until said_until (CLOCK_MONOTONIC) */
	int64_t said_until;
	int64_t limit_due; /* of --max-total, CLOCK_MONOTONIC */
	bool limit_failed; /* it has been said */
};

/* In the child. Ends the process. */
static void follow_record(struct follow *f, const struct target *jvm, pid_t parent)
{
	struct settings settings = *f->settings;
	const struct condition_list none = {0};
	struct diag d = {0};
	char pid[PID_TEXT], prefix[PID_TEXT + 2];
	int status;

	prctl(PR_SET_PDEATHSIG, SIGINT);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	setpriority(PRIO_PROCESS, 0, f->nice);
	exec_watch_close(f->watch);
	loop_signals_close(f->signals);
	for (unsigned int i = 0; i < f->count; i++)
		close(f->jvm[i].end);
	started_free(f->started);
	snprintf(pid, sizeof(pid), "%d", (int)jvm->pid);
	snprintf(prefix, sizeof(prefix), "%s: ", pid);
	log_set_prefix(prefix);
	settings.target = pid;
	settings.start_time = jvm->start_time;
	settings.follow = NULL;
	settings.duration_ns = 0;
	settings.one_of_many = true;
	status = cmd_record(&settings, &none, &d);
	if (status < 0 && f->said < SAID_MOST)
		log_error("frtrace: %s", d.text);
	fflush(stdout);
	_exit(status < 0 ? EXIT_FAILED : status);
}

/* A JVM is not traced, which a line has said unless there were many. */
static void follow_count_failure(struct follow *f)
{
	int64_t now = monotonic_ns();

	f->failed++;
	if (now >= f->said_until) {
		f->said = 0;
		f->said_until = now + SAID_NS;
	}
	if (++f->said == SAID_MOST)
		log_error("%d JVMs were not traced: further ones of this hour are only counted", SAID_MOST);
}

static void follow_refuse(struct follow *f, const struct target *t)
{
	if (f->said < SAID_MOST)
		log_error("not traced: %d %s: %d JVMs are being traced, and --follow traces no more at a time",
			  (int)t->pid, t->name, MOST);
	follow_count_failure(f);
}

static void follow_begin(struct follow *f, const struct target *t)
{
	pid_t parent = getpid(), child;
	int end;

	if (f->count == MOST) {
		follow_refuse(f, t);
		return;
	}
	child = fork();
	if (!child)
		follow_record(f, t, parent);
	end = child < 0 ? -1 : syscall(SYS_pidfd_open, child, 0);
	if (end < 0) {
		if (f->said < SAID_MOST)
			log_error("not traced: %d %s: cannot fork: %s", (int)t->pid, t->name, strerror(errno));
		follow_count_failure(f);
		return;
	}
	f->jvm[f->count++] =
		(struct followed){.jvm = t->pid, .recorder = child, .start_time = t->start_time, .end = end};
}

static bool follow_has(const struct follow *f, pid_t jvm)
{
	for (unsigned int i = 0; i < f->count; i++)
		if (f->jvm[i].jvm == jvm)
			return true;
	return false;
}

/* Its name is unknown, so it may be one of those that are asked for. */
static void follow_refuse_mute(struct follow *f, const struct sight *jvm)
{
	struct diag why;

	look_why_mute(jvm->error, &why);
	if (f->said < SAID_MOST)
		log_error("not traced: %d %s: %s", (int)jvm->target.pid, jvm->target.name, why.text);
	follow_count_failure(f);
}

/* A JVM may have the number of one that has ended, but whose recording has not: it is another process. */
static bool follow_traces(const struct follow *f, const struct target *t)
{
	for (unsigned int i = 0; i < f->count; i++)
		if (f->jvm[i].jvm == t->pid && f->jvm[i].start_time == t->start_time)
			return true;
	return false;
}

static enum started_verdict follow_visit(const struct sight *jvm, void *context)
{
	struct follow *f = context;

	if (follow_traces(f, &jvm->target))
		return STARTED_AGAIN;
	if (jvm->kind == TARGET_MUTE) {
		follow_refuse_mute(f, jvm);
		return STARTED_DONE;
	}
	if (!jvm->runs || !sight_is_named(jvm, f->settings->follow))
		return STARTED_AGAIN;
	follow_begin(f, &jvm->target);
	return STARTED_DONE;
}

static void follow_settle(struct follow *f, pid_t jvm, int status)
{
	int result = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;

	if (WIFSIGNALED(status))
		log_error("%d: frtrace: the recording was ended by signal %d", (int)jvm, WTERMSIG(status));
	f->incomplete += result == EXIT_INCOMPLETE;
	if (result == EXIT_DONE || result == EXIT_INCOMPLETE)
		f->traced++;
	else
		follow_count_failure(f);
}

static void follow_reap(struct follow *f)
{
	int status;

	for (unsigned int i = 0; i < f->count;) {
		struct followed *one = &f->jvm[i];

		if (waitpid(one->recorder, &status, WNOHANG) != one->recorder) {
			i++;
			continue;
		}
		follow_settle(f, one->jvm, status);
		close(one->end);
		*one = f->jvm[--f->count];
	}
}

static void follow_say_overrun(struct follow *f)
{
	if (!f->overrun)
		log_error("too many processes start at the same time: JVMs among them may be missed");
	f->overrun = true;
}

static void on_exec(pid_t pid, void *context)
{
	struct follow *f = context;

	if (!started_add(f->started, pid))
		follow_say_overrun(f);
}

/* The name of a recording's directory ends with the JVM's pid. */
static bool follow_is_made(const char *name, const void *context)
{
	const char *pid = strrchr(name, '_');

	return pid && follow_has(context, atoi(pid + 1));
}

/* A look takes as long as there are chunks: it must not take more than 1 % of the time. */
static void follow_limit(struct follow *f)
{
	const struct retention r = {
		.path = f->settings->output, .most = f->settings->max_total, .is_made = follow_is_made, .context = f};
	int64_t now = monotonic_ns(), removed, took;
	struct diag d;

	if (!r.most || now < f->limit_due)
		return;
	removed = retention_apply(&r, &d);
	if (removed < 0 && !f->limit_failed)
		log_error("--max-total: %s", d.text);
	f->limit_failed = removed < 0;
	if (removed > 0)
		log_detail("--max-total: %s of the oldest chunks were removed", log_bytes(removed));
	took = monotonic_ns() - now;
	f->limit_due = now + (took * 100 > LIMIT_NS ? took * 100 : LIMIT_NS);
}

/* Find the processes that have been started. */
static void follow_look_out(struct follow *f)
{
	int last = f->watch ? 0 : machine_last_pid();
	bool scan = f->watch ? exec_watch_lost(f->watch) : last != f->last_pid || !last;

	if (f->watch)
		exec_watch_read(f->watch, on_exec, f);
	f->last_pid = last;
	if (scan && !started_scan(f->started))
		follow_say_overrun(f);
}

/* Wait until something happens. True: there was a signal. */
static bool follow_wait(const struct follow *f, bool ending, int timeout_ms)
{
	struct pollfd fds[FIXED_FDS + MOST] = {
		{.fd = f->signals, .events = POLLIN},
		{.fd = f->watch && !ending ? exec_watch_fd(f->watch) : -1, .events = POLLIN}};
	struct signalfd_siginfo s;

	for (unsigned int i = 0; i < f->count; i++)
		fds[FIXED_FDS + i] = (struct pollfd){f->jvm[i].end, POLLIN, 0};
	poll(fds, FIXED_FDS + f->count, timeout_ms);
	return fds[0].revents && read(f->signals, &s, sizeof(s)) == sizeof(s);
}

static int follow_timeout(const struct follow *f, int next_ms, int64_t end)
{
	int64_t left = end == INT64_MAX ? -1 : (end - monotonic_ns()) / 1000000 + 1;

	if (!f->watch && (next_ms < 0 || next_ms > SCAN_MS))
		next_ms = SCAN_MS;
	if (f->settings->max_total && (next_ms < 0 || next_ms > LIMIT_MS))
		next_ms = LIMIT_MS;
	if (left >= 0 && (next_ms < 0 || left < next_ms))
		return left;
	return next_ms;
}

static void follow_run(struct follow *f)
{
	int64_t end = f->settings->duration_ns ? monotonic_ns() + (int64_t)f->settings->duration_ns : INT64_MAX;
	int next_ms = 0;

	while (monotonic_ns() < end && !follow_wait(f, false, follow_timeout(f, next_ms, end))) {
		follow_reap(f);
		follow_limit(f);
		follow_look_out(f);
		next_ms = started_look(f->started, follow_visit, f);
	}
}

/* It goes on when it can, and ends then. */
static void follow_leave(struct follow *f, unsigned int i)
{
	const struct followed *one = &f->jvm[i];

	log_error("%d: frtrace: the recording does not end, and is left behind", (int)one->jvm);
	close(one->end);
	f->jvm[i] = f->jvm[--f->count];
	f->failed++;
}

/*
 * Reading the memory of a hostile JVM may hang for ever (user/process/apart.h). A disk that takes its time does not: the
 * recording is written to it.
 */
static bool follow_hangs(struct followed *one)
{
	static const char *const reading[] = {"remote_vm", "fuse", "m_start", "proc_", NULL};

	return proc_rests_ms(one->recorder, &one->pulse) > HANG_MS && proc_sleeps_in(one->recorder, reading);
}

static void follow_leave_hanging(struct follow *f)
{
	for (unsigned int i = f->count; i-- > 0;)
		if (follow_hangs(&f->jvm[i]))
			follow_leave(f, i);
}

static void follow_leave_all(struct follow *f)
{
	while (f->count) {
		kill(f->jvm[0].recorder, SIGKILL);
		follow_leave(f, 0);
	}
}

/* The recordings that are being made are finished, as by Ctrl-C. A second Ctrl-C stops waiting for their JVMs. */
static void follow_end(struct follow *f)
{
	bool again = true;
	int64_t until = INT64_MAX;

	while (f->count && monotonic_ms() < until) {
		for (unsigned int i = 0; again && i < f->count; i++)
			kill(f->jvm[i].recorder, SIGINT);
		again = follow_wait(f, true, PULSE_MS);
		follow_reap(f);
		follow_leave_hanging(f);
		if (again && until == INT64_MAX)
			until = monotonic_ms() + LEAVE_MS;
	}
	follow_leave_all(f);
	f->limit_due = 0;
	follow_limit(f);
}

static int follow_open(struct follow *f, struct diag *d)
{
	char missing[RIGHTS_TEXT];
	struct diag why;
	int err;

	rights_missing(RIGHT_BPF, RIGHT_UPROBES, missing);
	if (missing[0])
		return diag_set(d, EPERM, "cannot trace: rights are missing: %s: %s", missing, right_advice());
	err = rights_check_bpf(d);
	if (err)
		return err;
	f->started = started_new();
	if (!f->started)
		return diag_errno(d, ENOMEM, "cannot begin");
	if (exec_watch_open(&f->watch, &why))
		log_line("new processes are looked for in /proc, each %d ms: %s", SCAN_MS, why.text);
	err = loop_signals(&f->signals, false, d);
	if (!err)
		started_scan(f->started);
	f->last_pid = machine_last_pid();
	return err;
}

/* The recordings inherit it, and load narrower ones later. */
static void follow_confine(const struct follow *f)
{
	struct diag no_filter;

	if (syscall_filter_load((struct rights_later){.start = true, .mount = f->settings->mount}, &no_filter))
		log_detail("%s", no_filter.text);
}

static int follow_report(const struct follow *f, struct diag *d)
{
	const char *part, *what = target_spec_of(f->settings->follow, &part);

	if (!f->traced && !f->failed)
		return diag_set(d, ESRCH, "no JVM whose %s contains '%s' was started", what, part);
	log_line("%s JVM%s traced, %s not traced", log_count(f->traced), f->traced == 1 ? "" : "s",
		 log_count(f->failed));
	if (!f->traced)
		return EXIT_FAILED;
	return f->incomplete || f->failed ? EXIT_INCOMPLETE : EXIT_DONE;
}

int cmd_follow(const struct settings *settings, struct diag *d)
{
	struct follow f = {.settings = settings, .signals = -1};
	int err;

	log_set(settings->quiet, settings->verbose);
	/* A JVM that uses all CPUs must not keep it from being found in time. May fail. */
	f.nice = getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, -20);
	err = follow_open(&f, d);
	if (!err) {
		const char *part, *what = target_spec_of(settings->follow, &part);

		log_line("following JVMs whose %s contains '%s', at most %d at a time.  Ctrl-C ends", what, part, MOST);
		follow_confine(&f);
		follow_run(&f);
		follow_end(&f);
		err = follow_report(&f, d);
	}
	exec_watch_close(f.watch);
	started_free(f.started);
	loop_signals_close(f.signals);
	return err;
}
