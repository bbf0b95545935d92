// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/recording.h"
#include "user/capture/natives.h"
#include "user/capture/uprobe_multi.h"
#include "user/exit.h"
#include "user/options/settings_files.h"
#include "user/process/attach.h"
#include "user/process/interrupt.h"
#include "user/process/maps.h"
#include "user/process/rights.h"
#include "user/process/tsc.h"
#include "user/stacks/copied_stacks.h"
#include "user/run/choose_source.h"
#include "user/run/loop.h"
#include "user/run/printout.h"
#include "user/run/priority.h"
#include "user/run/record_events.h"
#include "user/run/run.h"
#include "user/run/stacks.h"
#include "user/run/suggest_classes.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIN_SIZE     (1u << 20)
#define EXTRA_MEMORY (512ull << 20)

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
static int record_prepare(struct record_run *run, struct diag *d)
{
	struct recording *r = &run->recording;
	char how[TSC_TEXT];
	int err;

	if (r->settings->max_size < MIN_SIZE)
		return diag_usage(d, "--max-size: at least 1m, so that a few chunks find room");
	err = run->program ? 0 : open_target(r, d);
	if (!err)
		err = choose_source(r->settings, run->program ? NULL : &r->target, d);
	if (err)
		return err;
	if (!tsc_usable(how))
		return diag_set(d, ENOTSUP, "cannot trace: %s", how);
	clock_init(r->clock);
	err = session_new(&r->session, r->settings, &r->target, r->clock, d);
	if (!err)
		r->segment = session_segment(r->session);
	return err;
}

/* An existing file of that name is not touched before the first chunk has been written. */
static int open_output(struct record_run *run, struct diag *d)
{
	struct recording *r = &run->recording;
	struct output_limits limits = {.size = r->settings->max_size, .age_ns = r->settings->max_age_ns};
	pid_t pid = run->program ? program_pid(run->program) : r->target.pid;
	bool unnamed = r->settings->in_memory && run->background && !r->settings->output;
	char *path;
	int err = settings_output_path(r->settings, pid, time(NULL), &path, d);

	if (!err && r->settings->in_memory)
		err = output_open_memory(&r->output, unnamed ? NULL : path, &limits, d);
	else if (!err && settings_to_stdout(r->settings))
		err = isatty(STDOUT_FILENO)
			      ? diag_usage(d, "a recording is no text: 'frtrace -o - ... >FILE.jfr', or into a pipe")
			      : output_open_stream(&r->output, STDOUT_FILENO, &limits, d);
	else if (!err)
		err = output_open(&r->output, path, &limits, d);
	if (err) {
		free(path);
		return err;
	}
	run->path = path;
	return r->settings->metrics ? metrics_open(&run->metrics, r->settings->metrics, d) : 0;
}

/* Only recorded methods can be throttled: without them there is no throttle. */
static int make_throttle(struct recording *r, struct diag *d)
{
	struct throttle_setup setup = {.segment = r->segment,
				       .clock = r->clock,
				       .share = settings_max_overhead(r->settings) / 100.0,
				       .cpus = target_cpus(&r->target),
				       .unhook_ns = settings_unhook_ns(r->settings)};

	if (!settings_max_overhead(r->settings) || !filter_list_count(r->settings->filters, FILTER_TRACE))
		return 0;
	return throttle_new(&r->throttle, &setup, d);
}

static enum jfr_kernel kernel_fields(const struct recording *r)
{
	if (r->settings->kernel == SETTINGS_KERNEL_OFF || session_facts(r->session).no_waits[0])
		return JFR_KERNEL_NONE;
	if (r->settings->kernel == SETTINGS_KERNEL_ON || session_facts(r->session).no_usage[0])
		return JFR_KERNEL_WAITS;
	return JFR_KERNEL_FULL;
}

