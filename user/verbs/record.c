// SPDX-License-Identifier: BSD-2-Clause
/*
 * frtrace record: first everything that can fail without touching the target; then attach the agent, run the loop, and
 * undo everything.
 */
#include "user/verbs/record.h"
#include "user/verbs/choose_probe.h"
#include "user/verbs/record_events.h"
#include "user/verbs/report.h"
#include "filters/quote.h"
#include "user/compare/gate.h"
#include "user/exit.h"
#include "user/jvm/active.h"
#include "user/jvm/intrinsics.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"
#include "user/live/loop.h"
#include "user/live/priority.h"
#include "user/jvm/jvm_model.h"
#include "user/verbs/suggest_classes.h"
#include "user/capture/natives.h"
#include "user/capture/uprobe_multi.h"
#include "user/live/report.h"
#include "user/options/settings_files.h"
#include "user/process/attach.h"
#include "user/process/dump.h"
#include "user/process/interrupt.h"
#include "user/process/maps.h"
#include "user/process/rights.h"
#include "user/process/tsc.h"
#include "user/live/live.h"
#include "user/record/losses.h"
#include "user/live/with_jfr.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIN_SIZE	(1u << 20)
#define EXTRA_MEMORY	(512ull << 20)
#define EVENTS_POLL_MS	50
#define EVENTS_START_NS 5000000000LL /* that a JVM may take to start, before its classes can be read */

struct recording {
	struct settings *settings;
	struct program *program;      /* NULL: the JVM is already running */
	struct intrinsics intrinsics; /* of the methods that the launched JVM must call */
	struct target target;
	struct clock clock;
	struct output *output;
	struct with_jfr *with_jfr; /* NULL: not wanted */
	char *path;		   /* of the recording; NULL: not open yet */
	struct session *session;
	struct recorder *recorder;
	struct throttle *throttle;     /* NULL: no throttling */
	struct dump_trigger *trigger;  /* NULL: no --dump-when */
	struct live *live;	       /* NULL: no live view */
	struct metrics *metrics;       /* NULL: no --metrics */
	struct background *background; /* NULL: in the foreground */
	struct jvm_model model;
	struct diag not_walked; /* why stacks are not walked; "": they are, or are not wanted */
	struct event_plan plan; /* of -e */
	bool awaited;		/* the JVM has run while classes of -e were awaited */
	struct report report;
	uint32_t skips; /* number of rows about methods not hooked when tracing began */
	bool incomplete;
};

static int open_target(struct recording *r, struct diag *d)
{
	uint64_t start_time = r->settings->start_time;
	const char *part, *what;
	int err;

	if (!r->settings->wait) {
		err = target_open(r->settings->target, &r->target, d);
		if (!err && start_time && r->target.start_time != start_time)
			err = diag_set(d, ESRCH, "process %d has ended", (int)r->target.pid);
		return err;
	}
	what = target_spec_of(r->settings->target, &part);
	log_line("waiting for a JVM whose %s contains '%s'", what, part);
	err = target_wait(r->settings->target, &r->target, d);
	if (err == -EINTR)
		interrupt_forget();
	return err;
}

/* Prepare target and kernel, without touching the JVM or the disk. */
static int record_prepare(struct recording *r, struct diag *d)
{
	char how[TSC_TEXT];
	int err;

	if (r->settings->max_size < MIN_SIZE)
		return diag_usage(d, "--max-size: at least 1m, so that a few chunks find room");
	err = r->program ? 0 : open_target(r, d);
	if (!err)
		err = choose_probe(r->settings, r->program ? NULL : &r->target, d);
	if (err)
		return err;
	if (!tsc_usable(how))
		return diag_set(d, ENOTSUP, "cannot trace: %s", how);
	clock_init(&r->clock);
	return session_new(&r->session, r->settings, &r->target, &r->clock, d);
}

