// SPDX-License-Identifier: BSD-2-Clause
/*
 * The calls and waits of a file as spans of OpenTelemetry (otlp_traces.h). The seed of the ids is the recording, so that the
 * same file always gives the same ids.
 */
#include "user/export/export.h"
#include "user/export/otlp_traces.h"
#include "user/trace/trace.h"
#include "user/trace/jfr_names.h"
#include "user/trace/origin.h"
#include "user/trace/threads.h"
#include "user/trace/user_values.h"
#include "user/trace/wait.h"
#include "user/text/java_number.h"
#include "user/text/memory.h"

#include <stdlib.h>
#include <string.h>

#define ATTRIBUTES_MOST (1 << 20) /* bytes of the resource; frtrace records less */

struct otlp_export {
	struct export_names names;
	struct threads threads;
	struct otlp_traces traces;
	struct bytes values, text; /* of one call; of one value */
	uint64_t seed;
	char *service;
	struct bytes attributes; /* of the resource, from this chunk */
	uint64_t attributes_of;
	struct otlp_resource resource;
};

/* For user_values_each() */
struct otlp_export_call {
	struct otlp_export *x;
	const struct call *call;
};

static void export_otlp_release(struct otlp_export *x)
{
	free(x->service);
	otlp_traces_release(&x->traces);
	threads_release(&x->threads);
	export_names_release(&x->names);
	bytes_release(&x->values);
	bytes_release(&x->text);
	bytes_release(&x->attributes);
}

static void put_own_number(struct bytes *out, const struct jfr_value *v)
{
	uint16_t unit = v->number;

	if (v->type->kind == META_CHAR)
		bytes_put_utf16(out, &unit, 1);
	else
		put_integer(out, v->number);
}

/* The name alone: attributes say nothing of loaders. */
static void put_own_class(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *class)
{
	struct jfr_value name = jfr_field(chunk, class, "name");
	struct bytes text;

	bytes_init(&text);
	put_value_text(&text, &name);
	put_class_name(out, chunk, memory_text(&text), "");
	bytes_release(&text);
}

/* Returns what the text in `out` is. */
static enum otlp_kind put_own_text(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *v)
{
	switch (v->kind) {
	case VALUE_NUMBER: put_own_number(out, v); return v->type->kind == META_CHAR ? OTLP_TEXT : OTLP_INTEGER;
	case VALUE_REAL: put_double(out, v->real); return OTLP_REAL;
	case VALUE_BOOLEAN: put_text(out, v->number ? "true" : "false"); return OTLP_BOOLEAN;
	case VALUE_STRUCT: put_own_class(out, chunk, v); return OTLP_TEXT;
	case VALUE_TEXT: bytes_put_decoded(out, &v->text); return OTLP_TEXT;
	default: put_text(out, "null"); return OTLP_TEXT;
	}
}

/* Attributes have no null, and events of calls no arrays. */
static bool is_without_value(const struct jfr_value *v)
{
	if (v->kind == VALUE_NUMBER)
		return (v->type->kind == META_INT && v->number == INT32_MIN) ||
		       (v->type->kind == META_LONG && v->number == INT64_MIN);
	return v->kind == VALUE_NULL || v->kind == VALUE_ARRAY;
}

static void take_own_value(const struct meta_type *event, const struct meta_field *f, struct jfr_value *v,
			   void *context)
{
	struct otlp_export_call *to = context;
	struct otlp_export *x = to->x;
	enum otlp_kind kind;

	if (!f || is_without_value(v))
		return;
	bytes_clear(&x->text);
	kind = put_own_text(&x->text, to->call->chunk, v);
	otlp_put_event_value(&x->values, event->name, kind, f->name, &x->text);
}

static void take_values(struct otlp_export *x, const struct call *call)
{
	struct otlp_export_call to = {x, call};

	bytes_clear(&x->values);
	if (call->event->type->calls) /* as --otlp=- */
		user_values_each(call, take_own_value, &to);
	otlp_put_number(&x->values, OTLP_ALLOCATED, call->allocated);
	otlp_put_number(&x->values, OTLP_REQUEST, call->request);
	bytes_clear(&x->text);
	if (call_put_thrown(call, &x->text))
		otlp_put_value(&x->values, OTLP_TEXT, OTLP_ERROR_TYPE, &x->text);
}

static int export_otlp_add(const struct call *call, void *context)
{
	struct otlp_export *x = context;
	struct otlp_call c = {.thread = threads_named(&x->threads, call->chunk, &call->thread) - 1,
			      .method = export_method(&x->names, call->chunk, &call->method),
			      .start = call->start,
			      .duration = call->duration,
			      .thrown = call->thrown,
			      .cpu = call->split ? call->cpu : INT64_MIN,
			      .run_queue = call->split ? call->run_queue : INT64_MIN,
			      .blocked = call->split ? call->blocked : INT64_MIN,
			      .pause = call->split ? call->pause : INT64_MIN};

	if (call_has_trace(call)) {
		c.trace = (struct otlp_id){call->trace_hi, call->trace_lo};
		c.within = call->span;
	}
	take_values(x, call);
	c.values = x->values.data;
	c.values_size = x->values.size;
	if (x->values.failed || otlp_traces_add_call(&x->traces, &c))
		memory_exhausted();
	return 0;
}