static int make_recorder(struct recording *r, const struct event_plan *plan, struct diag *d)
{
	enum jfr_kernel kernel = kernel_fields(r);
	struct recorder_setup setup = {.settings = r->settings,
				       .target = &r->target,
				       .segment = r->segment,
				       .clock = r->clock,
				       .output = r->output,
				       .resolver = r->model.resolver,
				       .kernel = kernel,
				       .plan = r->settings->events.count ? plan : NULL,
				       .peers = {session_find_peers, r->session, r->container},
				       .no_pauses = session_facts(r->session).no_pauses[0]};
	struct kernel_sink sink;
	int err;

	target_container(&r->target, r->container, sizeof(r->container));
	if (r->model.resolver)
		setup.model = &r->model;
	err = recorder_new(&r->recorder, &setup, d);
	if (err)
		return err;
	if (r->throttle)
		session_count_calls(r->session, throttle_rates(r->throttle));
	if (kernel != JFR_KERNEL_NONE) {
		sink = breakdown_sink(recorder_breakdown(r->recorder));
		sink.stacks = recorder_copied_stacks(r->recorder);
		session_take_waits(r->session, &sink);
	}
	if (!r->settings->no_stack && r->model.resolver)
		session_take_call_stacks(r->session, recorder_copied_stacks(r->recorder));
	return recorder_tick(r->recorder, d);
}

static void note_warning(const struct target *t)
{
	if (t->jdk_version >= 21)
		log_line("note: this JVM prints three lines about a dynamically loaded agent on its own stderr "
			 "(JEP 451; -XX:+EnableDynamicAgentLoading at its start would hide them)");
}

static void explain_no_match(const struct recording *r)
{
	const struct frt_skip *skip;
	uint32_t classes;

	if (segment_count_hooked(r->segment, &classes))
		return;
	for (uint32_t i = 0; (skip = segment_skip(r->segment, i)); i++)
		if (skip->reason == FRT_SKIP_METASPACE)
			return; /* some match, and have been named */
	log_line("  no loaded class matches yet; a class that does is traced as soon as it is loaded");
	suggest_classes_print(&r->target, r->segment, r->settings->filters);
}

/* Attach to a running JVM. */
static int attach(struct record_run *run, struct diag *d)
{
	struct recording *r = &run->recording;
	char *dump;
	bool known;
	int err;

	if (r->settings->source == SETTINGS_SOURCE_HOTSPOT) {
		stacks_prepare_probed(r);
		return session_attach(r->session, d);
	}
	err = attach_wait_until_up(&r->target, d);
	if (err)
		return err;
	target_is_up(&r->target); /* it may have been starting when it was found */
	err = attach_check_agent(&r->target, d);
	if (!err && r->settings->with_jfr)
		err = with_jfr_start(&run->with_jfr, &r->target, r->settings->with_jfr, output_path(r->output),
				     r->settings->context, d);
	if (err)
		return err;
	err = stacks_prepare(r, &dump, d);
	if (err)
		return err;
	if (dump) {
		session_take_dump(r->session, dump);
		stacks_skip_active(r, dump);
	}
	free(dump);
	known = target_maps(&r->target, "libfrtrace-");
	err = session_attach(r->session, d);
	if (!known && target_maps(&r->target, "libfrtrace-")) /* newly loaded: the JVM has printed its warning */
		note_warning(&r->target);
	return err;
}

/* Take over a launched JVM. Its properties can be read only after its startup. */
static int record_receive(struct record_run *run, int connection, struct diag *d)
{
	struct recording *r = &run->recording;
	struct diag ignored;
	char *dump;
	int err = intrinsics_choose(&run->intrinsics, r->settings->filters, r->target.jdk_version, d);

	session_take_intrinsics(r->session, &run->intrinsics);
	if (!err)
		err = session_receive(r->session, connection, d);
	if (err)
		return err;
	target_is_up(&r->target);
	stacks_prepare(r, &dump, &ignored);
	if (dump)
		session_take_dump(r->session, dump);
	free(dump);
	return 0;
}

/* What looks at calls while they are recorded. */
static int make_listeners(struct record_run *run, struct stream_sink *sink, struct diag *d)
{
	const struct recording *r = &run->recording;
	int err = live_new(&run->live, r, d) ?: metrics_listen(run->metrics, r, d);

	if (err)
		return err;
	*sink = recorder_sink(r->recorder);
	if (!r->settings->dump_when.count)
		return 0;
	run->trigger = dump_trigger_new(&r->settings->dump_when, r->segment, r->clock);
	if (!run->trigger)
		return diag_errno(d, ENOMEM, "cannot watch calls");
	*sink = dump_trigger_sink(run->trigger, sink);
	return 0;
}