/* An existing file of that name is not touched before the first chunk has been written. */
static int open_output(struct recording *r, struct diag *d)
{
	struct output_limits limits = {.size = r->settings->max_size, .age_ns = r->settings->max_age_ns};
	pid_t pid = r->program ? program_pid(r->program) : r->target.pid;
	bool unnamed = r->settings->in_memory && r->background && !r->settings->output;
	char path[PATH_MAX];
	int err = settings_output_path(r->settings, pid, time(NULL), path, sizeof(path), d);

	if (!err && r->settings->in_memory)
		err = output_open_memory(&r->output, unnamed ? NULL : path, &limits, d);
	else if (!err && settings_to_stdout(r->settings))
		err = isatty(STDOUT_FILENO)
			      ? diag_usage(d, "a recording is no text: 'frtrace -o - ... >FILE.jfr', or into a pipe")
			      : output_open_stream(&r->output, STDOUT_FILENO, &limits, d);
	else if (!err)
		err = output_open(&r->output, path, &limits, d);
	if (!err && !(r->path = strdup(path)))
		err = diag_errno(d, ENOMEM, "cannot begin");
	if (!err && r->settings->metrics)
		err = metrics_open(&r->metrics, r->settings->metrics, d);
	return err;
}

/* Only recorded methods can be throttled: without them there is no throttle. */
static int make_throttle(struct recording *r, struct diag *d)
{
	struct throttle_setup setup = {.segment = session_segment(r->session),
				       .clock = &r->clock,
				       .share = r->settings->max_overhead / 100.0,
				       .cpus = target_cpus(&r->target),
				       .unhook_ns = settings_unhook_ns(r->settings)};

	if (!r->settings->max_overhead || !filter_list_count(r->settings->filters, FILTER_TRACE))
		return 0;
	return throttle_new(&r->throttle, &setup, d);
}

static enum jfr_kernel kernel_fields(const struct recording *r)
{
	if (r->settings->kernel == SETTINGS_KERNEL_OFF || session_no_waits(r->session)[0])
		return JFR_KERNEL_NONE;
	if (r->settings->kernel == SETTINGS_KERNEL_ON || session_no_usage(r->session)[0])
		return JFR_KERNEL_WAITS;
	return JFR_KERNEL_FULL;
}

static int make_recorder(struct recording *r, struct diag *d)
{
	enum jfr_kernel kernel = kernel_fields(r);
	struct recorder_setup setup = {.settings = r->settings,
				       .target = &r->target,
				       .segment = session_segment(r->session),
				       .clock = &r->clock,
				       .output = r->output,
				       .resolver = r->model.resolver,
				       .rates = r->throttle ? throttle_rates(r->throttle) : NULL,
				       .kernel = kernel,
				       .plan = r->settings->events.count ? &r->plan : NULL,
				       .no_pauses = session_no_pauses(r->session)[0]};
	struct kernel_sink sink;
	int err;

	if (r->model.resolver)
		setup.model = &r->model;
	err = recorder_new(&r->recorder, &setup, d);
	if (err)
		return err;
	if (kernel != JFR_KERNEL_NONE) {
		sink = breakdown_sink(recorder_breakdown(r->recorder));
		sink.stacks = recorder_copied_stacks(r->recorder);
		session_take_waits(r->session, &sink);
	}
	if (!r->settings->no_stack && r->model.resolver)
		session_take_call_stacks(r->session, recorder_copied_stacks(r->recorder));
	return recorder_tick(r->recorder, d);
}

static int make_live(struct recording *r, struct diag *d)
{
	struct live_setup setup = {.settings = r->settings,
				   .target = &r->target,
				   .segment = session_segment(r->session),
				   .clock = &r->clock,
				   .recorder = r->recorder};

	return live_new(&r->live, &setup, d);
}

static bool has_library(const struct target *t)
{
	struct mapping m;
	struct diag ignored;

	return target_find_mapping(t, "libfrtrace-", &m, &ignored) == 1;
}

static void note_warning(const struct target *t)
{
	if (t->jdk_version >= 21)
		log_line("note: this JVM prints three lines about a dynamically loaded agent on its own stderr "
			 "(JEP 451; -XX:+EnableDynamicAgentLoading at its start would hide them)");
}

static void begin_report(struct recording *r)
{
	r->report = (struct report){.settings = r->settings,
				    .target = &r->target,
				    .session = r->session,
				    .recorder = r->recorder,
				    .clock = &r->clock,
				    .output = r->output,
				    .throttle = r->throttle,
				    .not_walked = r->not_walked.text,
				    .awaited = r->awaited,
				    .cpu_before = target_cpu_ns(&r->target),
				    .begin_ns = monotonic_ns()};
}

static void explain_no_match(struct recording *r)
{
	const struct segment *seg = session_segment(r->session);
	const struct frt_skip *skip;
	uint32_t classes;

	if (segment_count_hooked(seg, &classes))
		return;
	for (uint32_t i = 0; (skip = segment_skip(seg, i)); i++)
		if (skip->reason == FRT_SKIP_METASPACE)
			return; /* some match, and have been named */
	log_line("  no loaded class matches yet; a class that does is traced as soon as it is loaded");
	suggest_classes_print(&r->target, seg, r->settings->filters);
}

