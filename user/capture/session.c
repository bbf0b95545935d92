// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/session_internal.h"
#include "user/capture/bpf_programs.h"
#include "user/process/map_lock.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include "frtrace.skel.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

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
	if (settings->source == SETTINGS_SOURCE_HOTSPOT) {
		s->source[0] = &source_hotspot;
	} else {
		s->source[0] = &source_natives;
		s->source[1] = &source_agent;
	}
	agent_build_name(&s->build);
	if (map_guard_start(&s->guard, d))
		log_detail("%s", d->text);
	err = bpf_programs_load(&s->bpf, &s->kernel, settings, target, d);
	if (!err && settings->buffer == SETTINGS_BUFFER_PERF)
		err = intake_try(s->bpf, d);
	if (!err)
		intake_touch(s->bpf);
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
	for (size_t i = 0; i < 2 && s->source[i]; i++)
		s->source[i]->release(s);
	java_threads_release(&s->threads);
	kernel_probes_detach(&s->kernel);
	intake_free(s->intake);
	segment_close(&s->segment);
	frtrace_bpf__destroy(s->bpf);
	map_guard_free(s->guard);
	free(s);
}

/* Take a step of all sources, up to the first error. */
static int session_step(struct session *s, enum source_step step, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < 2 && s->source[i] && !err; i++)
		if (s->source[i]->step[step])
			err = s->source[i]->step[step](s, d);
	return err;
}

static bool session_take(void *session, const void *record, size_t size)
{
	struct session *s = session;

	for (size_t i = 0; i < 2 && s->source[i]; i++)
		if (s->source[i]->take && s->source[i]->take(s, record, size))
			return true;
	return false;
}

int session_check_free(struct session *s, struct diag *d)
{
	return session_step(s, SOURCE_CHECK, d);
}

int session_attach(struct session *s, struct diag *d)
{
	double begin = monotonic_ns() / 1e6;
	int err = session_step(s, SOURCE_ATTACH, d);

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

void session_take_stacks(struct session *s, uint32_t sources, const struct frt_layout *layout)
{
	s->stacks = sources;
	if (layout)
		s->layout = *layout;
}

void session_take_allocated(struct session *s, const struct frt_allocated *where)
{
	s->allocated = *where;
}

void session_take_waits(struct session *s, const struct kernel_sink *sink)
{
	s->waits = *sink;
}

void session_take_call_stacks(struct session *s, struct copied_stacks *stacks)
{
	s->call_stacks = stacks;
}

void session_count_calls(struct session *s, struct call_rates *rates)
{
	s->rates = rates;
}

/* For paths, have the owners of monitors read. */
static void choose_monitors(const struct frt_layout *l, struct frt_wait_setup *setup)
{
	if (!setup->path || !setup->known || l->thread_monitor == FRT_NO_OFFSET || l->monitor_owner == FRT_NO_OFFSET)
		return;
	setup->monitor = (uint64_t)l->thread_monitor - l->thread_anchor;
	setup->monitor_owner = l->monitor_owner;
}

static void choose_wait_stacks(struct session *s)
{
	bool wanted = s->waits.stacks && !s->settings->no_stack;
	struct frt_wait_setup setup = {
		.longer = wanted ? s->settings->wait_stack_ns : ~0ULL,
		.known = wanted && s->layout.jdk_version && s->layout.anchor_sp < FRT_ANCHOR &&
			 s->layout.anchor_pc < FRT_ANCHOR && s->layout.anchor_fp < FRT_ANCHOR,
		.resources = settings_names_resources(s->settings),
		.anchor_sp = s->layout.anchor_sp,
		.anchor_pc = s->layout.anchor_pc,
		.anchor_fp = s->layout.anchor_fp,
		.path = s->settings->path,
		.hold = !s->settings->path &&
			(s->settings->thrown || settings_has_roots(s->settings) ||
			 filter_list_threshold(s->settings->filters, s->settings->threshold_ns) > 0),
	};

	choose_monitors(&s->layout, &setup);
	s->bpf->bss->wait_setup = setup;
}

int session_start(struct session *s, const struct stream_sink *sink, struct diag *d)
{
	double begin = s->begin_ms ?: monotonic_ns() / 1e6;
	struct intake_setup intake = {.segment = &s->segment,
				      .bpf = s->bpf,
				      .kernel = &s->kernel,
				      .waits = s->waits,
				      .sink = sink,
				      .take = session_take,
				      .take_context = s,
				      .inside = settings_has_roots(s->settings),
				      .allocated = s->settings->alloc,
				      .rates = s->rates};
	int err;

	s->sink = *sink;
	choose_wait_stacks(s);
	err = intake_new(&s->intake, &intake, d);
	err = err ?: session_step(s, SOURCE_START, d);
	if (err)
		return err;
	intake_begin(s->intake);
	s->started = true;
	err = session_step(s, SOURCE_STARTED, d);
	kernel_probes_follow_threads(&s->kernel, s->bpf);
	s->cost.attach_ms += monotonic_ns() / 1e6 - begin;
	return err;
}

void session_sweep(struct session *s)
{
	struct diag none;

	intake_sweep(s->intake);
	session_step(s, SOURCE_SWEPT, &none);
}

int session_unhook(struct session *s, struct diag *d)
{
	return session_step(s, SOURCE_UNHOOK, d);
}

int session_take_open_dump(struct session *s, struct diag *d)
{
	return session_step(s, SOURCE_DUMP, d);
}

int session_stop(struct session *s, struct diag *d)
{
	int err;

	if (!s->started)
		return 0;
	s->started = s->open_dump = false;
	err = session_step(s, SOURCE_STOP, d);
	intake_finish(s->intake);
	session_step(s, SOURCE_FINISH, d);
	return err;
}

int session_beat(struct session *s, struct diag *d)
{
	if (!segment_beat(&s->segment))
		return diag_set(d, ECANCELED,
				"the agent took its hooks out: it had no sign of life from frtrace for 30 s");
	return session_step(s, SOURCE_TICK, d);
}

const struct segment *session_segment(const struct session *s)
{
	return &s->segment;
}

void session_take_dump(struct session *s, const char *dump)
{
	java_threads_read(&s->threads, dump);
}

struct intake *session_intake(const struct session *s)
{
	return s->intake;
}

struct session_facts session_facts(const struct session *s)
{
	struct session_facts f = {.no_waits = s->kernel.why.text,
				  .no_pauses = s->kernel.no_pauses.text,
				  .no_usage = s->kernel.no_usage.text,
				  .no_samples = s->kernel.no_samples.text,
				  .samples_lost = s->bpf && s->bpf->bss ? s->bpf->bss->samples_lost : 0,
				  .natives = s->natives,
				  .metaspace = &s->metaspace,
				  .cost = s->cost,
				  .open_dump = s->open_dump,
				  .ran_early = s->ran_early};

	hotspot_source_count(s->hotspot, &f.missed, &f.unseen);
	return f;
}

int session_find_peers(void *session, struct peer_look *looks, size_t n)
{
	struct session *s = session;

	return kernel_probes_find_peers(&s->kernel, s->bpf, looks, n);
}

bool session_will_probe(const struct session *s)
{
	return s->source[0]->may_probe(s); /* the agent has none */
}
