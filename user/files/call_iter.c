// SPDX-License-Identifier: BSD-2-Clause
#include "user/files/call_iter.h"
#include "user/files/aggregate.h"
#include "user/files/event_iter.h"
#include "user/files/jfr_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Numeric fields that are not in ticks. */
static const struct part {
	const char *name;
	enum meta_unit timespan;
	size_t offset;
	size_t known; /* offset of the bool that marks it present */
} parts[] = {
#define PART(n, t, m, k) {n, t, offsetof(struct call, m), offsetof(struct call, k)}
	PART("cpuTime", META_NANOSECONDS, cpu, split),
	PART("runQueueTime", META_NANOSECONDS, run_queue, split),
	PART("blockedTime", META_NANOSECONDS, blocked, split),
	PART("pauseTime", META_NANOSECONDS, pause, split),
	PART("syscalls", META_NO_UNIT, system_calls, usage),
	PART("syscallTime", META_NANOSECONDS, system_call_time, usage),
	PART("majorFaults", META_NO_UNIT, major_faults, usage),
	PART("minorFaults", META_NO_UNIT, minor_faults, usage),
	PART("traceIdHi", META_NO_UNIT, trace_hi, traced),
	PART("traceIdLo", META_NO_UNIT, trace_lo, traced),
	PART("spanId", META_NO_UNIT, span, traced),
};

#define FIELDS 32 /* of an event whose parts are looked up once */

enum { NO_PART = -1, METHOD_PART = -2, THROWN_PART = -3, THROWN_CLASS_PART = -4 };

struct visitor {
	call_visit *visit;
	void *context;
	struct aggregate ids; /* of methods by key and chunk, in `mark` */
	/* Which part each field of an event type is. Types live as long as their chunk. */
	const struct meta_type *type;
	uint32_t chunk;
	signed char part[FIELDS];
};

/* The part that a field is: an index of parts[], or one of the above. */
static int part_of(const struct meta_field *f)
{
	if (f->type->role == META_METHOD && strcmp(f->name, "method") == 0)
		return METHOD_PART;
	if (strcmp(f->name, "thrown") == 0)
		return THROWN_PART;
	if (f->type->role == META_CLASS && strcmp(f->name, "thrownClass") == 0)
		return THROWN_CLASS_PART;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (f->timespan == parts[i].timespan && strcmp(f->name, parts[i].name) == 0)
			return i;
	return NO_PART;
}

static void know_type(struct visitor *v, const struct jfr_chunk *chunk, const struct meta_type *type)
{
	if (v->type == type && v->chunk == chunk->number)
		return;
	v->type = type;
	v->chunk = chunk->number;
	for (uint32_t i = 0; i < type->count && i < FIELDS; i++)
		v->part[i] = part_of(&type->fields[i]);
}

/*
 * A part of the call's time is no longer than the call, and nothing is less than 0: that is unknown. Counts are cut, so
 * that two of them can be added. Ids may be any number.
 */
static int64_t part_number(const struct call *call, const struct part *part, int64_t number)
{
	int64_t most = part->timespan == META_NANOSECONDS ? call->duration : JFR_LATEST;

	if (part->known == offsetof(struct call, traced))
		return number;
	return number < 0 ? INT64_MIN : number < most ? number : most;
}

static void read_part(struct call *call, int part, const struct jfr_value *v)
{
	if (part == METHOD_PART)
		call->method = *v;
	else if (part == THROWN_PART && v->kind == VALUE_BOOLEAN)
		call->thrown = v->number;
	else if (part == THROWN_CLASS_PART)
		call->thrown_class = *v;
	if (part < 0 || v->kind != VALUE_NUMBER)
		return;
	*(int64_t *)((char *)call + parts[part].offset) = part_number(call, &parts[part], v->number);
	*(bool *)((char *)call + parts[part].known) = true;
}

static void read_call(struct visitor *visitor, struct jfr_chunk *chunk, const struct jfr_event *e, struct call *call)
{
	struct jfr_span span = jfr_event_span(chunk, e);
	struct jfr_value event = jfr_event_value(e), v;
	struct cursor c = jfr_enter(chunk, &event);

	*call = (struct call){.chunk = chunk, .event = e, .start = span.start, .duration = span.duration};
	know_type(visitor, chunk, e->type);
	for (uint32_t i = 0; i < e->type->count; i++) {
		jfr_take(&c, &e->type->fields[i], &v);
		if ((int)i == e->type->thread)
			call->thread = v;
		else if ((int)i == e->type->stack)
			call->stack = v;
		else
			read_part(call, i < FIELDS ? visitor->part[i] : part_of(&e->type->fields[i]), &v);
	}
	if (!cursor_ok(&c))
		jfr_fault_add(chunk->fault, c.error, chunk->at + c.bad);
}

uint64_t call_method_id(struct jfr_chunk *chunk, const struct jfr_value *method)
{
	struct jfr_value resolved = *method;
	struct bytes text;
	uint64_t id;

	if (!chunk->mixed)
		return method->kind == VALUE_KEY ? method->key : 0;
	jfr_resolve(chunk, &resolved);
	if (resolved.kind != VALUE_STRUCT)
		return 0;
	bytes_init(&text);
	put_method(&text, chunk, &resolved);
	id = hash_data(text.data, text.size) | 1;
	bytes_release(&text);
	return id;
}

