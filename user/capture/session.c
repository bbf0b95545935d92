// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/session.h"
#include "user/capture/agent_build.h"
#include "user/capture/agent_commands.h"
#include "user/capture/agent_config.h"
#include "user/capture/bpf_programs.h"
#include "user/capture/hotspot_source.h"
#include "user/jvm/archive.h"
#include "user/jvm/intrinsics.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"
#include "user/jvm/jvm_model.h"
#include "user/capture/kernel_probes.h"
#include "user/jvm/metaspace.h"
#include "user/capture/natives.h"
#include "user/capture/usdt.h"
#include "user/process/attach.h"
#include "user/process/attach_lock.h"
#include "user/process/launch_socket.h"
#include "user/process/map_lock.h"
#include "user/process/maps.h"

#include "frtrace.skel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VIRTUAL_SINCE 21    /* the first JDK with virtual threads (JEP 444) */
#define ROOM_MS	      10000 /* between two looks for room in metaspace */

struct session {
	const struct settings *settings;
	const struct target *target;
	struct clock *clock;
	struct map_guard *guard; /* NULL: none could be started */
	struct frtrace_bpf *bpf;
	struct usdt_link *agent;	/* its sites */
	struct hotspot_source *hotspot; /* NULL: the agent is the source */
	struct kernel_probes kernel;
	bool with_kernel; /* whether the kernel side was loaded */
	struct kernel_sink waits;
	struct segment segment;
	struct metaspace metaspace;
	const struct event_plan *plan;	   /* NULL: there are no events */
	struct intake *intake;		   /* NULL before session_start() */
	struct natives *natives;	   /* NULL: none are traced */
	struct copied_stacks *call_stacks; /* NULL: only the agent takes stacks of calls */
	struct java_threads threads;	   /* that were there before */
	struct session_cost cost;
	uint32_t stacks;	  /* FRT_STACKS_*; 0: none */
	struct frt_layout layout; /* .jdk_version 0: stacks are not walked */
	bool started, open_dump;
	int64_t room_ms; /* when the agent may be told again to ask for room */
	struct agent_build build;
	int connection;			 /* to a JVM that we started and that waits; else -1 */
	double begin_ms;		 /* when it began to wait */
	bool ran_early;			 /* when it was told to run, it did not wait any more */
	const struct intrinsics *wanted; /* NULL: none */
};

int session_new(struct session **out, const struct settings *settings, const struct target *target, struct clock *clock,
		struct diag *d)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_errno(d, ENOMEM, "cannot begin");
	s->settings = settings;
	s->target = target;
	s->clock = clock;
	s->segment.fd = -1;
	s->connection = -1;
	agent_build_name(&s->build);
	if (map_guard_start(&s->guard, d))
		log_detail("%s", d->text);
	err = bpf_programs_load(&s->bpf, &s->kernel, settings, target, d);
	if (!err && settings->buffer == SETTINGS_BUFFER_PERF)
		err = intake_try(s->bpf, d);
	s->with_kernel = !err && settings->kernel && !s->kernel.why.text[0];
	if (err) {
		session_free(s);
		return err;
	}
	*out = s;
	return 0;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	natives_free(s->natives);
	java_threads_release(&s->threads);
	usdt_detach(s->agent);
	hotspot_source_free(s->hotspot);
	kernel_probes_detach(&s->kernel);
	if (s->connection >= 0)
		close(s->connection);
	intake_free(s->intake);
	segment_close(&s->segment);
	frtrace_bpf__destroy(s->bpf);
	map_guard_free(s->guard);
	free(s);
}

static int command(struct session *s, enum frt_command_kind kind, struct diag *d)
{
	int err;

	s->bpf->bss->commanding = true;
	err = agent_command(&s->segment, s->target, &s->metaspace, kind, AGENT_TIMEOUT_MS, d);
	s->bpf->bss->commanding = false;
	return err;
}

/* Send a command to the waiting JVM that we started. */
static int launch_command(struct session *s, const char *text, int timeout_ms, struct diag *d)
{
	int result, err = launch_socket_command(s->connection, text, timeout_ms, &result, d);
	char why[AGENT_RESULT_TEXT];

	if (err || !result)
		return err;
	return diag_set(d, EPROTO, "cannot '%s' in the target: %s", text, agent_result_text(result, why));
}

#define AGENT_FILE_MOST (16l << 20) /* bytes */

