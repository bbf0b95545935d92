// SPDX-License-Identifier: BSD-2-Clause
/*
 * Spans of OpenTelemetry: a trace for each outermost call of a thread, a span for each call, and its waits as events. All
 * are collected first and nested (timeline.h). Ids are hashes of the recording and the place of the call in it, so that
 * the same file always gives the same ids. A call that was in a trace of the program's is part of that: a child of the span
 * that the program was in, or of the call around it if that was in the same span.
 */
#include "format/vec.h"
#include "user/export/export.h"
#include "user/export/otlp.h"
#include "user/export/thread_tracks.h"
#include "user/export/timeline.h"
#include "user/files/event_iter.h"
#include "user/files/jfr_names.h"
#include "user/files/origin.h"
#include "user/files/wait_iter.h"
#include "user/text/java_number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MOST 128 /* of a span: what OpenTelemetry's own libraries take */

enum { SPAN_OF_CALL, SPAN_OF_WAIT };

/* What a span has beside its times; `data` of the timeline's span is its number. */
struct otlp_call {
	int64_t cpu, run_queue, blocked, pause; /* INT64_MIN: unknown */
	size_t values, values_size;		/* where they are in `values` of all */
	struct otlp_id trace;			/* of the program, and its span; 0: none */
	uint64_t within;
	bool thrown;
};

/* The call that is open, when the spans of a track are read in their order, and the first of its waits in `wait`. */
struct open_call {
	size_t span, waits;
	struct otlp_id trace;
	uint64_t id, parent;
	uint64_t within; /* the program's span; 0: none */
};

struct otlp_export {
	struct export_names names;
	struct thread_tracks threads;
	struct timeline timeline;
	struct otlp_call *call;
	size_t calls, call_capacity;
	struct bytes values;
	struct open_call *open;
	size_t opened, open_capacity;
	size_t *wait; /* spans that are directly in the open calls */
	size_t waits, wait_capacity;
	uint64_t seed;
	char *service;
	struct otlp_resource resource;
	struct otlp out;
	FILE *to;
};

static void export_otlp_release(struct otlp_export *x)
{
	free(x->call);
	free(x->open);
	free(x->wait);
	free(x->service);
	timeline_release(&x->timeline);
	thread_tracks_release(&x->threads);
	export_names_release(&x->names);
	bytes_release(&x->values);
}

/* ---- reading */

static enum otlp_kind otlp_kind_of(const struct jfr_value *v)
{
	switch (v->kind) {
	case VALUE_NUMBER: return v->type->kind == META_CHAR ? OTLP_TEXT : OTLP_INTEGER;
	case VALUE_REAL: return OTLP_REAL;
	case VALUE_BOOLEAN: return OTLP_BOOLEAN;
	default: return OTLP_TEXT;
	}
}

static void put_own_text(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *v)
{
	switch (v->kind) {
	case VALUE_NUMBER: put_integer(out, v->number); break;
	case VALUE_REAL: put_double(out, v->real); break;
	case VALUE_BOOLEAN: put_text(out, v->number ? "true" : "false"); break;
	case VALUE_STRUCT: put_class(out, chunk, v); break;
	default: put_value_text(out, v);
	}
}

static void take_own_value(struct otlp_export *x, struct jfr_chunk *chunk, const char *name, struct jfr_value *v)
{
	struct otlp_value head = {.name_size = strlen(name) + 1};
	size_t at = x->values.size;

	jfr_resolve(chunk, v);
	if (v->kind == VALUE_NULL || v->kind == VALUE_ARRAY)
		return; /* attributes have no null, and events of calls no arrays */
	head.kind = otlp_kind_of(v);
	bytes_put(&x->values, &head, sizeof(head));
	bytes_put(&x->values, name, head.name_size);
	put_own_text(&x->values, chunk, v);
	if (x->values.failed)
		return;
	head.text_size = x->values.size - at - sizeof(head) - head.name_size;
	memcpy(x->values.data + at, &head, sizeof(head));
}

/* The fields of the user's own are those between the stack and the method. */
static void take_own_values(struct otlp_export *x, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct jfr_value event = jfr_event_value(e), v;
	struct cursor c = jfr_enter(chunk, &event);

	for (uint32_t i = 0; i < e->type->count && e->type->fields[i].type->role != META_METHOD; i++) {
		jfr_take(&c, &e->type->fields[i], &v);
		if ((int)i > e->type->stack)
			take_own_value(x, chunk, e->type->fields[i].name, &v);
	}
}