static int otlp_add_wait(const struct thread_wait *w, void *context)
{
	struct otlp_export *x = context;
	char *reason = thread_wait_reason(w), *waker = thread_wait_waker(w), *resource = thread_wait_resource(w);
	char *service = thread_wait_service(w), *process = thread_wait_process(w),
	     *container = thread_wait_container(w);
	struct otlp_wait wait = {.thread = threads_named(&x->threads, w->chunk, &w->thread) - 1,
				 .start = w->start,
				 .duration = w->duration,
				 .reason = reason,
				 .waker = waker,
				 .peer = {resource, service, process, container}};

	if (otlp_traces_add_wait(&x->traces, &wait))
		memory_exhausted();
	free(reason);
	free(waker);
	free(resource);
	free(service);
	free(process);
	free(container);
	return 0;
}

static int otlp_add_task(const struct task *task, void *context)
{
	struct otlp_export *x = context;
	struct otlp_task run;

	if (task->run == INT64_MIN || !thread_number(task->chunk, task->submitter))
		return 0;
	run = (struct otlp_task){.thread = threads_named(&x->threads, task->chunk, &task->thread) - 1,
				 .submitter = threads_named(&x->threads, task->chunk, &task->submitter) - 1,
				 .submitted = task->start,
				 .begun = timeline_moment(task->start) + timeline_moment(task->duration),
				 .run = task->run};
	if (otlp_traces_add_task(&x->traces, &run))
		memory_exhausted();
	return 0;
}

static int otlp_read_program(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct otlp_export *x = context;
	struct jfr_value event = jfr_event_value(e), arguments = jfr_field(chunk, &event, "jvmArguments");
	struct bytes text;

	if (x->service)
		return 0;
	x->resource.pid = origin_number(chunk, e, "pid");
	bytes_init(&text);
	put_value_text(&text, &arguments);
	x->service = memory_need(otlp_service_name(memory_text(&text)));
	bytes_release(&text);
	return 0;
}

static enum otlp_kind otlp_kind_named(const struct bytes *type)
{
	static const char *const names[] = {[OTLP_INTEGER] = "int", [OTLP_REAL] = "double", [OTLP_BOOLEAN] = "bool"};

	for (int i = OTLP_INTEGER; i <= OTLP_BOOLEAN; i++)
		if (type->size == strlen(names[i]) && !memcmp(type->data, names[i], type->size))
			return i;
	return OTLP_TEXT;
}

static void take_field_text(struct bytes *text, struct jfr_chunk *chunk, const struct jfr_event *e, const char *field)
{
	struct jfr_value event = jfr_event_value(e), v = jfr_field(chunk, &event, field);

	bytes_init(text);
	if (v.kind == VALUE_TEXT)
		bytes_put_decoded(text, &v.text);
}

/* Each chunk has them all; the last one that has some counts. */
static int otlp_read_attribute(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct otlp_export *x = context;
	struct bytes key, value, type;

	if (chunk->number != x->attributes_of)
		bytes_clear(&x->attributes);
	x->attributes_of = chunk->number;
	take_field_text(&key, chunk, e, "key");
	take_field_text(&value, chunk, e, "value");
	take_field_text(&type, chunk, e, "type");
	if (*memory_text(&key) && x->attributes.size < ATTRIBUTES_MOST)
		otlp_put_value(&x->attributes, otlp_kind_named(&type), memory_text(&key), &value);
	if (type.failed || x->attributes.failed)
		memory_exhausted();
	bytes_release(&key);
	bytes_release(&value);
	bytes_release(&type);
	return 0;
}

static void export_otlp_read(struct otlp_export *x, struct jfr_file *file, struct call_filter *filter)
{
	static const struct trace_event events[] = {{"jdk.JVMInformation", otlp_read_program},
						    {"frtrace.ResourceAttribute", otlp_read_attribute},
						    {NULL, NULL}};
	struct jfr_file again;
	struct origin origin;

	trace_read_all(
		file, &(struct trace_reader){&(struct trace_ops){.call = export_otlp_add, .events = events}, x, filter},
		1);
	trace_read_again(
		file,
		&(struct trace_reader){&(struct trace_ops){.wait = otlp_add_wait, .task = otlp_add_task}, x, filter},
		1);
	jfr_file_again(&again, file);
	origin_read(&again, &origin);
	jfr_file_release(&again);
	x->seed = hash_mix(hash_mix(hash_mix(1, origin.pid), origin.start_ms), origin.recording_start_ms);
}

static void export_otlp_write(struct otlp_export *x, FILE *to)
{
	struct otlp out;
	int err = 0;

	for (size_t i = 0; i < x->threads.count && !err; i++) {
		const struct threads_entry *t = &x->threads.thread[i];

		err = otlp_traces_name_thread(&x->traces, t->name, t->java_id ?: t->tid);
	}
	x->resource.service = x->service ?: OTLP_SERVICE_UNKNOWN;
	x->resource.attributes = x->attributes.data;
	x->resource.attributes_size = x->attributes.size;
	otlp_init(&out, to, &x->resource);
	if (err || otlp_traces_write(&x->traces, &out, x->seed))
		memory_exhausted();
}

void export_otlp(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to)
{
	struct otlp_export x = {.service = NULL};

	export_names_init(&x.names, normalize);
	otlp_traces_init(&x.traces);
	bytes_init(&x.values);
	bytes_init(&x.text);
	bytes_init(&x.attributes);
	export_otlp_read(&x, file, filter);
	export_otlp_write(&x, to);
	export_otlp_release(&x);
}
