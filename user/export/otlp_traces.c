// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/otlp_traces.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>

#define EVENTS_MOST  128  /* of a span: what OpenTelemetry's own libraries take */
#define SUBMITS_MOST 1024 /* tasks that hand over tasks without a call, one after the other */

enum { SPAN_OF_CALL, SPAN_OF_WAIT };

/* What a call has beside its times; the number of the timeline's span is its index. That of a wait is its whole duration. */
struct otlp_traced_call {
	int64_t cpu, run_queue, blocked, pause;
	size_t values, values_size; /* where they are in `values` of all */
	struct otlp_id trace;	    /* of the program, until the call is placed */
	uint64_t within;	    /* the program's span; 0: none */
	uint64_t id, parent;	    /* from then on */
	int64_t queued;
	bool thrown;
};

/* What a wait has; its index is the link of the timeline's span. */
struct otlp_traced_wait {
	uint32_t waker, resource, service, process, container; /* texts */
};

struct otlp_traced_thread {
	uint32_t name;
	int64_t id;
};

/* The call that is open, when the spans of a track are read in their order, and the first of its waits in `wait`. */
struct open_call {
	size_t span, waits;
};

/* What the functions that write share. */
struct otlp_writer {
	struct otlp_traces *t;
	struct otlp *out;
	uint64_t seed;
};

void otlp_traces_init(struct otlp_traces *t)
{
	*t = (struct otlp_traces){.call = NULL};
	bytes_init(&t->values);
}

void otlp_traces_release(struct otlp_traces *t)
{
	free(t->call);
	free(t->waited);
	free(t->thread);
	free(t->open);
	free(t->wait);
	timeline_release(&t->timeline);
	texts_release(&t->texts);
	task_runs_release(&t->runs);
	bytes_release(&t->values);
}

/* ---- collecting */

int otlp_traces_add_call(struct otlp_traces *t, const struct otlp_call *call)
{
	struct timeline_span span = {.track = call->thread,
				     .name = texts_add(&t->texts, call->method),
				     .kind = SPAN_OF_CALL,
				     .nested.span = timeline_cut(call->start, call->duration, t->calls)};

	if (span.name == UINT32_MAX || vec_reserve(&t->call, &t->call_capacity, t->calls + 1))
		return -ENOMEM;
	t->call[t->calls++] = (struct otlp_traced_call){.cpu = call->cpu,
							.run_queue = call->run_queue,
							.blocked = call->blocked,
							.pause = call->pause,
							.queued = INT64_MIN,
							.values = t->values.size,
							.values_size = call->values_size,
							.trace = call->trace,
							.within = call->within,
							.thrown = call->thrown};
	bytes_put(&t->values, call->values, call->values_size);
	return t->values.failed ? -ENOMEM : timeline_add(&t->timeline, &span);
}

int otlp_traces_add_wait(struct otlp_traces *t, const struct otlp_wait *wait)
{
	uint64_t whole = timeline_moment(wait->duration);
	const struct otlp_peer *peer = &wait->peer;
	struct otlp_traced_wait waited = {texts_add(&t->texts, wait->waker), texts_add(&t->texts, peer->resource),
					  texts_add(&t->texts, peer->service), texts_add(&t->texts, peer->process),
					  texts_add(&t->texts, peer->container)};
	struct timeline_span span = {.track = wait->thread,
				     .name = texts_add(&t->texts, wait->reason),
				     .link = t->waited_count,
				     .kind = SPAN_OF_WAIT,
				     .wait = true,
				     .nested.span = timeline_cut(wait->start, wait->duration, whole)};

	if (span.name == UINT32_MAX || waited.waker == UINT32_MAX || waited.resource == UINT32_MAX ||
	    waited.service == UINT32_MAX || waited.process == UINT32_MAX || waited.container == UINT32_MAX ||
	    vec_reserve(&t->waited, &t->waited_capacity, t->waited_count + 1))
		return -ENOMEM;
	t->waited[t->waited_count++] = waited;
	return timeline_add(&t->timeline, &span);
}

int otlp_traces_add_task(struct otlp_traces *t, const struct otlp_task *task)
{
	struct task_runs *r = &t->runs;

	if (vec_reserve(&r->run, &r->capacity, r->count + 1))
		return -ENOMEM;
	r->run[r->count] = (struct task_run){.nested.span = timeline_cut(task->begun, task->run, r->count),
					     .submitted = timeline_moment(task->submitted),
					     .thread = task->thread + 1ull,
					     .submitter = task->submitter + 1ull};
	r->count++;
	return 0;
}

int otlp_traces_name_thread(struct otlp_traces *t, const char *name, int64_t id)
{
	uint32_t text = texts_add(&t->texts, name);

	if (text == UINT32_MAX || vec_reserve(&t->thread, &t->thread_capacity, t->threads + 1))
		return -ENOMEM;
	t->thread[t->threads++] = (struct otlp_traced_thread){text, id};
	return 0;
}

