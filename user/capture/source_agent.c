// SPDX-License-Identifier: BSD-2-Clause
/* The agent as the source of calls: bring it into the target, configure it, and send it commands. */
#include "user/capture/session_internal.h"
#include "user/capture/agent_commands.h"
#include "user/capture/usdt.h"
#include "user/jvm/archive.h"
#include "user/jvm/event_plan.h"
#include "user/jvm/intrinsics.h"
#include "user/jvm/jvm_model.h"
#include "user/process/attach.h"
#include "user/process/launch_socket.h"
#include "user/process/maps.h"
#include "user/process/run_directory.h"
#include "user/text/io.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include "frtrace.skel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROOM_MS 10000 /* between two looks for room in metaspace */

#define GROW_BELOW_NS  2000000
#define RING_CAP       (4u << 20)
#define RING_CAP_LEAST (64u << 10)
#define FRAMES_LEAST   4096u

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
						 {FRT_SITE_MOUNT, "frtrace", "mount"},
						 {FRT_SITE_POLL, "frtrace", "poll"}};
	struct usdt_file file = {.path = s->build.file_name, .pid = -1};
	struct mapping m;
	size_t count = sizeof(sites) / sizeof(sites[0]);
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
	if (!s->kernel.count)
		count = 2;
	else if (!settings_names_resources(s->settings))
		count--;
	err = usdt_attach(&s->agent, s->bpf->progs.agent_site, &file, sites, count, d);
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

static int agent_check_free(struct session *s, struct diag *d)
{
	return segment_check_free(s->target, s->build.tag, d);
}

/* Never fails: a JVM that does not say it counts as one without a limit. */
static void agent_look_at_metaspace(struct session *s)
{
	struct diag why = {0};

	if (metaspace_open(&s->metaspace, s->target, &why))
		log_detail("%s", why.text);
}

static int agent_attach(struct session *s, struct diag *d)
{
	int lock, err = attach_lock(s->target->pid, &lock, d);

	if (err)
		return err;
	err = agent_check_free(s, d); /* again, now under the lock */
	if (!err)
		agent_look_at_metaspace(s);
	err = err ?: find_agent(s, d) ?: take_over(s, d);
	attach_unlock(s->target->pid, lock);
	return err ?: end_abandoned(s, d) ?: attach_probe(s, d);
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
	err = launch_command(s, "prepare", AGENT_TIMEOUT_MS, d)
		      ?: segment_open(&s->segment, s->target, s->build.tag, d) ?: take_over(s, d) ?: attach_probe(s, d);
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

/* Rings get 1 % of the container's memory; with stacks they get half of that, and frames the rest. */
static uint64_t ring_cap(uint32_t stacks, uint64_t budget)
{
	uint64_t cap = stacks ? budget / 2 : budget;

	if (cap > RING_CAP)
		cap = RING_CAP;
	return cap < RING_CAP_LEAST ? RING_CAP_LEAST : cap;
}

static uint32_t stack_frames(uint64_t budget, uint64_t rings)
{
	uint64_t limit = budget > rings ? (budget - rings) / sizeof(struct frt_frame) : 0;
	uint32_t frames = FRT_STACK_FRAMES;

	while (frames > FRAMES_LEAST && frames > limit)
		frames /= 2;
	return frames;
}

/* Has a recording events that need to know which virtual thread runs? */
static bool events_need_mounts(const struct event_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->event[i].outermost || l->event[i].from)
			return true;
	return false;
}