/* 0: walked stacks can be trusted. With --stacks=walk, stacks that could not be compared are accepted, too. */
static int check_model(struct recording *r, char **dump)
{
	int err = jvm_model_check(&r->model, &r->target, dump, &r->not_walked);

	if (err != -ENODATA || r->settings->stacks != SETTINGS_STACKS_WALK)
		return err;
	log_detail("stacks unchecked: %s", r->not_walked.text);
	r->not_walked.text[0] = 0;
	return 0;
}

/* Open the model for walking stacks, if it is wanted and passes the check. *dump may be set (jvm_model_check()). */
static int open_model(struct recording *r, char **dump)
{
	int err;

	if (r->settings->stacks == SETTINGS_STACKS_JVMTI)
		return diag_set(&r->not_walked, ENOTSUP, "--stacks=jvmti");
	err = jvm_model_open(&r->model, &r->target, &r->not_walked) ?: check_model(r, dump);
	if (err)
		jvm_model_close(&r->model);
	return err;
}

/*
 * Choose the source of stacks. *dump becomes a thread dump to be freed, or NULL. A recording without stacks is still
 * useful, and a JVM that is slow with its dump may load an agent. So the only failure is -ETIMEDOUT: it does not answer.
 */
static int prepare_stacks(struct recording *r, char **dump, struct diag *d)
{
	uint32_t sources = r->settings->stacks == SETTINGS_STACKS_WALK ? 0 : FRT_STACKS_JVMTI;
	int err = 0;

	*dump = NULL;
	if (!r->settings->no_stack)
		err = open_model(r, dump);
	if (err == -ETIMEDOUT) {
		*d = r->not_walked;
		return err;
	}
	if (r->model.resolver)
		session_take_stacks(r->session, sources | FRT_STACKS_WALK, &r->model.layout.walk);
	else if (!r->settings->no_stack)
		session_take_stacks(r->session, sources, NULL);
	if (r->model.resolver || *dump)
		return 0;
	err = target_thread_dump(&r->target, dump, d);
	if (err)
		log_detail("%s", d->text);
	return err == -ETIMEDOUT ? err : 0;
}

static void exclude_class(struct filter_list *filters, const char *class_name)
{
	char *filter = quote_filter(class_name, NULL, NULL);
	struct diag d = {0};

	if (filter && filter_list_add(filters, filter, FILTER_EXCLUDE, &d))
		log_detail("%s", d.text);
	free(filter);
}

/* Report the methods that are on a stack now; with --skip-active exclude their classes. */
static void skip_active(const struct recording *r, const char *dump)
{
	struct active_list *active = malloc(sizeof(*active));

	if (!active)
		return;
	active_find(active, dump, &r->target, r->settings->filters);
	report_active(active, r->settings->skip_active);
	for (unsigned int i = 0; r->settings->skip_active && i < active->count; i++)
		exclude_class(r->settings->filters, active->method[i].class_name);
	free(active);
}

/* The JVM is not asked for a thread dump: each stack is compared with the method whose call it is of. */
static void prepare_probed_stacks(struct recording *r)
{
	if (r->settings->no_stack)
		return;
	if (!jvm_model_open(&r->model, &r->target, &r->not_walked)) {
		session_take_stacks(r->session, FRT_STACKS_WALK, &r->model.layout.walk);
		return;
	}
	jvm_model_close(&r->model);
	r->settings->no_stack = true;
	r->settings->stacks = SETTINGS_STACKS_WALK; /* there is no other source */
}

/* Attach to a running JVM. */
static int attach(struct recording *r, struct diag *d)
{
	char *dump;
	bool known;
	int err;

	if (r->settings->probe == SETTINGS_PROBE_HOTSPOT) {
		prepare_probed_stacks(r);
		return session_attach(r->session, d);
	}
	err = attach_check_agent(&r->target, d);
	if (!err && r->settings->with_jfr)
		err = with_jfr_start(&r->with_jfr, &r->target, r->settings->with_jfr, output_path(r->output),
				     r->settings->context, d);
	if (err)
		return err;
	err = prepare_stacks(r, &dump, d);
	if (err)
		return err;
	if (dump) {
		session_take_dump(r->session, dump);
		skip_active(r, dump);
	}
	free(dump);
	known = has_library(&r->target);
	err = session_attach(r->session, d);
	if (!err && !r->target.perf_data[0])
		target_is_up(&r->target);      /* it was still starting when it was found */
	if (!known && has_library(&r->target)) /* newly loaded: the JVM has printed its warning */
		note_warning(&r->target);
	return err;
}

