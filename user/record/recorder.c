// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/recorder_internal.h"
#include "user/text/monotonic.h"
#include "user/capture/open_calls.h"
#include "user/process/process_context.h"
#include "user/process/trace_context.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_AGE_NS	 5000000000LL
#define DIRECTORY_AGE_NS 1000000000LL /* where somebody may follow the chunks */
#define FIRST_AGE_NS	 1000000000LL /* from the first call to the first chunk; a kill before that loses all calls */
#define READ_NS		 100000000LL  /* CPU time for stacks in one recorder_read_stacks(), */
#define LAST_NS		 5000000000LL /* and at the end */
#define BEHIND_NS	 5000000000LL /* maximum time that spans wait for stacks */
#define FOR_EVER_NS	 (INT64_MAX / 4)

int64_t recorder_chunk_age(const struct recorder *r)
{
	return output_is_directory(r->setup.output) || output_is_stream(r->setup.output) ? DIRECTORY_AGE_NS
											 : CHUNK_AGE_NS;
}

int64_t recorder_timing_interval(const struct recorder *r)
{
	const struct jfc_period *p = &r->setup.settings->timing_period;

	if (p->kind != JFC_TIME)
		return CHUNK_AGE_NS;
	return p->ns < FOR_EVER_NS ? (int64_t)p->ns : FOR_EVER_NS;
}

int64_t recorder_ticks_of(const struct recorder *r, int64_t monotonic)
{
	return monotonic + r->setup.target->monotonic_offset;
}

int recorder_remark(struct recorder *r, const char *kind, const char *text)
{
	int err = recording_info_remark(&r->info, kind, text);

	if (!err && r->open)
		jfr_message(r->writer, recorder_ticks_of(r, monotonic_ns()), kind, text);
	return err;
}

static void recorder_put_clock(struct recorder *r, int64_t at)
{
	const struct clock_pair *p = clock_last(r->setup.clock);
	struct jfr_clock e = {
		.start = at,
		.tsc = p->tsc,
		.monotonic = recorder_ticks_of(r, p->monotonic),
		.realtime = p->monotonic + clock_realtime_offset(),
		.error = p->error,
	};

	jfr_clock(r->writer, &e);
}

/*
 * Look what the program publishes of itself, and whether it publishes distributed traces now. All calls of a chunk have the same fields, so the agent is
 * told between two chunks. Once the fields are there, they stay.
 */
static void look_at_program(struct recorder *r)
{
	struct frt_context where;
	struct diag ignored;

	if (r->program)
		r->info.program = process_context_read(r->program);
	if (!r->traces)
		return;
	if (trace_context_find(r->traces, r->info.program && r->info.program->threads_unknown, &where) && !r->trace_ids)
		r->trace_ids = !jfr_writer_add_trace_ids(r->writer, &ignored);
	if (r->trace_ids)
		trace_context_store(&segment_recording(r->setup.segment)->context, &where);
}

/* Begin a chunk with all data about the recording, so that it can be read alone when older ones have been dropped. */
static int begin_chunk(struct recorder *r, struct diag *d)
{
	int64_t at = r->chunk ? recorder_ticks_of(r, monotonic_ns()) : r->start_ticks;
	int err;

	look_at_program(r);
	err = jfr_chunk_begin(r->writer, at, d);
	if (err)
		return err;
	r->open = true;
	r->chunk++;
	frames_next_chunk(r->frames);
	thread_keys_next_chunk(r->threads);
	span_events_next_chunk(r->events);
	r->chunk_start = at;
	recording_info_put(&r->info, r->writer, at);
	recorder_put_clock(r, at);
	return 0;
}

const struct process_context *recorder_program(const struct recorder *r)
{
	return r->info.program;
}

/* All events get the same time: readers treat those with the latest time as one snapshot. */
static void put_timing(struct recorder *r)
{
	int64_t now = monotonic_ns();

	if (!r->info.timed || !r->open)
		return;
	timings_read(&r->sums, r->setup.segment);
	if (r->sums.forged && !r->forged)
		recorder_remark(r, "forged", "the agent's tables are forged: times and counts of methods are wrong");
	r->forged |= r->sums.forged;
	timing_events_put(r->writer, &r->methods, &r->sums, r->setup.segment, r->setup.clock,
			  recorder_ticks_of(r, now));
	r->timing_due = now + recorder_timing_interval(r);
}