/* Write the agent's configuration (struct frt_config). */
static int agent_configure(const struct session *s, struct diag *d)
{
	const struct settings *settings = s->settings;
	struct frt_config *c = segment_config(&s->segment);
	uint64_t budget = target_memory_limit(s->target) / 100;
	bool inside = settings_has_roots(settings);
	bool tasks = settings_has_tasks(settings);
	bool mounts =
		(inside || tasks || settings->alloc || s->kernel.count || events_need_mounts(&settings->events)) &&
		s->target->jdk_version >= TARGET_VIRTUAL_SINCE;
	void *program = NULL;
	size_t size, plan_at, plan_size;
	int err = filter_list_compile(settings->filters, &program, &size, d);

	if (err)
		return err;
	plan_at = (size + 7) / 8 * 8;
	plan_size = s->plan ? s->plan->bytes.size : 0;
	if (plan_at + plan_size > FRT_CONFIG_SIZE - sizeof(*c)) {
		free(program);
		return diag_usage(d, "too many filters or events: %zu bytes, at most %zu", plan_at + plan_size,
				  FRT_CONFIG_SIZE - sizeof(*c));
	}
	c->threshold = clock_ticks_of_ns(s->clock, settings->threshold_ns);
	c->ring_cap = ring_cap(s->stacks, budget);
	c->grow_ticks = clock_ticks_of_ns(s->clock, GROW_BELOW_NS);
	c->wait_ticks = clock_ticks_of_ns(s->clock, settings->lossless_ns);
	c->stack_depth = s->stacks ? settings->stack_depth : 0;
	c->stacks = s->stacks;
	c->open_dump_depth = settings->no_stack ? 0 : settings->stack_depth;
	c->stack_frames = stack_frames(budget, c->ring_cap);
	c->layout = s->layout;
	c->cell_cap = 4 * c->ring_cap;
	c->tick_scale = clock_ticks_of_ns(s->clock, 1ULL << 32);
	c->flags = (settings->thrown ? FRT_CONFIG_THROWN : 0) |
		   (settings->interval_ns || settings->metrics ? FRT_CONFIG_TIMED : 0) |
		   (s->metaspace.limited ? FRT_CONFIG_LIMITED : 0) | (mounts ? FRT_CONFIG_MOUNTS : 0) |
		   (settings->fields == SETTINGS_FIELDS_ALL ? FRT_CONFIG_THROWN_CLASS : 0) |
		   (inside ? FRT_CONFIG_INSIDE : 0) | (tasks ? FRT_CONFIG_TASKS : 0) |
		   (settings->alloc ? FRT_CONFIG_ALLOCATED : 0) |
		   (settings->until != SETTINGS_UNTIL_CALL ? FRT_CONFIG_UNTIL : 0) |
		   (settings->until == SETTINGS_UNTIL_NAMED ? FRT_CONFIG_UNTIL_CALL : 0);
	c->allocated = s->allocated;
	c->keep = settings->keep;
	memcpy(c->place, settings->handoffs.place, sizeof(c->place));
	c->pattern_size = size;
	memcpy(c + 1, program, size);
	c->plan_size = plan_size;
	if (plan_size)
		memcpy((char *)(c + 1) + plan_at, s->plan->bytes.data, plan_size);
	free(program);
	return 0;
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

static int agent_start_recording(struct session *s, struct diag *d)
{
	uint64_t before = 0;
	bool known = !target_safepoint_ns(s->target, &before);
	uint32_t epoch = 0;
	int err;

	if (!s->metaspace.target) /* a JVM that we started takes commands now */
		agent_look_at_metaspace(s);
	err = agent_configure(s, d);
	segment_note_losses(&s->segment, &epoch);
	err = err ?: command(s, FRT_COMMAND_START, d);
	if (err)
		return err;
	segment_note_losses(&s->segment, &epoch);
	measure_pause(s, known, before);
	return 0;
}

static int agent_unhook(struct session *s, struct diag *d)
{
	return command(s, FRT_COMMAND_UNHOOK, d);
}

static int open_dump_command(struct session *s, enum frt_command_kind kind, struct diag *d)
{
	uint32_t before = segment_recording(&s->segment)->open_dump;
	int err = command(s, kind, d);

	s->open_dump = !err && segment_recording(&s->segment)->open_dump != before;
	return err;
}

static int agent_dump(struct session *s, struct diag *d)
{
	return open_dump_command(s, FRT_COMMAND_OPEN_DUMP, d);
}

static int agent_stop(struct session *s, struct diag *d)
{
	int err = target_ended(s->target) ? 0 : open_dump_command(s, FRT_COMMAND_STOP, d);

	return target_ended(s->target) ? 0 : err;
}

/*
 * A class that was loaded has found no room for hooks: what the program has freed since is seen by the next ones. The queue
 * waits for the answer, so that is rare.
 */
static int agent_look_for_room(struct session *s, struct diag *unused)
{
	const struct frt_room *room = &segment_header(&s->segment)->room;
	struct diag d = {0};
	int64_t now = monotonic_ms();

	if (!s->started || !s->metaspace.limited || s->metaspace.begins || now < s->room_ms ||
	    !__atomic_load_n(&room->wanted, __ATOMIC_RELAXED))
		return 0;
	if (command(s, FRT_COMMAND_ROOM, &d))
		log_detail("%s", d.text);
	s->room_ms = monotonic_ms() + ROOM_MS;
	return 0;
}

static void agent_release(struct session *s)
{
	usdt_detach(s->agent);
	io_close(s->connection);
}

const struct call_source source_agent = {.step = {[SOURCE_CHECK] = agent_check_free,
						  [SOURCE_ATTACH] = agent_attach,
						  [SOURCE_START] = agent_start_recording,
						  [SOURCE_TICK] = agent_look_for_room,
						  [SOURCE_UNHOOK] = agent_unhook,
						  [SOURCE_DUMP] = agent_dump,
						  [SOURCE_STOP] = agent_stop},
					 .release = agent_release};
