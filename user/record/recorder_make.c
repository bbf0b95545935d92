// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/recorder_internal.h"
#include "user/jvm/jvm_model.h"
#include "user/process/process_context.h"
#include "user/process/trace_context.h"
#include "user/stacks/kernel_symbols.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define CHUNK_SIZE (12u << 20)

static int open_writer(struct recorder *r, struct diag *d)
{
	time_t now = time(NULL);
	struct jfr_origin origin = {.locale = "en_US",
				    .kernel = r->setup.kernel,
				    .allocated = r->setup.settings->alloc,
				    .until = r->setup.settings->until != SETTINGS_UNTIL_CALL,
				    .samples = r->setup.settings->cpu_ns,
				    .jdk_fields = r->setup.settings->fields == SETTINGS_FIELDS_JDK};
	int64_t monotonic = monotonic_ns();
	struct tm local;

	localtime_r(&now, &local);
	origin.start_ticks = r->start_ticks = recorder_ticks_of(r, monotonic);
	origin.start_nanos = monotonic + clock_realtime_offset();
	origin.dst_ms = local.tm_isdst > 0 ? 3600000 : 0;
	origin.gmt_offset_ms = local.tm_gmtoff * 1000L - origin.dst_ms;
	r->info.start_epoch_ms = origin.start_nanos / 1000000;
	origin.user = user_events_types(r->users, &origin.users);
	return jfr_writer_new(&r->writer, &origin, d);
}

static int make_keys(struct recorder *r, struct diag *d)
{
	const struct settings *settings = r->setup.settings;
	bool stacks = !settings->no_stack && (r->setup.resolver || settings->stacks != SETTINGS_STACKS_WALK);
	struct frames_setup setup = {.methods = &r->methods,
				     .resolver = r->setup.resolver,
				     .depth = {stacks ? settings->stack_depth : 0, settings->stack_depth},
				     .budget = &r->budget};

	method_keys_init(&r->methods, r->writer, r->setup.segment);
	if (r->setup.model) {
		r->names = thread_names_new(&r->setup.model->layout, &r->setup.model->remote.mem, r->setup.target);
		r->methods.packages = packages_new(&r->setup.model->layout, &r->setup.model->remote.mem);
	}
	r->threads = thread_keys_new(r->writer, r->setup.segment, r->names);
	if (!r->threads || (r->setup.model && (!r->names || !r->methods.packages)))
		return diag_errno(d, ENOMEM, "cannot make a recorder");
	if (r->setup.model) /* without it no native stack is copied */
		setup.natives = r->natives = native_stacks_new(r->setup.target);
	return frames_new(&r->frames, &setup, d);
}

static int make_copied_stacks(struct recorder *r, struct diag *d)
{
	const struct jvm_model *model = r->setup.model;
	struct copied_stacks_setup setup = {.frames = r->frames,
					    .natives = r->natives,
					    .budget = &r->budget,
					    .layout = model ? &model->layout.walk : NULL,
					    .hotspot = model ? &model->layout : NULL,
					    .memory = model ? &model->remote.mem : NULL,
					    .no_kernel = kernel_symbols_hidden()[0]};

	return copied_stacks_new(&r->copied, &setup, d);
}

static int make_breakdown(struct recorder *r, struct diag *d)
{
	struct breakdown_setup setup = {.writer = r->writer,
					.threads = r->threads,
					.segment = r->setup.segment,
					.clock = r->setup.clock,
					.frames = r->frames,
					.walked = r->setup.resolver,
					.ticks_offset = r->setup.target->monotonic_offset,
					.start = r->start_ticks - r->setup.target->monotonic_offset,
					.samples = r->setup.settings->cpu_ns,
					.methods = r->setup.settings->path ? &r->methods : NULL,
					.path_roots = settings_has_roots(r->setup.settings),
					.path_named_ends = r->setup.settings->until == SETTINGS_UNTIL_NAMED,
					.peers = r->setup.peers,
					.no_pauses = r->setup.no_pauses};
	int err;

	if (r->setup.kernel == JFR_KERNEL_NONE && !r->setup.model)
		return 0;
	err = make_copied_stacks(r, d); /* also of native calls */
	if (err || r->setup.kernel == JFR_KERNEL_NONE)
		return err;
	return breakdown_new(&r->breakdown, &setup, d);
}

