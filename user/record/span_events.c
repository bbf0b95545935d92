// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/span_events.h"
#include "format/hash.h"
#include "user/record/user_value.h"

#include <stdlib.h>
#include <string.h>

#define FORMS FRT_STACKS
#define WAYS  2u /* places that a form may have */
#define BATCH 64u

/* What the events of one method with one stack share, encoded for one chunk. */
struct form {
	uint64_t pair, chunk;
	struct jfr_trace_keys keys;
};

struct span_events {
	struct span_events_setup setup;
	uint64_t chunk; /* number of the open one, from 1 */
	struct {
		recorded_seen *seen; /* NULL: does not listen */
		void *context;
	} listener[RECORDED_LISTENERS];
	bool heard; /* somebody listens */
	struct form form[WAYS][FORMS];
};

struct span_events *span_events_new(const struct span_events_setup *setup)
{
	struct span_events *e = calloc(1, sizeof(*e));

	if (e)
		e->setup = *setup;
	return e;
}

void span_events_free(struct span_events *e)
{
	free(e);
}

void span_events_next_chunk(struct span_events *e)
{
	e->chunk++;
}

void span_events_listen(struct span_events *e, enum recorded_listener who, recorded_seen *seen, void *context)
{
	e->listener[who].seen = seen;
	e->listener[who].context = context;
	e->heard = e->listener[RECORDED_SHOW].seen || e->listener[RECORDED_METRICS].seen;
}

bool recorded_values(const struct recorded_call *call, user_events_seen *seen, void *context)
{
	return !call->users || user_events_call(call->users, call->span, call->duration, call->values,
						call->value_count, seen, context);
}

/* Complete a call, whose .start is in ticks, and pass it to the listeners. */
static void span_events_tell(const struct span_events *e, struct recorded_call *call)
{
	call->start -= e->setup.ticks_offset;
	call->users = e->setup.users;
	frames_caller(e->setup.frames, call->span, &call->caller);
	for (size_t i = 0; i < RECORDED_LISTENERS; i++)
		if (e->listener[i].seen)
			e->listener[i].seen(e->listener[i].context, call);
}

/* Keys and times of a call whose split is not known yet. */
static struct jfr_method_trace describe(struct span_events *e, const struct frt_span *s, const struct stream_vthread *v)
{
	struct span_events_setup *with = &e->setup;
	int64_t start = clock_ns(with->clock, s->start);

	return (struct jfr_method_trace){
		.start = start + with->ticks_offset,
		.duration = clock_ns(with->clock, s->start + s->duration) - start,
		.thread = thread_keys_of(with->threads, s->thread, v),
		.stack = frames_key(with->frames, frames_source_of(s), s->stack, s->method),
		.method = method_keys_traced(with->methods, s->method),
		.thrown = s->flags & FRT_SPAN_THROWN,
		.cpu = JFR_MISSING,
		.run_queue = JFR_MISSING,
		.blocked = JFR_MISSING,
		.pause = JFR_MISSING,
		.allocated = JFR_MISSING,
		.request = JFR_MISSING,
	};
}

static void put_general(struct span_events *e, const struct frt_span *s, const struct frt_field *values, size_t n,
			const struct stream_vthread *v)
{
	struct jfr_method_trace call = describe(e, s, v);
	int64_t request;

	if (call.thrown && n)
		call.thrown_class = user_value_thrown(values, n, e->setup.writer);
	user_value_trace(values, n, &call);
	call.allocated = user_value_number(values, n, FRT_FIELD_ALLOCATED);
	request = user_value_number(values, n, FRT_FIELD_REQUEST);
	if (request != JFR_MISSING)
		call.request =
			(uint64_t)clock_ns(e->setup.clock, s->start + request) - clock_ns(e->setup.clock, s->start);
	if (e->setup.breakdown && (!e->setup.users || user_events_stand(e->setup.users, s->method)))
		breakdown_split(e->setup.breakdown, s, v, call.start - e->setup.ticks_offset, &call);
	if (!e->setup.users || user_events_put(e->setup.users, e->setup.writer, s, &call, values, n))
		jfr_method_trace(e->setup.writer, &call);
	if (e->heard)
		span_events_tell(e,
				 &(struct recorded_call){.span = s,
							 .vthread = v,
							 .start = call.start,
							 .duration = call.duration,
							 .split = {call.cpu, call.run_queue, call.blocked, call.pause},
							 .values = values,
							 .value_count = n});
}

static uint64_t pair_of(const struct frt_span *s)
{
	return (uint64_t)s->stack << 32 | s->method;
}

/*
 * Most stacks belong to one method. As their numbers are those of rows, the first places of stacks in use lie side by side,
 * and none is another's. Methods that share a stack have the second places.
 */
static struct form *form_place(struct span_events *e, const struct frt_span *s, unsigned int way)
{
	uint64_t at = way ? hash_mix(pair_of(s), 0) : s->stack ? s->stack : s->method;

	return &e->form[way][at % FORMS];
}

static bool form_is_valid(const struct span_events *e, const struct form *f, uint64_t pair)
{
	return f->pair == pair && f->chunk == e->chunk;
}