/* The agent keeps a descriptor of its file, whose name is gone, unless the JVM's container has no /proc. */
static int open_agent_file(struct session *s, const struct mapping *m, struct diag *d)
{
	int fd = target_open_descriptor(s->target, s->build.file_name, d);

	if (fd != -ENOENT)
		return fd;
	fd = target_open_mapping(s->target, m, AGENT_FILE_MOST, d);
	return fd >= 0 ? fd
		       : diag_set(
				 d, -fd,
				 "cannot open the agent's file in the target: the JVM's container has no /proc: give frtrace "
				 "CAP_CHECKPOINT_RESTORE");
}

static int attach_probe(struct session *s, struct diag *d)
{
	static const struct usdt_site sites[] = {{FRT_SITE_DRAIN, "frtrace", "drain"},
						 {FRT_SITE_THREAD, "frtrace", "thread"},
						 {FRT_SITE_MOUNT, "frtrace", "mount"}};
	struct usdt_file file = {.path = s->build.file_name, .pid = -1};
	struct mapping m;
	int found = target_find_mapping(s->target, s->build.file_name, &m, d), err;

	if (found < 0)
		return found;
	if (!found)
		return diag_set(d, ENOENT, "cannot find the agent '%s' in the target's mappings", s->build.file_name);
	s->bpf->bss->target = (struct frt_target){
		.pid_ns_dev = s->target->pid_ns_dev, .pid_ns_ino = s->target->pid_ns_ino, .tgid = s->target->ns_pid};
	if (s->with_kernel)
		kernel_probes_attach(&s->kernel, s->bpf, s->target, &s->segment, &m);
	file.fd = open_agent_file(s, &m, d);
	if (file.fd < 0)
		return file.fd;
	err = usdt_attach(&s->agent, s->bpf->progs.agent_site, &file, sites,
			  s->kernel.count ? sizeof(sites) / sizeof(sites[0]) : 2, d);
	close(file.fd);
	return err;
}

static void write_owner(struct session *s)
{
	struct frt_owner *o = &segment_recording(&s->segment)->owner;
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	segment_recording(&s->segment)->context.word = 0; /* of a killed collector */
	o->pid = getpid();
	o->uid = getuid();
	o->start_ns = t.tv_sec * 1000000000ULL + t.tv_nsec;
	snprintf(o->what, sizeof(o->what), "%s", filter_list_text(s->settings->filters, 0));
}

/* Stop the recording of a killed tracer that had the row, whose hooks the agent may not have removed yet. */
static int end_abandoned(struct session *s, struct diag *d)
{
	if (__atomic_load_n(&segment_recording(&s->segment)->state, __ATOMIC_ACQUIRE) == FRT_IDLE)
		return 0;
	return command(s, FRT_COMMAND_STOP, d);
}

static void init_options(const struct session *s, char out[32])
{
	snprintf(out, 32, "init %s", s->build.tag);
}

/* Become one of the agent's tracers. */
static int take_over(struct session *s, struct diag *d)
{
	int err = segment_claim(&s->segment, d);

	if (!err)
		write_owner(s);
	return err;
}

static int load_agent(struct session *s, struct diag *d)
{
	char options[32], text[AGENT_RESULT_TEXT];
	struct diag why;
	int result, err;

	err = archive_check(s->target, &why); /* again: a JVM that was starting has its flags by now */
	if (err)
		return diag_set(d, -err, "cannot trace process %d '%s': %s", s->target->pid, s->target->name, why.text);
	err = metaspace_check(&s->metaspace, d);
	if (err)
		return err;
	init_options(s, options);
	err = attach_load_agent(s->target, s->build.file_name, agent_image, agent_image_size(), s->settings->mount,
				options, AGENT_TIMEOUT_MS, &result, d);
	if (err || !result || result == FRT_ANOTHER_COPY)
		return err;
	return diag_set(d, EPROTO, "cannot trace process %d '%s': %s", s->target->pid, s->target->name,
			agent_result_text(result, text));
}

/* The agent is loaded once in the life of a JVM; later recordings find it there. */
static int find_agent(struct session *s, struct diag *d)
{
	int err = segment_open(&s->segment, s->target, s->build.tag, d);

	if (err != -ENOENT)
		return err;
	err = load_agent(s, d);
	return err ?: segment_open(&s->segment, s->target, s->build.tag, d);
}

static bool takes_probes(const struct session *s)
{
	return s->settings->probe == SETTINGS_PROBE_HOTSPOT;
}

int session_check_free(const struct session *s, struct diag *d)
{
	if (takes_probes(s))
		return 0;
	return segment_check_free(s->target, s->build.tag, d);
}