/* Take over a launched JVM. Its properties can be read only after its startup. */
static int record_receive(struct recording *r, int connection, struct diag *d)
{
	struct diag ignored;
	char *dump;
	int err = intrinsics_choose(&r->intrinsics, r->settings->filters, r->target.jdk_version, d);

	session_take_intrinsics(r->session, &r->intrinsics);
	if (!err)
		err = session_receive(r->session, connection, d);
	if (err)
		return err;
	target_is_up(&r->target);
	prepare_stacks(r, &dump, &ignored);
	if (dump)
		session_take_dump(r->session, dump);
	free(dump);
	return 0;
}

/*
 * What -e names is found in loaded classes, unless their class files will tell it. The program loads them as it runs, so it
 * runs already. -ENOENT with the message
 * if it ends before that.
 */
static int await_events(struct recording *r, struct diag *d)
{
	struct pollfd fds[PROGRAM_FDS];
	struct diag now = {0};
	int err;

	while ((err = record_events_plan(&r->plan, r->settings, &r->target, true, &now)) == -ENOENT) {
		*d = now;
		session_let_run(r->session);
		r->awaited = true;
		program_poll(r->program, fds);
		poll(fds, PROGRAM_FDS, EVENTS_POLL_MS);
		if (program_update(r->program) || target_ended(&r->target))
			return err;
	}
	if (err && d->text[0] && (err == -ESRCH || target_ended(&r->target)))
		return -ENOENT; /* what was missing says more than that it has ended */
	if (err)
		*d = now;
	else
		session_take_plan(r->session, &r->plan);
	return err;
}

static int record_start(struct recording *r, int connection, struct diag *d)
{
	struct notes notes = {.count = 0};
	struct stream_sink sink;
	int err;

	target_watch_memory(&r->target);
	err = connection < 0 ? attach(r, d) : record_receive(r, connection, d);
	if (!err && connection >= 0 && r->settings->events.count)
		err = await_events(r, d);
	if (!err)
		err = make_throttle(r, d);
	if (!err)
		err = make_recorder(r, d);
	if (!err)
		err = make_live(r, d);
	if (err)
		return err;
	sink = recorder_sink(r->recorder);
	if (r->settings->dump_when.count) {
		r->trigger = dump_trigger_new(&r->settings->dump_when, session_segment(r->session), &r->clock);
		if (!r->trigger)
			return diag_errno(d, ENOMEM, "cannot watch calls");
		sink = dump_trigger_sink(r->trigger, &sink);
	}
	begin_report(r);
	err = session_start(r->session, &sink, d);
	if (err)
		return err;
	r->incomplete = notes_at_start(&notes, r->settings, r->session, r->not_walked.text);
	r->skips = segment_skips(session_segment(r->session));
	notes_put(&notes, r->recorder);
	report_start(&r->report, &notes);
	notes_release(&notes);
	if (connection < 0)
		explain_no_match(r);
	session_let_run(r->session);
	return 0;
}

/* Keep the first error and its message. */
static int worse(int err, int later, struct diag *d, const struct diag *of_later)
{
	if (!err && later)
		*d = *of_later;
	return err ? err : later;
}

static const char *why_no_open_dump(const struct recording *r, bool ended)
{
	if (session_has_open_dump(r->session))
		return NULL;
	if (r->settings->probe == SETTINGS_PROBE_HOTSPOT)
		return "no stack: HotSpot's own probes tell none";
	return ended ? "no stack: the JVM had ended" : "no stack: the JVM did not answer";
}

/*
 * The signal that ended the recording must not interrupt the cleanup. Signals for a program are passed on to it, not
 * consumed.
 */
static void forget_interrupt(const struct recording *r)
{
	if (!r->program)
		interrupt_forget();
}

