// SPDX-License-Identifier: BSD-2-Clause
#include "user/live/loop.h"
#include "user/capture/natives.h"
#include "user/process/map_lock.h"
#include "user/live/priority.h"
#include "user/process/rights.h"
#include "user/process/syscall_filter.h"
#include "user/record/losses.h"
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

int loop_init(struct loop *l, bool for_program, struct diag *d)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
	sigset_t set;

	*l = (struct loop){.signals = -1};
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	for (size_t i = 0; i < (for_program ? sizeof(signals) / sizeof(signals[0]) : 3); i++)
		sigaddset(&set, signals[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return diag_errno(d, errno, "cannot block signals");
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return l->signals < 0 ? diag_errno(d, errno, "cannot make a signalfd") : 0;
}

void loop_release(struct loop *l)
{
	if (l->signals >= 0)
		close(l->signals);
}

static bool loop_serve_keys(const struct loop *l)
{
	struct losses lost;

	losses_read(&lost, l->session, l->recorder);
	return live_serve_keys(l->live, lost.sum);
}

/*
 * Wait for records. True: the loop must end because of a signal, a stop request, or the end of the target or the
 * program.
 */
static bool wait_for_more(const struct loop *l, int timeout_ms)
{
	struct pollfd fds[6 + PROGRAM_FDS] = {
		{.fd = intake_fd(session_intake(l->session)), .events = POLLIN},
		{.fd = l->signals, .events = POLLIN},
		{.fd = l->target->pidfd, .events = POLLIN},
		{.fd = l->background ? background_fd(l->background) : -1, .events = POLLIN},
		{.fd = live_fd(l->live), .events = POLLIN},
		{.fd = output_pending_fd(l->output), .events = POLLOUT}};

	if (l->program)
		program_poll(l->program, fds + 6);
	poll(fds, l->program ? 6 + PROGRAM_FDS : 6, timeout_ms);
	if (fds[4].revents && !loop_serve_keys(l))
		return true;
	if (fds[3].revents && background_serve(l->background))
		return true;
	return (l->program ? program_update(l->program) : fds[1].revents) || target_ended(l->target);
}

struct moments {
	int64_t end, sweep, progress;
	int64_t hint, hint_ns;
	bool reader_gone;   /* nobody reads the live view any more */
	int64_t busy_until; /* poll with the short timeout until then */
};

/* Check the throttle. Throttled methods are only timed from here on; notes in the file and on stderr say so. */
static void loop_check_throttle(const struct loop *l, int64_t now)
{
	struct notes notes = {.count = 0};
	struct throttle_finding found;
	struct diag d = {0};

	if (!l->throttle || !throttle_check(l->throttle, now, &found))
		return;
	notes_of_throttle(&notes, l->report->settings, session_segment(l->session), &found, now - l->report->begin_ns);
	notes_put(&notes, l->recorder);
	report_notes(&notes);
	notes_release(&notes);
	if (found.methods)
		recorder_add_timing(l->recorder);
	if (found.unhooks && session_unhook(l->session, &d))
		recorder_remark(l->recorder, "unhooked", d.text);
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
static void loop_check_trigger(const struct loop *l, int64_t now)
{
	const char *cause = l->trigger ? dump_trigger_due(l->trigger, now) : NULL;
	char path[PATH_MAX], text[PATH_MAX + 4096];
	struct diag d = {0};
	uint64_t size;

	if (!cause)
		return;
	name_dump(l->path, path, sizeof(path));
	snprintf(text, sizeof(text), "%s: dumped to %s", cause, path);
	recorder_remark(l->recorder, "dump", text);
	if (background_dump(l->background, path, 0, &size, &d))
		recorder_remark(l->recorder, "dump", d.text);
}

/*
 * Periodic work. `behind`: spans wait for their stacks, so work that needs complete spans is postponed; chunks, clock
 * and memory are not.
 */
static int loop_maintain(struct loop *l, struct moments *m, int64_t now, bool behind, struct diag *d)
{
	struct losses lost;
	int err = 0;

	if (now >= m->sweep) {
		if (!behind) {
			session_sweep(l->session);
			loop_check_throttle(l, now);
			loop_check_trigger(l, now);
		}
		m->sweep = now + SWEEP_NS;
		clock_sample(l->report->clock);
		if (l->report->clock->set_back)
			return diag_set(d, EIO, "the recording ends: the time stamp counter was set back (a suspend?)");
		losses_read(&lost, l->session, l->recorder);
		recorder_note_loss(l->recorder, lost.sum);
		if (recorder_forget_methods(l->recorder))
			live_forget_callers(l->live);
		err = recorder_tick(l->recorder, d);
		if (l->live && !behind && !intake_has_pending(session_intake(l->session)))
			m->reader_gone = !live_tick(l->live, now, lost.sum);
	}
	if (!behind)
		metrics_tick(l->metrics, l->report, l->recorder, now);
	if (now >= m->progress && !live_has_terminal(l->live)) {
		report_progress(l->report);
		m->progress = now + PROGRESS_NS;
	}
	if (!behind && now >= m->hint) {
		report_no_events(l->report);
		m->hint_ns *= 2;
		m->hint = now + m->hint_ns;
	}
	return err;
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

static int loop_until_end(struct loop *l, int64_t now, struct diag *d)
{
	struct moments m = {.end = INT64_MAX, .hint = now + HINT_NS, .hint_ns = HINT_NS, .busy_until = now + BUSY_NS};
	struct intake *in = session_intake(l->session);
	bool over = false;
	int err = 0;

	if (l->duration_ns)
		m.end = now + l->duration_ns;
	while (!over && !err) {
		bool new_stacks, behind;
		int parts;

		priority_adapt(intake_is_filling(in), now);
		new_stacks = recorder_read_stacks(l->recorder, false);
		behind = recorder_behind(l->recorder) && !intake_is_pressed(in);
		parts = behind ? 0 : intake_consume(in);
		now = monotonic_ns();
		if (new_stacks)
			m.busy_until = now + BUSY_NS;
		err = session_beat(l->session, d);
		if (err)
			return err;
		err = loop_maintain(l, &m, now, behind, d) ?: output_pump(l->output, d);
		if (err || m.reader_gone || now >= m.end || recorder_full(l->recorder))
			break;
		over = wait_for_more(l, behind || parts >= QUEUE_BUDGET ? 0 : loop_timeout(&m, now));
	}
	return err;
}

int loop_run(struct loop *l, struct diag *d)
{
	const struct settings *settings = l->report->settings;
	struct rights_later later = {
		.attach = settings->with_jfr, .signal = l->program, .probe = session_will_probe(l->session)};
	struct intake *in = session_intake(l->session);
	struct diag no_filter;
	int err;

	map_locks_settle(session_natives(l->session) || settings->probe == SETTINGS_PROBE_HOTSPOT);
	rights_drop(l->target, later);
	priority_watch(intake_fd(in), queue_fills_up, in);
	if (syscall_filter_load(later, &no_filter))
		log_detail("%s", no_filter.text);
	err = loop_until_end(l, monotonic_ns(), d);
	priority_unwatch();
	priority_raise();
	return err;
}