/* Choose the methods to be probed. */
static int attach_nothing(struct session *s, struct diag *d)
{
	const struct hotspot_source_setup setup = {
		.settings = s->settings, .target = s->target, .clock = s->clock, .segment = &s->segment, .bpf = s->bpf};
	double begin = monotonic_ns() / 1e6;
	const struct mapping no_agent = {.start = 0};
	int err = hotspot_source_new(&s->hotspot, &setup, d);

	if (!err && s->with_kernel)
		kernel_probes_attach(&s->kernel, s->bpf, s->target, &s->segment, &no_agent);
	s->cost.attach_ms = monotonic_ns() / 1e6 - begin;
	return err;
}

/* Never fails: a JVM that does not say it counts as one without a limit. */
static void session_look_at_metaspace(struct session *s)
{
	struct diag why = {0};

	if (metaspace_open(&s->metaspace, s->target, &why))
		log_detail("%s", why.text);
}

int session_attach(struct session *s, struct diag *d)
{
	double begin = monotonic_ns() / 1e6;
	int lock, err;

	if (takes_probes(s))
		return attach_nothing(s, d);
	err = attach_lock(s->target->pid, &lock, d);
	if (err)
		return err;
	err = session_check_free(s, d); /* again, now under the lock */
	if (!err)
		session_look_at_metaspace(s);
	if (!err)
		err = find_agent(s, d);
	if (!err)
		err = take_over(s, d);
	attach_unlock(s->target->pid, lock);
	if (!err)
		err = end_abandoned(s, d);
	if (!err)
		err = attach_probe(s, d);
	s->cost.attach_ms = monotonic_ns() / 1e6 - begin;
	return err;
}

void session_take_plan(struct session *s, const struct event_plan *plan)
{
	s->plan = plan;
}

void session_take_intrinsics(struct session *s, const struct intrinsics *wanted)
{
	s->wanted = wanted;
}

/* Returns 0, or -errno with the reason why the flags cannot be set. */
static int set_flags(struct session *s, struct diag *d)
{
	static const char *const names[] = {"DisableIntrinsic", "OptimizeStringConcat", "EliminateAutoBox"};
	struct frt_config *c = segment_config(&s->segment);
	uint64_t at[3];
	int err;

	if (s->target->jdk_version < INTRINSICS_SINCE)
		return diag_set(d, ENOTSUP, "a JVM before 17 cannot be made to call intrinsics");
	err = jvm_model_find_flags(s->target, names, 3, at, d);
	if (err)
		return err;
	if (!at[0])
		return diag_set(d, ENOTSUP, "this JVM has no flag DisableIntrinsic");
	c->flag_disable_intrinsic = at[0];
	c->flag_off[0] = s->wanted->concat ? at[1] : 0;
	c->flag_off[1] = s->wanted->boxing ? at[2] : 0;
	memcpy(c->intrinsics, s->wanted->names, sizeof(c->intrinsics));
	memcpy(c->exact, s->wanted->methods, sizeof(c->exact));
	return launch_command(s, "flags", AGENT_TIMEOUT_MS, d);
}

/* Without this the counts of intrinsics are lower bounds, and are shown as such. */
static void disable_intrinsics(struct session *s)
{
	struct diag d = {0};

	if (!s->wanted || !s->wanted->names[0])
		return;
	if (set_flags(s, &d))
		log_detail("%s", d.text);
	else
		log_detail("not replaced by machine code: %s", s->wanted->names);
}

int session_receive(struct session *s, int connection, struct diag *d)
{
	double begin = monotonic_ns() / 1e6;
	char options[32];
	int err;

	s->connection = connection;
	init_options(s, options);
	err = launch_command(s, "prepare", AGENT_TIMEOUT_MS, d);
	if (!err)
		err = segment_open(&s->segment, s->target, s->build.tag, d);
	if (!err)
		err = take_over(s, d);
	if (!err)
		err = attach_probe(s, d);
	if (!err)
		disable_intrinsics(s);
	if (!err && launch_socket_say(connection, "boot"))
		err = diag_set(d, ESRCH, "cannot trace: the JVM did not wait");
	s->cost.attach_ms = monotonic_ns() / 1e6 - begin;
	if (!err) /* no timeout: the JVM sets up its heap first, which may take long */
		err = launch_command(s, options, -1, d);
	s->begin_ms = monotonic_ns() / 1e6;
	return err;
}

void session_let_run(struct session *s)
{
	if (s->connection < 0)
		return;
	s->ran_early = launch_socket_say(s->connection, "run") != 0;
	close(s->connection);
	s->connection = -1;
}

