// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/loop.h"
#include "user/capture/natives.h"
#include "user/process/map_lock.h"
#include "user/run/priority.h"
#include "user/process/rights.h"
#include "user/process/syscall_filter.h"
#include "user/record/losses.h"
#include "user/run/printout.h"
#include "user/run/run.h"
#include "user/text/io.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define BUSY_MS	    5
#define IDLE_MS	    50
#define SWEEP_NS    50000000LL
#define PROGRESS_NS 1000000000LL
#define HINT_NS	    10000000000LL /* first report of why nothing is recorded; the delay then doubles */
#define BUSY_NS	    200000000LL	  /* after a new stack more are likely */

int loop_signals(int *out, bool for_program, struct diag *d)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
	sigset_t set;

	*out = -1;
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	for (size_t i = 0; i < (for_program ? sizeof(signals) / sizeof(signals[0]) : 3); i++)
		sigaddset(&set, signals[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return diag_errno(d, errno, "cannot block signals");
	*out = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return *out < 0 ? diag_errno(d, errno, "cannot make a signalfd") : 0;
}

void loop_signals_close(int signals)
{
	io_close(signals);
}

static uint64_t loop_lost(const struct recording *r)
{
	struct losses lost;

	losses_read(&lost, r->session, r->recorder);
	return lost.sum;
}

/*
 * Wait for records. True: the loop must end because of a signal, a stop request, or the end of the target or the
 * program.
 */
static bool wait_for_more(const struct record_run *run, int timeout_ms)
{
	const struct recording *r = &run->recording;
	struct pollfd fds[6 + PROGRAM_FDS] = {
		{.fd = intake_fd(session_intake(r->session)), .events = POLLIN},
		{.fd = run->signals, .events = POLLIN},
		{.fd = r->target.pidfd, .events = POLLIN},
		{.fd = run->background ? background_fd(run->background) : -1, .events = POLLIN},
		{.fd = live_fd(run->live), .events = POLLIN},
		{.fd = output_pending_fd(r->output), .events = POLLOUT}};

	if (run->program)
		program_poll(run->program, fds + 6);
	poll(fds, run->program ? 6 + PROGRAM_FDS : 6, timeout_ms);
	if (fds[4].revents && !live_serve_keys(run->live, loop_lost(r)))
		return true;
	if (fds[3].revents && background_serve(run->background))
		return true;
	return (run->program ? program_update(run->program) : fds[1].revents) || target_ended(&r->target);
}

struct moments {
	int64_t end, sweep, progress;
	int64_t hint, hint_ns;
	bool reader_gone;   /* nobody reads the live view any more */
	int64_t busy_until; /* poll with the short timeout until then */
};

/* Check the throttle. Throttled methods are only timed from here on; notes in the file and on stderr say so. */
static void loop_check_throttle(const struct recording *r, int64_t now)
{
	struct notes notes = {.count = 0};
	struct throttle_finding found;
	struct diag d = {0};

	if (!r->throttle || !throttle_check(r->throttle, now, &found))
		return;
	notes_of_throttle(&notes, r, &found, now - r->begin_ns);
	notes_put(&notes, r->recorder);
	printout_notes(&notes);
	notes_release(&notes);
	if (found.methods)
		recorder_add_timing(r->recorder);
	if (found.unhooks && session_unhook(r->session, &d))
		recorder_remark(r->recorder, "unhooked", d.text);
}

/* "shop.jfr" has dumps named "shop-dump-2026_11_24_10_30_00.jfr", a directory has them beside itself. */
static void name_dump(const char *recording, char *out, size_t size)
{
	size_t length = strlen(recording);
	time_t now = time(NULL);
	char moment[32];
	struct tm tm;

	while (length && recording[length - 1] == '/')
		length--;
	if (length > 4 && strncmp(recording + length - 4, ".jfr", 4) == 0)
		length -= 4;
	localtime_r(&now, &tm);
	strftime(moment, sizeof(moment), "%Y_%m_%d_%H_%M_%S", &tm);
	snprintf(out, size, "%.*s-dump-%s.jfr", (int)length, recording, moment);
}

/* Nobody waits for a dump that the recording writes by itself, so the files say why it was written. */
static void loop_check_trigger(const struct record_run *run, int64_t now)
{
	struct recorder *recorder = run->recording.recorder;
	const char *cause = run->trigger ? dump_trigger_due(run->trigger, now) : NULL;
	char path[PATH_MAX], text[PATH_MAX + 4096];
	struct diag d = {0};
	uint64_t size;

	if (!cause)
		return;
	name_dump(run->path, path, sizeof(path));
	snprintf(text, sizeof(text), "%s: dumped to %s", cause, path);
	recorder_remark(recorder, "dump", text);
	if (background_dump(run->background, path, 0, &size, &d))
		recorder_remark(recorder, "dump", d.text);
}

/* What is printed while it runs. */
static void loop_print(const struct record_run *run, struct moments *m, int64_t now, bool behind)
{
	const struct recording *r = &run->recording;
	/* The terminal may be the program's, or the live view's. */
	bool progress = log_is_live() && !run->program && !live_has_terminal(run->live) && now >= m->progress;
	bool hint = !behind && now >= m->hint;
	struct run_facts facts;

	if (progress || hint)
		run_facts_read(&facts, r);
	if (progress) {
		printout_progress(r, &facts);
		m->progress = now + PROGRESS_NS;
	}
	if (hint) {
		printout_no_events(r, &facts);
		m->hint_ns *= 2;
		m->hint = now + m->hint_ns;
	}
}

static int loop_sweep(const struct record_run *run, struct moments *m, int64_t now, bool behind, struct diag *d)
{
	const struct recording *r = &run->recording;
	struct intake *in = session_intake(r->session);
	uint64_t lost;
	int err;

	if (!behind) {
		session_sweep(r->session);
		loop_check_throttle(r, now);
		loop_check_trigger(run, now);
	}
	clock_sample(r->clock);
	if (r->clock->set_back)
		return diag_set(d, EIO, "the recording ends: the time stamp counter was set back (a suspend?)");
	lost = loop_lost(r);
	recorder_note_loss(r->recorder, lost);
	if (recorder_forget_methods(r->recorder))
		live_forget_callers(run->live);
	err = recorder_tick(r->recorder, d);
	if (recorder_awaits_paths(r->recorder))
		intake_release_waits(in);
	if (run->live && !behind && !intake_has_pending(in))
		m->reader_gone = !live_tick(run->live, now, lost);
	return err;
}

/*
 * Periodic work. `behind`: spans wait for their stacks, so work that needs complete spans is postponed; chunks, clock
 * and memory are not.
 */
static int loop_maintain(const struct record_run *run, struct moments *m, int64_t now, bool behind, struct diag *d)
{
	int err = 0;

	if (now >= m->sweep) {
		m->sweep = now + SWEEP_NS;
		err = loop_sweep(run, m, now, behind, d);
	}
	if (err)
		return err;
	if (!behind)
		metrics_tick(run->metrics, &run->recording, now);
	loop_print(run, m, now, behind);
	return 0;
}

/* How long to wait for more records: at most until the end. */
static int loop_timeout(const struct moments *m, int64_t now)
{
	int64_t left = (m->end - now) / 1000000 + 1;
	int most = now < m->busy_until ? BUSY_MS : IDLE_MS;

	return left < most ? left : most;
}

static bool queue_fills_up(const void *intake)
{
	return intake_is_filling(intake);
}

static int loop_until_end(const struct record_run *run, int64_t now, struct diag *d)
{
	const struct recording *r = &run->recording;
	struct moments m = {.end = INT64_MAX, .hint = now + HINT_NS, .hint_ns = HINT_NS, .busy_until = now + BUSY_NS};
	struct intake *in = session_intake(r->session);
	bool over = false;
	int err = 0;

	if (r->settings->duration_ns)
		m.end = now + r->settings->duration_ns;
	while (!over && !err) {
		bool new_stacks, behind;
		int parts;

		priority_adapt(intake_is_filling(in), now);
		new_stacks = recorder_read_stacks(r->recorder, false);
		behind = recorder_behind(r->recorder) && !intake_is_pressed(in);
		parts = behind ? 0 : intake_consume(in);
		now = monotonic_ns();
		if (new_stacks)
			m.busy_until = now + BUSY_NS;
		err = session_beat(r->session, d);
		if (err)
			return err;
		err = loop_maintain(run, &m, now, behind, d) ?: output_pump(r->output, d);
		if (err || m.reader_gone || now >= m.end || recorder_full(r->recorder))
			break;
		over = wait_for_more(run, behind || parts >= QUEUE_BUDGET ? 0 : loop_timeout(&m, now));
	}
	return err;
}

int loop_run(const struct record_run *run, struct diag *d)
{
	const struct recording *r = &run->recording;
	struct rights_later later = {
		.attach = r->settings->with_jfr, .signal = run->program, .probe = session_will_probe(r->session)};
	struct intake *in = session_intake(r->session);
	struct diag no_filter;
	int err;

	map_locks_settle(session_facts(r->session).natives || r->settings->source == SETTINGS_SOURCE_HOTSPOT);
	rights_drop(&r->target, later);
	priority_watch(intake_fd(in), queue_fills_up, in);
	output_thread_begin(r->output);
	if (syscall_filter_load(later, &no_filter))
		log_detail("%s", no_filter.text);
	err = loop_until_end(run, monotonic_ns(), d);
	priority_unwatch();
	priority_raise();
	return err;
}