/* False: something about the span is not known. It may be known for a later one. Keys mean the same in the next chunk. */
static bool encode_keys(struct span_events *e, const struct frt_span *s, struct form *f)
{
	struct span_events_setup *with = &e->setup;
	uint64_t stack, method;

	if (f->pair == pair_of(s) && f->chunk && jfr_trace_keys_use(with->writer, &f->keys)) {
		f->chunk = e->chunk;
		return true;
	}
	if (s->stack && !frames_has(with->frames, s->stack))
		return false;
	stack = frames_key(with->frames, FRAMES_AGENTS, s->stack, s->method);
	method = method_keys_traced(with->methods, s->method);
	if (!method || !jfr_trace_keys(with->writer, stack, method, &f->keys))
		return false;
	f->pair = pair_of(s);
	f->chunk = e->chunk;
	return true;
}

/* The form of a span, whose keys are valid until the next call; NULL: it needs the general path. */
static const struct form *form_of(struct span_events *e, const struct frt_span *s)
{
	struct form *f = form_place(e, s, 0);

	if (form_is_valid(e, f, pair_of(s)))
		return f;
	if (f->chunk == e->chunk) {
		f = form_place(e, s, 1);
		if (form_is_valid(e, f, pair_of(s)))
			return f;
	}
	return encode_keys(e, s, f) ? f : NULL;
}

static void tell_ran(const struct span_events *e, const struct frt_span *s, const struct jfr_trace_call *call, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct recorded_call c = {.span = &s[i],
					  .start = call[i].start,
					  .duration = call[i].duration,
					  .split = {JFR_MISSING, JFR_MISSING, JFR_MISSING, JFR_MISSING}};

		if (e->setup.breakdown)
			c.split = (struct span_split){call[i].duration, 0, 0, 0};
		span_events_tell(e, &c);
	}
}

/* Can the span take the fast path if that one can? Its method may have events of -e. */
static bool is_alike(const struct span_events *e, const struct frt_span *s, const struct frt_span *other)
{
	return s->thread == other->thread && (!e->setup.users || s->method == other->method);
}

/* Set the keys of the first spans that are alike and have some. Returns their number. */
static size_t find_keys(struct span_events *e, const struct frt_span *s, size_t n, struct jfr_trace_call *call)
{
	const struct form *f = NULL;
	size_t i;

	for (i = 0; i < n && is_alike(e, &s[i], s); i++) {
		if (!f || f->pair != pair_of(&s[i]))
			f = form_of(e, &s[i]);
		if (!f)
			break;
		call[i].keys = f->keys;
		call[i].thrown = s[i].flags & FRT_SPAN_THROWN;
	}
	return i;
}

/* Set the times of the first calls that began after `from`. Returns their number. */
static size_t find_times(struct span_events *e, const struct frt_span *s, size_t n, int64_t from,
			 struct jfr_trace_call *call)
{
	struct clock *clock = e->setup.clock;
	size_t i;

	for (i = 0; i < n; i++) {
		int64_t start = clock_ns(clock, s[i].start);

		call[i].start = start + e->setup.ticks_offset;
		call[i].duration = clock_ns(clock, s[i].start + s[i].duration) - start;
		if (start <= from || (uint64_t)call[i].duration >= LEB_SHORT)
			break;
	}
	return i;
}

/* Write the first spans that can take the fast path, at most BATCH. Returns their number. */
static size_t put_ran(struct span_events *e, const struct frt_span *s, size_t n, int64_t from)
{
	struct jfr_trace_call call[BATCH];

	n = find_keys(e, s, n < BATCH ? n : BATCH, call);
	n = find_times(e, s, n, from, call);
	if (!n)
		return 0;
	if (e->setup.breakdown)
		breakdown_ran(e->setup.breakdown, s, call, n);
	jfr_method_traces(e->setup.writer, thread_keys_of(e->setup.threads, s->thread, NULL), call, n);
	if (e->heard)
		tell_ran(e, s, call, n);
	return n;
}

/* The moment after which the thread's calls can take the fast path. */
static int64_t fast_from(struct span_events *e, const struct frt_span *s, const struct stream_vthread *v)
{
	if (v || e->setup.general || s->flags & FRT_SPAN_NATIVE ||
	    (e->setup.users && user_events_has(e->setup.users, s->method)))
		return INT64_MAX;
	return e->setup.breakdown ? breakdown_runs_from(e->setup.breakdown, s->thread) : INT64_MIN;
}

void span_events_put(struct span_events *e, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	int64_t from = INT64_MAX;

	for (size_t i = 0, taken; i < n; i += taken) {
		if (!i || !is_alike(e, &s[i], &s[i - 1]))
			from = fast_from(e, &s[i], v);
		taken = from == INT64_MAX ? 0 : put_ran(e, &s[i], n - i, from);
		if (!taken) {
			put_general(e, &s[i], NULL, 0, v);
			taken = 1;
		}
	}
}

void span_events_put_values(struct span_events *e, const struct frt_span *s, const struct frt_field *values, size_t n,
			    const struct stream_vthread *v)
{
	put_general(e, s, values, n, v);
}