/* What has been recorded since the last written chunk is lost. Returns `err`. */
static int recorder_fail(struct recorder *r, int err, const struct diag *d)
{
	r->failed = true;
	if (d != &r->failure)
		r->failure = *d;
	if (r->breakdown)
		breakdown_stop(r->breakdown);
	r->counts.unwritten += r->counts.events - r->written.events;
	r->counts.events = r->written.events;
	r->counts.thrown = r->written.thrown;
	return err;
}

/* Learn whether the last chunk was written; `wait`: wait for it. */
static int recorder_learn(struct recorder *r, bool wait, struct diag *d)
{
	int err = output_result(r->setup.output, wait, d);

	if (err == -EINPROGRESS)
		return 0;
	if (err)
		return recorder_fail(r, err, d);
	r->written = r->put;
	return 0;
}

/* Begin to write the open chunk. `final`: it is the last one. */
static int recorder_finish_chunk(struct recorder *r, bool final, struct diag *d)
{
	const void *bytes;
	size_t size;
	int err;

	if (!r->open)
		return 0;
	if (r->breakdown && !final)
		breakdown_put_ahead(r->breakdown);
	r->open = false;
	err = jfr_chunk_finish(r->writer, recorder_ticks_of(r, monotonic_ns()), final, &bytes, &size, d) ?:
		      recorder_learn(r, true, d) ?:
		      output_put(r->setup.output, jfr_chunk_memory(r->writer), d);
	if (err)
		return recorder_fail(r, err, d);
	r->put = r->counts;
	return recorder_learn(r, final, d);
}

/* Must the open chunk be closed? */
static bool chunk_is_due(const struct recorder *r)
{
	int64_t now = monotonic_ns();

	return jfr_chunk_size(r->writer) >= r->chunk_size ||
	       recorder_ticks_of(r, now) - r->chunk_start >= recorder_chunk_age(r) ||
	       (r->chunk == 1 && r->first_call && now - r->first_call >= FIRST_AGE_NS);
}

bool recorder_forget_methods(struct recorder *r)
{
	if (!r->setup.resolver || !resolver_is_full(r->setup.resolver))
		return false;
	frames_forget_resolved(r->frames);
	method_keys_forget_resolved(&r->methods);
	resolver_forget(r->setup.resolver);
	return true;
}

static void put_paths(struct recorder *r, bool all)
{
	struct paths *paths = r->breakdown && r->open ? breakdown_paths(r->breakdown) : NULL;
	uint64_t left_out = paths ? paths_left_out(paths) : 0;
	char text[80];

	if (paths)
		paths_tick(paths, all);
	if (!all || !left_out)
		return;
	snprintf(text, sizeof(text), "%llu calls have no path: too many came at a time", (unsigned long long)left_out);
	recorder_remark(r, "paths", text);
}

bool recorder_awaits_paths(const struct recorder *r)
{
	const struct paths *paths = r->breakdown ? breakdown_paths(r->breakdown) : NULL;

	return paths && paths_are_due(paths);
}

int recorder_tick(struct recorder *r, struct diag *d)
{
	int err;

	if (r->failed) {
		r->untold = false;
		*d = r->failure;
		return -EIO;
	}
	err = recorder_learn(r, false, d);
	if (err)
		return err;
	if (r->breakdown)
		breakdown_look_on(r->breakdown);
	if (r->info.timed && monotonic_ns() >= r->timing_due)
		put_timing(r);
	if (!recorder_behind(r)) /* else the waits that have been asked for may be unread */
		put_paths(r, false);
	if (r->open && chunk_is_due(r))
		err = recorder_finish_chunk(r, false, d);
	return err || r->open ? err : begin_chunk(r, d);
}

uint64_t recorder_unwritten(const struct recorder *r)
{
	return r->open ? jfr_chunk_size(r->writer) : 0;
}

static void note_behind(struct recorder *r)
{
	if (!frames_behind(r->frames))
		r->behind_since = 0;
	else if (!r->behind_since)
		r->behind_since = monotonic_ns();
}