/* As the semantic conventions of OpenTelemetry want it: error.type is the class of the exception. */
static void take_error_type(struct otlp_export *x, const struct call *call)
{
	static const char name[] = "error.type";
	const char *class = export_thrown(&x->names, call);
	struct otlp_value head = {OTLP_TEXT, sizeof(name), strlen(class)};

	if (!head.text_size)
		return;
	bytes_put(&x->values, &head, sizeof(head));
	bytes_put(&x->values, name, sizeof(name));
	bytes_put(&x->values, class, head.text_size);
}

/* `span` lacks its times. */
static int otlp_span_add(struct otlp_export *x, struct timeline_span span, int64_t start, int64_t duration)
{
	if (span.track == UINT32_MAX || !span.name)
		return -ENOMEM;
	span.start = timeline_moment(start);
	span.end = timeline_after(start, duration);
	return timeline_add(&x->timeline, &span);
}

static int export_otlp_add(const struct call *call, void *context)
{
	struct otlp_export *x = context;
	struct timeline_span span = {
		.track = thread_tracks_of(&x->threads, call->chunk, call->thread),
		.name = export_text(&x->names, export_method(&x->names, call->chunk, &call->method)),
		.kind = SPAN_OF_CALL,
		.data = x->calls,
	};
	struct otlp_call *c;

	if (vec_reserve(&x->call, &x->call_capacity, x->calls + 1))
		return -ENOMEM;
	c = &x->call[x->calls++];
	*c = (struct otlp_call){
		INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, .values = x->values.size, .thrown = call->thrown};
	if (call->split) {
		c->cpu = call->cpu;
		c->run_queue = call->run_queue;
		c->blocked = call->blocked;
		c->pause = call->pause;
	}
	if (call_has_trace(call)) {
		c->trace = (struct otlp_id){call->trace_hi, call->trace_lo};
		c->within = call->span;
	}
	if (call->event->type->calls)
		take_own_values(x, call->chunk, call->event);
	take_error_type(x, call);
	c->values_size = x->values.size - c->values;
	return x->values.failed ? -ENOMEM : otlp_span_add(x, span, call->start, call->duration);
}

static int otlp_add_wait(const struct thread_wait *w, void *context)
{
	struct otlp_export *x = context;
	char *reason = thread_wait_reason(w), *waker = thread_wait_waker(w);
	struct timeline_span span = {
		.track = thread_tracks_of(&x->threads, w->chunk, w->thread),
		.name = export_text(&x->names, reason),
		.link = export_text(&x->names, waker),
		.kind = SPAN_OF_WAIT,
	};

	free(reason);
	free(waker);
	return span.link ? otlp_span_add(x, span, w->start, w->duration) : -ENOMEM;
}

static int otlp_read_program(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct otlp_export *x = context;
	struct jfr_value event = jfr_event_value(e), arguments = jfr_field(chunk, &event, "jvmArguments");
	struct bytes text;

	x->resource.pid = origin_number(chunk, e, "pid");
	bytes_init(&text);
	put_value_text(&text, &arguments);
	bytes_put_u8(&text, 0);
	if (!text.failed)
		x->service = otlp_service_name((char *)text.data);
	bytes_release(&text);
	return x->service ? 1 : -ENOMEM;
}

static int export_otlp_read(struct otlp_export *x, struct jfr_file *file)
{
	struct jfr_file again;
	struct origin origin;
	int err = call_iter_each(file, "jdk.MethodTrace", export_otlp_add, x);

	if (!err) {
		jfr_file_again(&again, file);
		err = wait_iter_each(&again, "frtrace.ThreadWait", otlp_add_wait, x);
		jfr_file_release(&again);
	}
	if (err)
		return err;
	jfr_file_again(&again, file);
	err = event_iter_each(&again, "jdk.JVMInformation", otlp_read_program, x);
	jfr_file_release(&again);
	jfr_file_again(&again, file);
	origin_read(&again, &origin);
	jfr_file_release(&again);
	x->seed = hash_mix(hash_mix(hash_mix(1, origin.pid), origin.start_ms), origin.recording_start_ms);
	return err < 0 ? err : 0;
}

/* ---- writing */

static uint64_t otlp_id_of(const struct otlp_export *x, size_t span, uint64_t use)
{
	return hash_mix(hash_mix(hash_mix(x->seed, use), span), use) ?: 1;
}

static bool is_in_same_span(const struct open_call *around, const struct otlp_call *call)
{
	return around && around->within == call->within && around->trace.high == call->trace.high &&
	       around->trace.low == call->trace.low;
}