static void otlp_traces_forget(struct otlp_traces *t)
{
	timeline_release(&t->timeline);
	texts_release(&t->texts);
	task_runs_release(&t->runs);
	bytes_clear(&t->values);
	t->calls = t->threads = t->opened = t->waits = t->waited_count = 0;
}

static uint64_t otlp_id_of(const struct otlp_writer *w, size_t span, uint64_t use)
{
	return hash_mix(hash_mix(hash_mix(w->seed, use), span), use) ?: 1;
}

/* ---- placing */

static struct otlp_traced_call *otlp_call_of(const struct otlp_traces *t, const struct timeline_span *s)
{
	return &t->call[s->nested.span.number];
}

/* The span, or the innermost around it, that is a call's; NULL: none. */
static const struct timeline_span *otlp_call_in(const struct nested *inner)
{
	while (inner && ((const struct timeline_span *)inner)->kind != SPAN_OF_CALL)
		inner = inner->around;
	return (const struct timeline_span *)inner;
}

/* The innermost call of that thread at that moment; NULL: none. */
static const struct timeline_span *otlp_call_at(const struct otlp_traces *t, uint64_t thread, int64_t moment)
{
	const struct timeline *l = &t->timeline;
	size_t n = lower_bound(i, l->count,
			       l->span[i].track + 1ull > thread ||
				       (l->span[i].track + 1ull == thread && l->span[i].nested.span.start > moment));

	return n && l->span[n - 1].track + 1ull == thread ? otlp_call_in(nest_at(&l->span[n - 1].nested, moment))
							  : NULL;
}

/* The innermost call that handed over the task, or the task that did so, and so on; NULL: it is unknown. */
static const struct timeline_span *otlp_submitter(const struct otlp_traces *t, const struct task_run *run)
{
	for (size_t i = 0; run && i < SUBMITS_MOST; i++) {
		const struct task_run *outer = task_runs_at(&t->runs, run->submitter, run->submitted);
		const struct timeline_span *call = otlp_call_at(t, run->submitter, run->submitted);

		if (call && !(outer && outer->nested.span.start > call->nested.span.start))
			return call;
		run = outer;
	}
	return NULL;
}

static uint32_t otlp_base_track(const struct otlp_traces *t, uint32_t track)
{
	return track < t->timeline.tracks ? track : t->timeline.added[track - t->timeline.tracks];
}

/* The span of the call that the call is a child of. NULL: there is none. */
static const struct timeline_span *otlp_parent(const struct otlp_traces *t, const struct timeline_span *s)
{
	const struct timeline_span *around = otlp_call_in(s->nested.around), *submitter;
	int64_t start = s->nested.span.start;
	const struct task_run *run = task_runs_at(&t->runs, otlp_base_track(t, s->track) + 1ull, start);

	if (!run || (around && around->nested.span.start >= run->nested.span.start))
		return around;
	submitter = otlp_submitter(t, run);
	if (!submitter || submitter->nested.span.start >= start)
		return NULL; /* it is none of the call's in which the thread runs it */
	otlp_call_of(t, s)->queued = run->nested.span.start - run->submitted;
	return submitter;
}

static bool is_in_same_span(const struct otlp_traced_call *around, const struct otlp_traced_call *call)
{
	return around && around->within == call->within && around->trace.high == call->trace.high &&
	       around->trace.low == call->trace.low;
}

/* Which trace is the call part of, and in which of its spans? Its parent has been placed. */
static void otlp_place(const struct otlp_writer *w, size_t span)
{
	const struct timeline_span *s = &w->t->timeline.span[span], *parent = otlp_parent(w->t, s);
	struct otlp_traced_call *call = otlp_call_of(w->t, s), *around = parent ? otlp_call_of(w->t, parent) : NULL;

	call->id = otlp_id_of(w, span, 1);
	call->parent = around ? around->id : 0;
	if (call->within && !is_in_same_span(around, call))
		call->parent = call->within;
	if (!call->within)
		call->trace = around ? around->trace : (struct otlp_id){otlp_id_of(w, span, 2), otlp_id_of(w, span, 3)};
}

static int otlp_compare_starts(const void *a, const void *b, void *spans)
{
	const struct timeline_span *span = spans;
	size_t p = *(const size_t *)a, q = *(const size_t *)b;
	int64_t x = span[p].nested.span.start, y = span[q].nested.span.start;

	return x != y ? (x > y) - (x < y) : (p > q) - (p < q);
}

/* A call begins after the one that it is a child of. Those of a track stand in that order already. */
static int otlp_place_calls(const struct otlp_writer *w)
{
	struct otlp_traces *t = w->t;
	size_t count = t->timeline.count, *order = t->runs.count ? malloc(count * sizeof(*order)) : NULL;

	if (t->runs.count && !order)
		return count ? -ENOMEM : 0;
	task_runs_settle(&t->runs);
	for (size_t i = 0; order && i < count; i++)
		order[i] = i;
	if (order)
		qsort_r(order, count, sizeof(*order), otlp_compare_starts, t->timeline.span);
	for (size_t i = 0; i < count; i++)
		if (t->timeline.span[order ? order[i] : i].kind == SPAN_OF_CALL)
			otlp_place(w, order ? order[i] : i);
	free(order);
	return 0;
}