/* The frames of the call's stack. False: there are none. */
static bool enter_stack(const struct call *call, struct jfr_value *frames, struct cursor *c)
{
	struct jfr_value stack = call->stack;

	jfr_resolve(call->chunk, &stack);
	*frames = jfr_field(call->chunk, &stack, "frames");
	if (frames->kind != VALUE_ARRAY || !frames->place.count)
		return false;
	*c = jfr_enter(call->chunk, frames);
	return true;
}

/* Not in frtrace's recordings, which have frtrace.Clock: a method that frtrace does not know is not on the stack. */
static void take_method_from_stack(struct call *call, const struct meta_type *type)
{
	struct jfr_value frames, frame;
	struct cursor c;

	if (call->method.kind == VALUE_KEY &&
	    (call->method.key || jfr_chunk_constant(call->chunk, call->method.type, 0)))
		return;
	if (strcmp(type->name, "jdk.MethodTrace") != 0 || jfr_metadata_find(call->chunk->metadata, "frtrace.Clock") ||
	    !enter_stack(call, &frames, &c))
		return;
	jfr_take_element(&c, &frames, &frame);
	call->method = frame_method(call->chunk, &frame);
	call->own_frames = 1;
}

static bool identify_method(struct visitor *v, struct call *call)
{
	struct group *g;

	if (!call->chunk->mixed || call->method.kind != VALUE_KEY) {
		call->method_id = call_method_id(call->chunk, &call->method);
		return true;
	}
	g = aggregate_of_key(&v->ids, call->method.key, call->chunk->number);
	if (g && !g->count++)
		g->mark = call_method_id(call->chunk, &call->method);
	call->method_id = g ? g->mark : 0;
	return g;
}

static int call_iter_on_event(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct visitor *v = context;
	struct call call;

	read_call(v, chunk, e, &call);
	take_method_from_stack(&call, e->type);
	return identify_method(v, &call) ? v->visit(&call, v->context) : -ENOMEM;
}

int call_iter_each(struct jfr_file *file, const char *type, call_visit *visit, void *context)
{
	struct visitor v = {.visit = visit, .context = context};
	int err = event_iter_each(file, type, call_iter_on_event, &v);

	aggregate_release(&v.ids);
	return err;
}

int call_iter_chunk(struct jfr_chunk *chunk, const char *type, call_visit *visit, void *context)
{
	struct visitor v = {.visit = visit, .context = context};
	int err = event_iter_chunk(chunk, type, call_iter_on_event, &v);

	aggregate_release(&v.ids);
	return err;
}

struct jfr_value frame_method(struct jfr_chunk *chunk, struct jfr_value *frame)
{
	struct jfr_value method = {.kind = VALUE_NULL};
	int n = meta_type_field(frame->type, "method");
	struct cursor c;

	jfr_resolve(chunk, frame);
	if (frame->kind != VALUE_STRUCT)
		return method;
	c = jfr_enter(chunk, frame);
	for (int i = 0; i <= n; i++)
		jfr_take(&c, &frame->type->fields[i], &method);
	return method;
}

bool call_put_thrown(const struct call *call, struct bytes *out)
{
	struct jfr_value class = call->thrown_class, name;
	struct bytes text;
	bool known;

	jfr_resolve(call->chunk, &class);
	name = jfr_field(call->chunk, &class, "name");
	if (name.kind != VALUE_TEXT)
		return false;
	bytes_init(&text);
	put_value_text(&text, &name);
	bytes_put_u8(&text, 0);
	known = !text.failed && text.data[0];
	if (known)
		put_class_name(out, (char *)text.data, "");
	bytes_release(&text);
	return known;
}

void call_put_trace(const struct call *call, struct bytes *out)
{
	char text[33];

	snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64, (uint64_t)call->trace_hi, (uint64_t)call->trace_lo);
	bytes_put(out, text, 32);
}

bool call_enter_callers(const struct call *call, struct jfr_value *frames, struct cursor *c)
{
	struct jfr_value own;

	if (!enter_stack(call, frames, c) || frames->place.count <= call->own_frames)
		return false;
	for (unsigned int i = 0; i < call->own_frames; i++)
		jfr_take_element(c, frames, &own);
	frames->place.count -= call->own_frames;
	return true;
}

bool call_caller(const struct call *call, struct jfr_value *method, int64_t *line)
{
	struct jfr_value frames, frame, number, resolved;
	struct cursor c;

	if (!call_enter_callers(call, &frames, &c))
		return false;
	jfr_take_element(&c, &frames, &frame);
	*method = frame_method(call->chunk, &frame);
	number = jfr_field(call->chunk, &frame, "lineNumber");
	*line = number.kind == VALUE_NUMBER ? number.number : -1;
	resolved = *method;
	jfr_resolve(call->chunk, &resolved);
	return resolved.kind != VALUE_NULL;
}
