// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/span_events.h"
#include "format/hash.h"
#include "user/record/user_value.h"

#include <stdlib.h>

#define FORMS 1024u
#define BATCH 64u

/* What the events of one thread, method and stack share, encoded for one chunk. */
struct form {
	uint32_t thread, method, stack, chunk;
	struct jfr_trace_form bytes;
};

struct span_events {
	struct span_events_setup setup;
	uint32_t chunk;	     /* number of the open one, from 1 */
	recorded_seen *seen; /* NULL: nobody listens */
	void *listener;
	struct form form[FORMS];
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

void span_events_listen(struct span_events *e, recorded_seen *seen, void *context)
{
	e->seen = seen;
	e->listener = context;
}

bool recorded_values(const struct recorded_call *call, user_events_seen *seen, void *context)
{
	return !call->users || user_events_call(call->users, call->span, call->duration, call->values,
						call->value_count, seen, context);
}

/* Complete a call, whose .start is in ticks, and pass it to the listener. */
static void span_events_tell(const struct span_events *e, struct recorded_call *call)
{
	call->start -= e->setup.ticks_offset;
	call->users = e->setup.users;
	frames_caller(e->setup.frames, call->span, &call->caller);
	e->seen(e->listener, call);
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
	};
}

static void put_general(struct span_events *e, const struct frt_span *s, const struct frt_field *values, size_t n,
			const struct stream_vthread *v)
{
	struct jfr_method_trace call = describe(e, s, v);

	if (call.thrown && n)
		call.thrown_class = user_value_thrown(values, n, e->setup.writer);
	user_value_trace(values, n, &call);
	call.allocated = user_value_allocated(values, n);
	if (e->setup.breakdown)
		breakdown_split(e->setup.breakdown, s, v, call.start - e->setup.ticks_offset, &call);
	if (!e->setup.users || user_events_put(e->setup.users, e->setup.writer, s, &call, values, n))
		jfr_method_trace(e->setup.writer, &call);
	if (e->seen)
		span_events_tell(e,
				 &(struct recorded_call){.span = s,
							 .vthread = v,
							 .start = call.start,
							 .duration = call.duration,
							 .split = {call.cpu, call.run_queue, call.blocked, call.pause},
							 .values = values,
							 .value_count = n});
}

static bool is_alike(const struct frt_span *a, const struct frt_span *b)
{
	return a->thread == b->thread && a->method == b->method && a->stack == b->stack;
}

/* NULL: something about the span is not known. It may be known for a later one. */
static const struct jfr_trace_form *form_of(struct span_events *e, const struct frt_span *s)
{
	struct form *f = &e->form[hash_mix(hash_mix(s->method, s->stack), s->thread) % FORMS];
	struct jfr_method_trace call;

	if (f->chunk == e->chunk && f->thread == s->thread && f->method == s->method && f->stack == s->stack)
		return &f->bytes;
	call = describe(e, s, NULL);
	call.run_queue = call.blocked = call.pause = 0;
	f->chunk = 0;
	if (!call.method || (s->stack && !frames_has(e->setup.frames, s->stack)) ||
	    !jfr_trace_form(e->setup.writer, &call, &f->bytes))
		return NULL;
	f->thread = s->thread;
	f->method = s->method;
	f->stack = s->stack;
	f->chunk = e->chunk;
	return &f->bytes;
}

static void tell_alike(const struct span_events *e, const struct frt_span *s, const struct jfr_trace_call *call,
		       size_t n)
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

/*
 * Write the first spans that are alike and began after `from`, at most BATCH. Returns their number; 0: the first one
 * needs the general path.
 */
static size_t put_alike(struct span_events *e, const struct frt_span *s, size_t n, int64_t from)
{
	const struct jfr_trace_form *form = form_of(e, s);
	struct jfr_trace_call call[BATCH];
	size_t i;

	for (i = 0; form && i < n && i < BATCH && is_alike(&s[i], s); i++) {
		int64_t start = clock_ns(e->setup.clock, s[i].start);

		if (start <= from)
			break;
		call[i].start = start + e->setup.ticks_offset;
		call[i].duration = clock_ns(e->setup.clock, s[i].start + s[i].duration) - start;
		call[i].thrown = s[i].flags & FRT_SPAN_THROWN;
	}
	if (!i)
		return 0;
	if (e->setup.breakdown)
		breakdown_ran(e->setup.breakdown, s->method, call, i);
	jfr_method_traces(e->setup.writer, form, call, i);
	if (e->seen)
		tell_alike(e, s, call, i);
	return i;
}

/* The moment after which the thread's calls can take the fast path. */
static int64_t fast_from(struct span_events *e, const struct frt_span *s, const struct stream_vthread *v)
{
	if (v || e->setup.general || s->flags & FRT_SPAN_NATIVE ||
	    (e->setup.users && user_events_has(e->setup.users, s->method)))
		return INT64_MAX;
	return e->setup.breakdown ? breakdown_runs_from(e->setup.breakdown, s->thread) : INT64_MIN;
}

uint64_t span_events_put(struct span_events *e, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	int64_t from = INT64_MAX;
	uint64_t thrown = 0;

	for (size_t i = 0, taken; i < n; i += taken) {
		if (!i || s[i].thread != s[i - 1].thread || (e->setup.users && s[i].method != s[i - 1].method))
			from = fast_from(e, &s[i], v);
		taken = from == INT64_MAX ? 0 : put_alike(e, &s[i], n - i, from);
		if (!taken) {
			put_general(e, &s[i], NULL, 0, v);
			taken = 1;
		}
	}
	for (size_t i = 0; i < n; i++)
		thrown += !!(s[i].flags & FRT_SPAN_THROWN);
	return thrown;
}

uint64_t span_events_put_values(struct span_events *e, const struct frt_span *s, const struct frt_field *values,
				size_t n, const struct stream_vthread *v)
{
	put_general(e, s, values, n, v);
	return !!(s->flags & FRT_SPAN_THROWN);
}