/* Which trace is the call part of, and in which of its spans? `around`: the call around it; NULL: none. */
static void otlp_place(const struct otlp_export *x, struct open_call *o, const struct open_call *around)
{
	const struct otlp_call *call = &x->call[x->timeline.span[o->span].data];

	o->parent = around ? around->id : 0;
	o->trace = around ? around->trace : (struct otlp_id){otlp_id_of(x, o->span, 2), otlp_id_of(x, o->span, 3)};
	if (!call->within)
		return;
	o->trace = call->trace;
	o->within = call->within;
	if (!is_in_same_span(around, call))
		o->parent = call->within;
}

static int otlp_open_call(struct otlp_export *x, size_t span)
{
	struct open_call *o;

	if (vec_reserve(&x->open, &x->open_capacity, x->opened + 1))
		return -ENOMEM;
	o = &x->open[x->opened++];
	*o = (struct open_call){.span = span, .waits = x->waits, .id = otlp_id_of(x, span, 1)};
	otlp_place(x, o, x->opened > 1 ? o - 1 : NULL);
	return 0;
}

/* A wait that is in no call is in none that was recorded. */
static int otlp_take_wait(struct otlp_export *x, size_t span)
{
	if (!x->opened)
		return 0;
	if (vec_reserve(&x->wait, &x->wait_capacity, x->waits + 1))
		return -ENOMEM;
	x->wait[x->waits++] = span;
	return 0;
}

static const char *otlp_text(const struct otlp_export *x, uint32_t number)
{
	return x->names.texts.group[number - 1].name;
}

static const struct thread_track *otlp_thread(const struct otlp_export *x, uint32_t track)
{
	if (track >= x->threads.count)
		track = x->timeline.added[track - x->threads.count];
	return &x->threads.track[track];
}

static void otlp_write_waits(struct otlp_export *x, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const struct timeline_span *w = &x->timeline.span[x->wait[i]];

		otlp_event(&x->out, &(struct otlp_event){w->start, w->end - w->start, otlp_text(x, w->name),
							 otlp_text(x, w->link)});
	}
}

static void otlp_close_call(struct otlp_export *x)
{
	const struct open_call *o = &x->open[--x->opened];
	const struct timeline_span *s = &x->timeline.span[o->span];
	const struct otlp_call *call = &x->call[s->data];
	const struct thread_track *thread = otlp_thread(x, s->track);
	struct otlp_span span = {
		.trace = o->trace,
		.id = o->id,
		.parent = o->parent,
		.method = otlp_text(x, s->name),
		.start = s->start,
		.end = s->end,
		.thread = thread->name,
		.thread_id = thread->java_id ?: thread->tid,
		.thrown = call->thrown,
		.cpu = call->cpu,
		.run_queue = call->run_queue,
		.blocked = call->blocked,
		.pause = call->pause,
		.values = x->values.data + call->values,
		.values_size = call->values_size,
	};
	size_t events = x->waits - o->waits, left_out = events > EVENTS_MOST ? events - EVENTS_MOST : 0;

	otlp_begin_span(&x->out, &span);
	otlp_write_waits(x, o->waits, x->waits - left_out);
	otlp_end_span(&x->out, &span, left_out);
	x->waits = o->waits;
}

/* Close the calls that `next` is not in; NULL: all. */
static void otlp_close_calls(struct otlp_export *x, const struct timeline_span *next)
{
	while (x->opened) {
		const struct timeline_span *s = &x->timeline.span[x->open[x->opened - 1].span];

		if (next && next->track == s->track && next->start < s->end)
			return;
		otlp_close_call(x);
	}
}

/* In an arranged timeline the spans of a track stand together, by their beginnings, the outer one first. */
static int otlp_write_spans(struct otlp_export *x)
{
	int err = 0;

	for (size_t i = 0; i < x->timeline.count && !err; i++) {
		const struct timeline_span *s = &x->timeline.span[i];

		otlp_close_calls(x, s);
		err = s->kind == SPAN_OF_CALL ? otlp_open_call(x, i) : otlp_take_wait(x, i);
		if (ferror(x->to))
			return 0;
	}
	otlp_close_calls(x, NULL);
	return err;
}

int export_otlp(struct jfr_file *file, bool normalize, FILE *to)
{
	struct otlp_export x = {.to = to};
	int err;

	export_names_init(&x.names, normalize);
	bytes_init(&x.values);
	err = export_otlp_read(&x, file);
	if (!err)
		err = timeline_arrange(&x.timeline, x.threads.count);
	if (!err) {
		x.resource.service = x.service ?: OTLP_SERVICE_UNKNOWN;
		otlp_init(&x.out, to, &x.resource);
		err = otlp_write_spans(&x);
		otlp_finish(&x.out);
	}
	export_otlp_release(&x);
	return err;
}