static int make_events(struct recorder *r, struct diag *d)
{
	struct span_events_setup setup = {.writer = r->writer,
					  .clock = r->setup.clock,
					  .threads = r->threads,
					  .methods = &r->methods,
					  .frames = r->frames,
					  .breakdown = r->breakdown,
					  .users = r->users,
					  .ticks_offset = r->setup.target->monotonic_offset,
					  .general = r->setup.settings->path};

	r->tasks = (struct task_events){.writer = r->writer,
					.clock = r->setup.clock,
					.threads = r->threads,
					.methods = &r->methods,
					.frames = r->frames,
					.paths = r->breakdown ? breakdown_paths(r->breakdown) : NULL,
					.ticks_offset = r->setup.target->monotonic_offset};
	if (r->users)
		user_events_between(r->users, r->setup.clock, setup.ticks_offset, r->threads);
	r->events = span_events_new(&setup);
	return r->events ? 0 : diag_errno(d, ENOMEM, "cannot make a recorder");
}

/* Without rights to the JVM's memory there is nothing, as in a JVM that publishes nothing. */
static void make_traces(struct recorder *r)
{
	const struct settings *s = r->setup.settings;

	if (s->trace_ids != SETTINGS_TRACE_IDS_AUTO || s->fields != SETTINGS_FIELDS_ALL)
		return;
	r->program = process_context_reader_new(r->setup.target, s->redact_key);
	if (s->source != SETTINGS_SOURCE_HOTSPOT)
		r->traces = trace_context_new(r->setup.target);
}

static int describe_recording(struct recorder *r, struct diag *d)
{
	r->info = (struct recording_info){.settings = r->setup.settings,
					  .destination = output_path(r->setup.output),
					  .flush_ms = recorder_chunk_age(r) / 1000000,
					  .stacks = r->setup.resolver,
					  .timed = filter_list_count(r->setup.settings->filters, FILTER_TIMING),
					  .waits = r->setup.kernel != JFR_KERNEL_NONE};
	return recording_info_read(&r->info, r->setup.target, d);
}

int recorder_new(struct recorder **out, const struct recorder_setup *setup, struct diag *d)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (!r)
		return diag_errno(d, ENOMEM, "cannot make a recorder");
	r->setup = *setup;
	budget_set(&r->budget, RECORDER_ROUND_NS);
	r->chunk_size = setup->settings->max_size / 4 < CHUNK_SIZE ? setup->settings->max_size / 4 : CHUNK_SIZE;
	r->timing_due = monotonic_ns() + recorder_timing_interval(r);
	err = describe_recording(r, d);
	if (!err && setup->plan)
		err = user_events_new(&r->users, setup->plan, setup->segment, setup->settings->threshold_ns,
				      setup->settings->values == SETTINGS_VALUES_MASKED, d);
	err = err ?: open_writer(r, d) ?: make_keys(r, d) ?: make_breakdown(r, d) ?: make_events(r, d);
	if (err) {
		recorder_free(r);
		return err;
	}
	make_traces(r);
	*out = r;
	return 0;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	trace_context_free(r->traces);
	process_context_reader_free(r->program);
	span_events_free(r->events);
	breakdown_free(r->breakdown);
	copied_stacks_free(r->copied);
	native_stacks_free(r->natives);
	recording_info_release(&r->info);
	frames_free(r->frames);
	thread_keys_free(r->threads);
	thread_names_free(r->names);
	timings_release(&r->sums);
	method_keys_release(&r->methods);
	jfr_writer_free(r->writer);
	user_events_free(r->users);
	free(r);
}