bool recorder_read_stacks(struct recorder *r, bool all)
{
	bool news;

	budget_set(&r->budget, all ? LAST_NS : READ_NS);
	news = frames_read(r->frames, all);
	note_behind(r);
	if (!all)
		budget_set(&r->budget, RECORDER_ROUND_NS);
	return news;
}

bool recorder_behind(const struct recorder *r)
{
	return r->behind_since && monotonic_ns() - r->behind_since < BEHIND_NS;
}

void recorder_last_round(struct recorder *r)
{
	budget_set(&r->budget, LAST_NS);
}

void recorder_add_timing(struct recorder *r)
{
	int64_t now = monotonic_ns();

	if (r->info.timed)
		return;
	r->info.timed = true;
	r->timing_due = now + recorder_timing_interval(r);
	if (r->open)
		jfr_active_setting(r->writer, recorder_ticks_of(r, now), "jdk.MethodTiming", "enabled", "true");
}

bool recorder_forged(const struct recorder *r)
{
	return r->forged;
}

uint64_t recorder_timed_calls(const struct recorder *r, uint32_t method)
{
	return r->sums.of[method].count;
}

int recorder_cut(struct recorder *r, struct diag *d)
{
	if (r->failed || !r->open)
		return diag_set(d, EIO, "the recording cannot be written any more");
	put_timing(r);
	return recorder_finish_chunk(r, false, d) ?: recorder_learn(r, true, d) ?: begin_chunk(r, d);
}

int recorder_finish(struct recorder *r, bool target_ended, struct diag *d)
{
	int err = r->open || r->failed ? 0 : begin_chunk(r, d);

	if (r->untold) {
		*d = r->failure;
		return -EIO;
	}
	if (err || r->failed) /* a failure has been reported already */
		return err;
	trace_context_store(&segment_recording(r->setup.segment)->context, &(struct frt_context){.word = 0});
	put_timing(r);
	put_paths(r, true);
	if (target_ended)
		jfr_shutdown(r->writer, recorder_ticks_of(r, monotonic_ns()), "the JVM's process has ended");
	return recorder_finish_chunk(r, true, d);
}

void recorder_note_loss(struct recorder *r, uint64_t spans)
{
	uint64_t more = spans - r->loss_noted;

	if (spans <= r->loss_noted || !r->open)
		return;
	r->loss_noted = spans;
	jfr_data_loss(r->writer, recorder_ticks_of(r, monotonic_ns()), more * FRT_RECORD_SIZE, spans * FRT_RECORD_SIZE);
}

/* How many of `n` more calls may be recorded: --max-events. */
static size_t recorder_room(const struct recorder *r, size_t n)
{
	uint64_t limit = r->setup.settings->max_events, left = limit > r->counts.events ? limit - r->counts.events : 0;

	return limit && left < n ? left : n;
}

/* An event between two calls that has not ended is a call that is open. */
static void recorder_on_begun(struct recorder *r, const struct frt_field *value)
{
	struct begun_event b;

	if (!user_events_begun(r->users, value, &b)) {
		r->tasks.torn++;
		return;
	}
	jfr_open_call(r->writer,
		      &(struct jfr_open_call){.start = b.start,
					      .duration = b.duration,
					      .thread = b.thread,
					      .method = b.method ? method_keys_traced(&r->methods, b.method) : 0,
					      .remark = b.remark});
}

static void recorder_on_task(struct recorder *r, const struct frt_span *s, const struct frt_field *values, size_t n,
			     const struct stream_vthread *v)
{
	if (r->failed || !r->open) {
		r->counts.tasks_torn = ++r->tasks.torn;
		return;
	}
	if (r->users && n && values[0].form == FRT_FORM_SINCE)
		recorder_on_begun(r, values);
	else
		task_events_put(&r->tasks, s, values, n, v);
	r->counts.tasks_torn = r->tasks.torn;
}