bool session_ran_early(const struct session *s)
{
	return s->ran_early;
}

void session_take_stacks(struct session *s, uint32_t sources, const struct frt_layout *layout)
{
	s->stacks = sources;
	if (layout)
		s->layout = *layout;
}

static void measure_pause(struct session *s, bool known, uint64_t before)
{
	uint64_t after;

	s->cost.pause_known = known && !target_safepoint_ns(s->target, &after) && after >= before;
	if (s->cost.pause_known)
		s->cost.pause_ms = (after - before) / 1e6;
	else
		s->cost.pause_ms = segment_header(&s->segment)->retransform_ns / 1e6;
}

void session_take_waits(struct session *s, const struct kernel_sink *sink)
{
	s->waits = *sink;
}

void session_take_call_stacks(struct session *s, struct copied_stacks *stacks)
{
	s->call_stacks = stacks;
}

const char *session_no_waits(const struct session *s)
{
	return s->kernel.why.text;
}

const char *session_no_pauses(const struct session *s)
{
	return s->kernel.no_pauses.text;
}

const char *session_no_usage(const struct session *s)
{
	return s->kernel.no_usage.text;
}

static void choose_wait_stacks(struct session *s)
{
	bool wanted = s->waits.stacks && !s->settings->no_stack;

	s->bpf->bss->wait_setup = (struct frt_wait_setup){
		.longer = wanted ? s->settings->wait_stack_ns : ~0ULL,
		.known = wanted && s->layout.jdk_version && s->layout.anchor_sp < FRT_ANCHOR &&
			 s->layout.anchor_pc < FRT_ANCHOR && s->layout.anchor_fp < FRT_ANCHOR,
		.anchor_sp = s->layout.anchor_sp,
		.anchor_pc = s->layout.anchor_pc,
		.anchor_fp = s->layout.anchor_fp,
		.hold = s->settings->thrown || settings_has_roots(s->settings) ||
			filter_list_threshold(s->settings->filters, s->settings->threshold_ns) > 0,
	};
}

static int make_natives(struct session *s, const struct stream_sink *sink, struct diag *d)
{
	struct natives_setup setup = {.settings = s->settings,
				      .target = s->target,
				      .segment = &s->segment,
				      .clock = s->clock,
				      .bpf = s->bpf,
				      .layout = &s->layout,
				      .stacks = s->call_stacks,
				      .threads = &s->threads,
				      .sink = *sink};

	s->natives = natives_new(&setup);
	return s->natives ? 0 : diag_errno(d, ENOMEM, "cannot trace native methods");
}

static int start_probes(struct session *s, const struct intake_setup *setup, struct diag *d)
{
	double begin = monotonic_ns() / 1e6;
	int err = intake_new(&s->intake, setup, d);

	choose_wait_stacks(s);
	if (s->layout.jdk_version && s->call_stacks)
		hotspot_source_take_stacks(s->hotspot, &s->layout, s->call_stacks);
	if (s->kernel.count && s->waits.wait)
		hotspot_source_follow(s->hotspot, &s->layout);
	if (!err)
		err = hotspot_source_start(s->hotspot, d);
	if (err)
		return err;
	intake_begin(s->intake);
	s->started = s->cost.pause_known = true;
	s->cost.attach_ms += monotonic_ns() / 1e6 - begin;
	return 0;
}

int session_start(struct session *s, const struct stream_sink *sink, struct diag *d)
{
	double begin = s->begin_ms ?: monotonic_ns() / 1e6;
	uint64_t before = 0;
	bool known = !target_safepoint_ns(s->target, &before);
	bool inside = settings_has_roots(s->settings);
	struct intake_setup intake = {.segment = &s->segment,
				      .bpf = s->bpf,
				      .kernel = &s->kernel,
				      .waits = s->waits,
				      .sink = sink,
				      .hotspot = s->hotspot,
				      .inside = inside};
	struct agent_config config = {.settings = s->settings,
				      .clock = s->clock,
				      .stacks = s->stacks,
				      .layout = &s->layout,
				      .plan = s->plan,
				      .mounts = (inside || s->kernel.count) && s->target->jdk_version >= VIRTUAL_SINCE,
				      .memory_limit = target_memory_limit(s->target)};
	uint32_t epoch = 0;
	int err;

	if (s->hotspot)
		return start_probes(s, &intake, d);
	if (!s->metaspace.target) /* a JVM that we started takes commands now */
		session_look_at_metaspace(s);
	config.limited = s->metaspace.limited;
	choose_wait_stacks(s);
	err = make_natives(s, sink, d);
	intake.natives = s->natives;
	err = err ?: intake_new(&s->intake, &intake, d);
	if (!err)
		err = agent_config_write(&config, &s->segment, d);
	segment_note_losses(&s->segment, &epoch);
	if (!err)
		err = command(s, FRT_COMMAND_START, d);
	if (err)
		return err;
	segment_note_losses(&s->segment, &epoch);
	intake_begin(s->intake);
	s->started = true;
	if (s->natives) {
		natives_tick(s->natives);
		natives_expect(s->natives);
	}
	s->cost.attach_ms += monotonic_ns() / 1e6 - begin;
	measure_pause(s, known, before);
	return 0;
}