static int record_finish(struct recording *r, int err, struct diag *d)
{
	bool ended = target_ended(&r->target);
	struct diag second = {0};
	struct notes gaps = {.count = 0};
	struct losses lost;
	int stop_err;

	forget_interrupt(r);
	/* Restoring a class frees the methods that its stacks name, those of waits, too. */
	recorder_read_stacks(r->recorder, false);
	intake_consume(session_intake(r->session));
	recorder_last_round(r->recorder);
	stop_err = session_stop(r->session, &second);
	if (stop_err)
		log_error("frtrace: %s", second.text);
	with_jfr_stop(r->with_jfr, true);
	losses_read(&lost, r->session, r->recorder);
	recorder_note_loss(r->recorder, lost.sum);
	recorder_read_stacks(r->recorder, true);
	r->report.no_open_dump = why_no_open_dump(r, ended);
	recorder_put_open_calls(r->recorder, r->report.no_open_dump);
	r->incomplete |= notes_of_skips(&gaps, r->session, r->skips);
	notes_of_gaps(&gaps, r->settings, r->session, r->recorder);
	r->incomplete |= session_missed(r->session) > 0 || session_ran_early(r->session);
	r->incomplete |= natives_fail(session_natives(r->session)); /* also those that were found later */
	notes_put(&gaps, r->recorder);
	err = worse(err, recorder_finish(r->recorder, ended, &second), d, &second);
	err = worse(err, output_finish(r->output, &second), d, &second);
	losses_read(&lost, r->session, r->recorder);
	live_finish(r->live, lost.sum);
	r->incomplete |= !metrics_finish(r->metrics, &r->report);
	report_end(&r->report, &gaps, !stop_err, ended);
	notes_release(&gaps);
	if (err)
		return err;
	if (output_was_removed(r->output))
		return EXIT_FAILED; /* reported by report_end() */
	if (r->incomplete || lost.sum || lost.stacks || recorder_forged(r->recorder) || stop_err ||
	    (r->throttle && throttle_methods(r->throttle)))
		return EXIT_INCOMPLETE;
	return EXIT_DONE;
}

static void record_release(struct recording *r)
{
	forget_interrupt(r);
	live_free(r->live);
	metrics_free(r->metrics);
	recorder_free(r->recorder);
	event_plan_release(&r->plan);
	throttle_free(r->throttle);
	dump_trigger_free(r->trigger);
	jvm_model_close(&r->model);
	session_free(r->session);
	output_close(r->output);
	with_jfr_stop(r->with_jfr, false);
	target_close(&r->target);
	r->recorder = NULL;
	r->throttle = NULL;
	r->trigger = NULL;
	r->live = NULL;
	r->metrics = NULL;
	r->session = NULL;
	r->output = NULL;
}

static int run_loop(struct recording *r, struct loop *loop, struct diag *d)
{
	loop->session = r->session;
	loop->recorder = r->recorder;
	loop->target = &r->target;
	loop->report = &r->report;
	loop->throttle = r->throttle;
	loop->live = r->live;
	loop->metrics = r->metrics;
	loop->background = r->background;
	loop->trigger = r->trigger;
	loop->output = r->output;
	loop->path = r->path;
	loop->program = r->program;
	loop->duration_ns = r->settings->duration_ns;
	return record_finish(r, loop_run(loop, d), d);
}

/* Better now than after the agent has been attached. */
static int check_rights(const struct settings *s, const struct target *t, struct diag *d)
{
	bool by_perf = s->probes == SETTINGS_PROBES_PERF || !uprobe_multi_works();
	struct diag why;
	int err = rights_check(t, by_perf, s->probe != SETTINGS_PROBE_HOTSPOT, &why);

	return err ? diag_set(d, -err, "cannot trace process %d '%s': %s", (int)t->pid, t->name, why.text) : 0;
}

/* Nothing is done to the JVM unless all events make sense. One that is just starting, as with --follow, has no classes yet. */
static int prepare_events(struct recording *r, struct diag *d)
{
	int64_t end = monotonic_ns() + EVENTS_START_NS;
	int err;

	if (!r->settings->events.count)
		return 0;
	while ((err = record_events_plan(&r->plan, r->settings, &r->target, false, d)) == -EAGAIN) {
		if (monotonic_ns() > end || interrupted() || target_ended(&r->target))
			break;
		poll(NULL, 0, EVENTS_POLL_MS);
	}
	if (!err)
		session_take_plan(r->session, &r->plan);
	return err;
}

static int record_running(struct recording *r, struct loop *loop, struct diag *d)
{
	int err = record_prepare(r, d);

	if (!err)
		err = check_rights(r->settings, &r->target, d);
	if (!err)
		err = prepare_events(r, d);
	if (!err && r->background)
		err = background_listen(r->background, &r->target, d);
	if (!err)
		err = session_check_free(r->session, d);
	if (!err)
		err = open_output(r, d);
	if (!err)
		err = record_start(r, -1, d);
	if (err)
		return err;
	if (r->background)
		background_detach(r->background, &r->report, r->session, r->recorder, r->output);
	return run_loop(r, loop, d);
}