/* ---- writing */

static int otlp_open_call(const struct otlp_writer *w, size_t span)
{
	struct otlp_traces *t = w->t;

	if (vec_reserve(&t->open, &t->open_capacity, t->opened + 1))
		return -ENOMEM;
	t->open[t->opened++] = (struct open_call){.span = span, .waits = t->waits};
	return 0;
}

/* A wait that is in no call is in none that was recorded. */
static int otlp_take_wait(struct otlp_traces *t, size_t span)
{
	if (!t->opened)
		return 0;
	if (vec_reserve(&t->wait, &t->wait_capacity, t->waits + 1))
		return -ENOMEM;
	t->wait[t->waits++] = span;
	return 0;
}

static const char *otlp_text(const struct otlp_traces *t, uint32_t number)
{
	return t->texts.text[number];
}

static struct otlp_traced_thread otlp_thread(const struct otlp_traces *t, uint32_t track)
{
	return t->thread[otlp_base_track(t, track)];
}

static void otlp_write_waits(const struct otlp_writer *w, size_t first, size_t end)
{
	const struct otlp_traces *t = w->t;

	for (size_t i = first; i < end; i++) {
		const struct timeline_span *s = &t->timeline.span[t->wait[i]];

		const struct otlp_traced_wait *waited = &t->waited[s->link];

		otlp_event(w->out, &(struct otlp_event){
					   .time = s->nested.span.start,
					   .duration = s->nested.span.number,
					   .reason = otlp_text(t, s->name),
					   .waker = otlp_text(t, waited->waker),
					   .peer = {otlp_text(t, waited->resource), otlp_text(t, waited->service),
						    otlp_text(t, waited->process), otlp_text(t, waited->container)}});
	}
}

static void otlp_close_call(const struct otlp_writer *w)
{
	struct otlp_traces *t = w->t;
	const struct open_call *o = &t->open[--t->opened];
	const struct timeline_span *s = &t->timeline.span[o->span];
	const struct otlp_traced_call *call = &t->call[s->nested.span.number];
	struct otlp_traced_thread thread = otlp_thread(t, s->track);
	struct otlp_span span = {
		.trace = call->trace,
		.id = call->id,
		.parent = call->parent,
		.method = otlp_text(t, s->name),
		.start = s->nested.span.start,
		.end = span_end(&s->nested.span),
		.thread = otlp_text(t, thread.name),
		.thread_id = thread.id,
		.thrown = call->thrown,
		.cpu = call->cpu,
		.run_queue = call->run_queue,
		.blocked = call->blocked,
		.pause = call->pause,
		.queued = call->queued,
		.values = t->values.data + call->values,
		.values_size = call->values_size,
	};
	size_t events = t->waits - o->waits, left_out = events > EVENTS_MOST ? events - EVENTS_MOST : 0;

	otlp_begin_span(w->out, &span);
	otlp_write_waits(w, o->waits, t->waits - left_out);
	otlp_end_span(w->out, &span, left_out);
	t->waits = o->waits;
}

/* True if a span of an arranged timeline is in an earlier one. */
static bool otlp_is_in(const struct timeline_span *s, const struct timeline_span *outer)
{
	const struct span *inner = &s->nested.span, *span = &outer->nested.span;

	return s->track == outer->track && (s->wait ? span_has_moment(span, inner->start) : span_contains(span, inner));
}

/* Close the calls that `next` is not in; NULL: all. */
static void otlp_close_calls(const struct otlp_writer *w, const struct timeline_span *next)
{
	while (w->t->opened) {
		const struct timeline_span *s = &w->t->timeline.span[w->t->open[w->t->opened - 1].span];

		if (next && otlp_is_in(next, s))
			return;
		otlp_close_call(w);
	}
}

/* In an arranged timeline the spans of a track stand together, by their beginnings, the outer one first. */
static int otlp_write_spans(const struct otlp_writer *w)
{
	struct otlp_traces *t = w->t;
	int err = 0;

	for (size_t i = 0; i < t->timeline.count && !err; i++) {
		const struct timeline_span *s = &t->timeline.span[i];

		otlp_close_calls(w, s);
		err = s->kind == SPAN_OF_CALL ? otlp_open_call(w, i) : otlp_take_wait(t, i);
		if (ferror(w->out->json.to))
			return 0;
	}
	otlp_close_calls(w, NULL);
	return err;
}

int otlp_traces_write(struct otlp_traces *t, struct otlp *out, uint64_t seed)
{
	const struct otlp_writer w = {t, out, seed};
	int err = timeline_arrange(&t->timeline, t->threads);

	if (!err)
		err = otlp_place_calls(&w);
	if (!err)
		err = otlp_write_spans(&w);
	otlp_finish(out);
	otlp_traces_forget(t);
	return err;
}