/* Tracing is on: say what is traced, and what is not. */
static void record_announce(struct record_run *run, bool launched)
{
	struct recording *r = &run->recording;
	struct notes notes = {.count = 0};
	struct run_facts facts;

	run_facts_read(&facts, r);
	run->incomplete = notes_at_start(&notes, r, &facts);
	run->skips = segment_skips(r->segment);
	notes_put(&notes, r->recorder);
	printout_start(r, &facts, &notes);
	notes_release(&notes);
	if (!launched)
		explain_no_match(r);
}

/* `connection`: to a launched JVM that waits; -1: attach to one that runs. */
static int record_start(struct record_run *run, int connection, struct diag *d)
{
	struct recording *r = &run->recording;
	bool launched = connection >= 0;
	struct stream_sink sink;
	int err;

	target_watch_memory(&r->target);
	err = launched ? record_receive(run, connection, d) : attach(run, d);
	if (!err && launched && r->settings->events.count)
		err = record_events_await(&run->plan, r, run->program, d);
	if (!err && r->awaited)
		stacks_skip_awaited(r);
	err = err ?: make_throttle(r, d) ?: make_recorder(r, &run->plan, d) ?: make_listeners(run, &sink, d);
	if (err)
		return err;
	r->cpu_before = target_cpu_ns(&r->target);
	r->begin_ns = monotonic_ns();
	err = session_start(r->session, &sink, d);
	if (err)
		return err;
	record_announce(run, launched);
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
	if (session_facts(r->session).open_dump)
		return NULL;
	if (r->settings->source == SETTINGS_SOURCE_HOTSPOT)
		return "no stack: HotSpot's own probes tell none";
	return ended ? "no stack: the JVM had ended" : "no stack: the JVM did not answer";
}

/*
 * The signal that ended the recording must not interrupt the cleanup. Signals for a program are passed on to it, not
 * consumed.
 */
static void forget_interrupt(const struct record_run *run)
{
	if (!run->program)
		interrupt_forget();
}

/* Say how it ended. Returns an enum exit_status. */
static int record_conclude(struct record_run *run, const struct notes *gaps, const char *no_open_dump, bool restored,
			   bool ended)
{
	const struct recording *r = &run->recording;
	struct run_facts facts;

	run_facts_read(&facts, r);
	facts.no_open_dump = no_open_dump;
	live_finish(run->live, facts.lost.sum);
	run->incomplete |= !metrics_finish(run->metrics, r);
	printout_end(r, &facts, gaps, restored, ended);
	if (output_was_removed(r->output))
		return EXIT_FAILED; /* printout_end() has said so */
	if (run->incomplete || facts.lost.sum || facts.lost.stacks || recorder_forged(r->recorder) || !restored ||
	    (r->throttle && throttle_methods(r->throttle)))
		return EXIT_INCOMPLETE;
	return EXIT_DONE;
}

static int record_finish(struct record_run *run, int err, struct diag *d)
{
	const struct recording *r = &run->recording;
	bool ended = target_ended(&r->target);
	struct diag second = {0};
	struct notes gaps = {.count = 0};
	const char *no_open_dump;
	struct run_facts facts;
	int stop_err, status;

	forget_interrupt(run);
	/* Restoring a class frees the methods that its stacks name, those of waits, too. */
	recorder_read_stacks(r->recorder, false);
	intake_consume(session_intake(r->session));
	recorder_last_round(r->recorder);
	stop_err = session_stop(r->session, &second);
	if (stop_err)
		log_error("frtrace: %s", second.text);
	with_jfr_stop(run->with_jfr, true);
	run_facts_read(&facts, r);
	recorder_note_loss(r->recorder, facts.lost.sum);
	recorder_read_stacks(r->recorder, true);
	no_open_dump = why_no_open_dump(r, ended);
	recorder_put_open_calls(r->recorder, no_open_dump);
	run->incomplete |= notes_of_skips(&gaps, r->segment, facts.session.metaspace, run->skips);
	notes_of_gaps(&gaps, r, &facts);
	run->incomplete |= facts.session.missed > 0 || facts.session.ran_early;
	run->incomplete |= natives_fail(facts.session.natives); /* also those that were found later */
	notes_put(&gaps, r->recorder);
	err = worse(err, recorder_finish(r->recorder, ended, &second), d, &second);
	err = worse(err, output_finish(r->output, &second), d, &second);
	status = record_conclude(run, &gaps, no_open_dump, !stop_err, ended);
	notes_release(&gaps);
	return err ?: status;
}