static int open_dump_command(struct session *s, enum frt_command_kind kind, struct diag *d)
{
	uint32_t before = segment_recording(&s->segment)->open_dump;
	int err = command(s, kind, d);

	s->open_dump = !err && segment_recording(&s->segment)->open_dump != before;
	return err;
}

int session_unhook(struct session *s, struct diag *d)
{
	if (s->hotspot)
		return 0;
	return command(s, FRT_COMMAND_UNHOOK, d);
}

int session_take_open_dump(struct session *s, struct diag *d)
{
	if (s->hotspot) {
		hotspot_source_dump(s->hotspot);
		return 0;
	}
	if (s->natives)
		natives_dump(s->natives);
	return open_dump_command(s, FRT_COMMAND_OPEN_DUMP, d);
}

bool session_has_open_dump(const struct session *s)
{
	return s->open_dump;
}

int session_stop(struct session *s, struct diag *d)
{
	int err = 0;

	if (!s->started)
		return 0;
	s->started = s->open_dump = false;
	if (s->natives) {
		natives_stop(s->natives);
		intake_drain(s->intake);
		natives_dump(s->natives);
	}
	if (s->hotspot) {
		hotspot_source_stop(s->hotspot);
		intake_drain(s->intake);
		hotspot_source_dump(s->hotspot);
	} else if (!target_ended(s->target)) {
		err = open_dump_command(s, FRT_COMMAND_STOP, d);
		if (target_ended(s->target))
			err = 0;
	}
	intake_finish(s->intake);
	if (s->natives)
		natives_finish(s->natives);
	if (s->hotspot)
		hotspot_source_finish(s->hotspot);
	return err;
}

const struct metaspace *session_metaspace(const struct session *s)
{
	return &s->metaspace;
}

uint64_t session_missed(const struct session *s)
{
	return s->hotspot ? hotspot_source_missed(s->hotspot) : 0;
}

uint64_t session_unseen(const struct session *s)
{
	return s->hotspot ? hotspot_source_unseen(s->hotspot) : 0;
}

/*
 * A class that was loaded has found no room for hooks: what the program has freed since is seen by the next ones. The queue
 * waits for the answer, so that is rare.
 */
static void session_look_for_room(struct session *s)
{
	const struct frt_room *room = &segment_header(&s->segment)->room;
	struct diag d = {0};
	int64_t now = monotonic_ms();

	if (!s->started || !s->metaspace.limited || s->metaspace.begins || now < s->room_ms ||
	    !__atomic_load_n(&room->wanted, __ATOMIC_RELAXED))
		return;
	if (command(s, FRT_COMMAND_ROOM, &d))
		log_detail("%s", d.text);
	s->room_ms = monotonic_ms() + ROOM_MS;
}

int session_beat(struct session *s, struct diag *d)
{
	int err = s->hotspot ? hotspot_source_tick(s->hotspot, d) : 0;

	if (!segment_beat(&s->segment) && !err)
		err = diag_set(d, ECANCELED,
			       "the agent took its hooks out: it had no sign of life from frtrace for 30 s");
	if (!err && !s->hotspot)
		session_look_for_room(s);
	return err;
}

const struct segment *session_segment(const struct session *s)
{
	return &s->segment;
}

void session_take_dump(struct session *s, const char *dump)
{
	java_threads_read(&s->threads, dump);
}

bool session_will_probe(const struct session *s)
{
	return natives_may_probe(s->natives) || (s->hotspot && hotspot_source_may_probe(s->hotspot));
}

struct natives *session_natives(const struct session *s)
{
	return s->natives;
}

struct intake *session_intake(const struct session *s)
{
	return s->intake;
}

const struct session_cost *session_cost(const struct session *s)
{
	return &s->cost;
}