static void say_nothing_traced(const struct recording *r)
{
	const char *others = program_others(r->program);

	if (program_has_refused(r->program))
		log_line("nothing traced");
	else if (others[0])
		log_line("nothing traced: no JVM that was started is '%s' (-p); there were: %s", r->settings->target,
			 others);
	else
		log_line(
			"nothing traced: no JVM was started that could load the agent (a JVM in a container: with -p, once it runs)");
}

/* The program runs even if the recording fails, and its exit status is returned. */
static int record_program(struct recording *r, struct loop *loop, struct diag *d)
{
	int err = record_prepare(r, d) ?: open_output(r, d), connection;

	if (err)
		return err;
	err = program_run(r->program, loop->signals, d);
	if (!err && !program_wait_jvm(r->program, &r->target, &connection))
		say_nothing_traced(r);
	else if (!err)
		err = record_start(r, connection, d) ?: run_loop(r, loop, d);
	if (err < 0)
		log_error("frtrace: %s", d->text);
	record_release(r); /* lets a waiting JVM go on */
	return program_finish(r->program);
}

/*
 * A recording needs 100 MB of private memory. If a forged file or table makes frtrace allocate far more, it must fail
 * with ENOMEM and a message instead of invoking the OOM killer. The launched program is forked before this limit is
 * set.
 */
static void limit_memory(const struct settings *s)
{
	unsigned long pages = 0;
	struct rlimit limit;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %*u %*u %*u %*u %lu", &pages) == 1 && !getrlimit(RLIMIT_DATA, &limit)) {
		rlim_t most = (rlim_t)pages * sysconf(_SC_PAGESIZE) + EXTRA_MEMORY + s->in_memory;

		if (limit.rlim_cur > most) {
			limit.rlim_cur = most;
			setrlimit(RLIMIT_DATA, &limit);
		}
	}
	if (f)
		fclose(f);
}

/* Write the page that --report asks for. The recording stays as it is, and so does its exit status unless it was 0. */
static int record_report(const struct recording *r, int status)
{
	struct diag d = {0};
	int err;

	if (!r->settings->report_wanted || !r->path)
		return status;
	err = report_recording(r->path, r->settings->report, &d);
	if (err >= 0)
		return status;
	log_error("frtrace: %s", d.text);
	return status ?: EXIT_INCOMPLETE;
}

/* Judge the file that was written. The program's own failure comes first. */
static int record_judge(const struct recording *r, const struct condition_list *conditions, int status, struct diag *d)
{
	int judged;

	if (!conditions->count || status < 0 || (!r->program && status == EXIT_FAILED))
		return status;
	judged = gate_run_path(conditions, r->path, r->program ? EXIT_DONE : status, d);
	return r->program && status ? status : judged;
}

int cmd_record(struct settings *settings, const struct condition_list *conditions, struct diag *d)
{
	struct recording *r = calloc(1, sizeof(*r));
	struct loop loop = {.signals = -1};
	bool complete;
	int err;

	if (!r)
		return diag_errno(d, ENOMEM, "cannot begin");
	r->settings = settings;
	r->target.pidfd = -1;
	log_set(settings->quiet, settings->verbose);
	if (settings->background && !background_begin(&r->background, &err, d)) {
		free(r);
		return err;
	}
	settings_files_report(settings->files);
	err = live_check(settings, d);
	if (!err && settings->program)
		err = program_open(&r->program, settings, d);
	limit_memory(settings);
	priority_raise();
	if (!err)
		err = loop_init(&loop, r->program, d);
	if (!err)
		err = r->program ? record_program(r, &loop, d) : record_running(r, &loop, d);
	loop_release(&loop);
	record_release(r);
	priority_adapt(false, INT64_MAX); /* the rest is nobody's hurry */
	complete = err >= 0 && err != EXIT_FAILED;
	if (!with_jfr_merge(r->with_jfr, complete) && complete)
		err = EXIT_INCOMPLETE;
	if (complete)
		err = record_report(r, err);
	with_jfr_free(r->with_jfr);
	err = record_judge(r, conditions, err, d);
	free(r->path);
	program_close(r->program);
	background_end(r->background, err);
	free(r);
	return err;
}