static void record_release(struct record_run *run)
{
	struct recording *r = &run->recording;

	forget_interrupt(run);
	live_free(run->live);
	metrics_free(run->metrics);
	recorder_free(r->recorder);
	event_plan_release(&run->plan);
	throttle_free(r->throttle);
	dump_trigger_free(run->trigger);
	jvm_model_close(&r->model);
	session_free(r->session);
	output_close(r->output);
	with_jfr_stop(run->with_jfr, false);
	target_close(&r->target);
}

/* Better now than after the agent has been attached. */
static int check_rights(const struct settings *s, const struct target *t, struct diag *d)
{
	bool by_perf = s->attach == SETTINGS_ATTACH_PERF || !uprobe_multi_works();
	struct diag why;
	int err = rights_check(t, by_perf, s->source != SETTINGS_SOURCE_HOTSPOT, &why);

	return err ? diag_set(d, -err, "cannot trace process %d '%s': %s", (int)t->pid, t->name, why.text) : 0;
}

static int record_running(struct record_run *run, struct diag *d)
{
	struct recording *r = &run->recording;
	int err = record_prepare(run, d) ?: check_rights(r->settings, &r->target, d) ?: record_events_prepare(&run->plan, r, d);

	if (!err && run->background)
		err = background_listen(run->background, &r->target, d);
	err = err ?: session_check_free(r->session, d) ?: open_output(run, d) ?: record_start(run, -1, d);
	if (!err && run->background)
		background_detach(run->background, r);
	if (!err)
		err = record_finish(run, loop_run(run, d), d);
	record_release(run);
	return err;
}

static void say_nothing_traced(const struct record_run *run)
{
	const char *others = program_others(run->program);

	if (program_has_refused(run->program))
		log_line("nothing traced");
	else if (others[0])
		log_line("nothing traced: no JVM that was started is '%s' (-p); there were: %s",
			 run->recording.settings->target, others);
	else
		log_line(
			"nothing traced: no JVM was started that could load the agent (a JVM in a container: with -p, once it runs)");
}

/* The program runs even if the recording fails, and its exit status is returned. */
static int record_program(struct record_run *run, struct diag *d)
{
	int connection, err = record_prepare(run, d) ?: open_output(run, d);

	if (err) {
		record_release(run);
		return err;
	}
	err = program_run(run->program, run->signals, d);
	if (!err && !program_wait_jvm(run->program, &run->recording.target, &connection))
		say_nothing_traced(run);
	else if (!err)
		err = record_start(run, connection, d) ?: record_finish(run, loop_run(run, d), d);
	if (err < 0)
		log_error("frtrace: %s", d->text);
	record_release(run); /* lets a waiting JVM go on */
	return program_finish(run->program);
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

static int record(struct record_run *run, struct diag *d)
{
	struct settings *s = run->recording.settings;
	int err = live_check(s, d);

	if (!err && s->program)
		err = program_open(&run->program, s, d);
	limit_memory(s);
	priority_raise();
	if (!err)
		err = loop_signals(&run->signals, run->program, d);
	if (!err)
		err = run->program ? record_program(run, d) : record_running(run, d);
	loop_signals_close(run->signals);
	priority_adapt(false, INT64_MAX); /* the rest is nobody's hurry */
	return err;
}

int run_recording(struct record_run **out, struct settings *settings, struct background *background, struct diag *d)
{
	struct record_run *run = calloc(1, sizeof(*run));
	bool complete;
	int err;

	*out = run;
	if (!run)
		return diag_errno(d, ENOMEM, "cannot begin");
	run->recording = (struct recording){.settings = settings, .clock = &run->clock, .target.pidfd = -1};
	run->background = background;
	run->signals = -1;
	err = record(run, d);
	complete = err >= 0 && err != EXIT_FAILED;
	return !with_jfr_merge(run->with_jfr, complete) && complete ? EXIT_INCOMPLETE : err;
}

void run_free(struct record_run *run)
{
	if (!run)
		return;
	with_jfr_free(run->with_jfr);
	program_close(run->program);
	free(run->path);
	free(run);
}

const char *run_path(const struct record_run *run)
{
	return run ? run->path : NULL;
}