static void recorder_on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	struct recorder *r = context;
	size_t spans = stream_spans(s, n), values = n - spans;

	if (s->flags & FRT_SPAN_TASK) {
		recorder_on_task(r, s, (const struct frt_field *)(s + 1), values, v);
		return;
	}
	spans = recorder_room(r, spans);
	if (r->failed || !r->open) {
		r->counts.unwritten += spans;
		return;
	}
	if (values && spans)
		span_events_put_values(r->events, s, (const struct frt_field *)(s + 1), values, v);
	else
		span_events_put(r->events, s, spans, v);
	r->counts.events += spans;
	for (size_t i = 0; i < spans; i++) {
		r->counts.thrown += !!(s[i].flags & FRT_SPAN_THROWN);
		r->counts.untaken += s[i].stack == FRT_STACK_UNTAKEN;
	}
	if (spans && !r->first_call)
		r->first_call = monotonic_ns();
}

static void on_open_call(void *context, const struct open_call *c)
{
	struct recorder *r = context;
	const struct clock_pair *now = clock_last(r->setup.clock);
	uint64_t start = c->start < now->tsc ? c->start : now->tsc;
	struct jfr_open_call e = {.remark = c->remark};

	e.start = recorder_ticks_of(r, clock_ns(r->setup.clock, start));
	e.duration = recorder_ticks_of(r, now->monotonic) - e.start;
	if (r->breakdown)
		breakdown_claim_open(r->breakdown, c, clock_ns(r->setup.clock, start));
	e.thread = thread_keys_of(r->threads, c->thread, c->vthread.java_id ? &c->vthread : NULL);
	e.stack = c->native ? frames_key(r->frames, FRAMES_OURS, c->stack, FRT_NO_METHOD)
			    : frames_key(r->frames, FRAMES_AGENTS, c->stack, c->method);
	e.method = method_keys_traced(&r->methods, c->method);
	jfr_open_call(r->writer, &e);
}

uint64_t recorder_put_open_calls(struct recorder *r, const char *no_stacks)
{
	struct segment_totals t;
	uint64_t shown;
	char text[320];
	bool others;

	if (r->failed || !r->open)
		return 0;
	clock_sample(r->setup.clock);
	shown = open_calls_each(r->setup.segment, no_stacks, on_open_call, r);
	segment_totals(r->setup.segment, &t);
	if (t.open > shown) {
		others = segment_is_shared(r->setup.segment);
		snprintf(
			text, sizeof(text),
			"%llu more are not listed: of a thread the outermost %u are; of virtual threads %u, of one some "
			"32, and with --kernel=off before JDK 24 those that begin at a rate below 100,000 a second%s",
			(unsigned long long)(t.open - shown), FRT_OPEN_CALLS, FRT_VIRTUAL_CALLS,
			others ? "; another recording goes on, so that some have ended by now" : "");
		recorder_remark(r, "open calls", text);
	}
	return shown;
}

static void recorder_on_cover(void *context, uint64_t tsc)
{
	struct recorder *r = context;

	clock_cover(r->setup.clock, tsc);
	if (r->failed || !r->open || jfr_chunk_size(r->writer) < r->chunk_size)
		return;
	if (recorder_finish_chunk(r, false, &r->failure)) /* recorder_tick() or recorder_finish() returns the error */
		r->untold = true;
	else
		begin_chunk(r, &r->failure);
}

struct stream_sink recorder_sink(struct recorder *r)
{
	return (struct stream_sink){.spans = recorder_on_spans, .cover = recorder_on_cover, .context = r};
}

struct copied_stacks *recorder_copied_stacks(const struct recorder *r)
{
	return r->copied;
}

struct breakdown *recorder_breakdown(const struct recorder *r)
{
	return r->breakdown;
}

const struct recorder_counts *recorder_counts(const struct recorder *r)
{
	return &r->counts;
}

void recorder_listen(struct recorder *r, enum recorded_listener who, recorded_seen *seen, void *context)
{
	span_events_listen(r->events, who, seen, context);
}

void recorder_event_gaps(const struct recorder *r, void (*report)(const char *text, void *context), void *context)
{
	user_events_gaps(r->users, report, context);
}

void recorder_count_frames(const struct recorder *r, struct frames_counts *out)
{
	frames_count(r->frames, out);
}

bool recorder_full(const struct recorder *r)
{
	return !recorder_room(r, 1);
}
