// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/call.h"
#include "format/hash.h"
#include "user/text/memory.h"
#include "user/trace/jfr_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	CALL_SPLIT = 4,	  /* rows that split the time */
	CALL_USAGE = 8,	  /* up to here: what the kernel did */
	CALL_TRACED = 11, /* and ids of a distributed trace */
};

/* The first ones in the order above. */
static const struct event_member call_fields[] = {
#define NUMBER(n, unit, m) {n, EVENT_NUMBER, offsetof(struct call, m), META_OTHER, unit}
	NUMBER("cpuTime", META_NANOSECONDS, cpu),
	NUMBER("runQueueTime", META_NANOSECONDS, run_queue),
	NUMBER("blockedTime", META_NANOSECONDS, blocked),
	NUMBER("pauseTime", META_NANOSECONDS, pause),
	NUMBER("syscalls", META_NO_UNIT, system_calls),
	NUMBER("syscallTime", META_NANOSECONDS, system_call_time),
	NUMBER("majorFaults", META_NO_UNIT, major_faults),
	NUMBER("minorFaults", META_NO_UNIT, minor_faults),
	NUMBER("traceIdHi", META_NO_UNIT, trace_hi),
	NUMBER("traceIdLo", META_NO_UNIT, trace_lo),
	NUMBER("spanId", META_NO_UNIT, span),
	NUMBER("allocated", META_NO_UNIT, allocated),
	NUMBER("requestTime", META_NANOSECONDS, request),
	{"method", EVENT_VALUE, offsetof(struct call, method), META_METHOD, META_NO_UNIT},
	{"thrownClass", EVENT_VALUE, offsetof(struct call, thrown_class), META_CLASS, META_NO_UNIT},
	{"thrown", EVENT_BOOL, offsetof(struct call, thrown), META_OTHER, META_NO_UNIT},
};

static const struct event_table call_table = {call_fields, sizeof(call_fields) / sizeof(call_fields[0]),
					      offsetof(struct call, thread), offsetof(struct call, stack)};

/* True if one of the rows [from, to) was there. */
static bool call_has_rows(uint64_t seen, unsigned int from, unsigned int to)
{
	return seen & ((1ull << to) - (1ull << from));
}

/*
 * A part of the call's time is no longer than the call, and nothing is less than 0: that is unknown. Counts are cut, so
 * that two of them can be added. Ids may be any number.
 */
static void call_cut(struct call *call, uint64_t seen)
{
	for (uint64_t left = seen & ((1ull << CALL_USAGE) - 1); left; left &= left - 1) {
		const struct event_member *row = &call_fields[__builtin_ctzll(left)];
		int64_t most = row->timespan == META_NANOSECONDS ? call->duration : JFR_LATEST;
		int64_t *number = (int64_t *)((char *)call + row->offset);

		*number = *number < 0 ? INT64_MIN : *number < most ? *number : most;
	}
	if (call->allocated < 0)
		call->allocated = INT64_MIN;
	if (call->request < call->duration)
		call->request = INT64_MIN;
	call->split = call_has_rows(seen, 0, CALL_SPLIT);
	call->usage = call_has_rows(seen, CALL_SPLIT, CALL_USAGE);
	call->traced = call_has_rows(seen, CALL_USAGE, CALL_TRACED);
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

static uint64_t call_reader_method_id(struct call_reader *r, const struct call *call)
{
	uint32_t *number;

	if (!call->chunk->mixed || call->method.kind != VALUE_KEY)
		return call_method_id(call->chunk, &call->method);
	if (r->ids.chunk != call->chunk->number)
		r->count = 0;
	number = chunk_map_at(&r->ids, call->chunk, &call->method, 0);
	if (!*number) {
		memory_reserve(&r->id, &r->capacity, r->count + 1);
		r->id[r->count++] = call_method_id(call->chunk, &call->method);
		*number = r->count;
	}
	return r->id[*number - 1];
}

void call_reader_release(struct call_reader *r)
{
	chunk_map_release(&r->ids);
	free(r->id);
}

void call_read(struct call_reader *r, struct jfr_chunk *chunk, const struct jfr_event *e, struct call *call)
{
	static const struct call empty = {.allocated = INT64_MIN, .request = INT64_MIN};
	struct jfr_span span = jfr_event_span(chunk, e);
	uint64_t seen;

	memcpy(call, &empty, sizeof(*call)); /* to write an initializer's zeros takes longer */
	call->chunk = chunk;
	call->event = e;
	call->start = span.start;
	call->duration = span.duration;
	event_members_read(&r->fields, &call_table, chunk, e, call, &seen);
	call_cut(call, seen);
	take_method_from_stack(call, e->type);
	call->method_id = call_reader_method_id(r, call);
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
	known = *bytes_text(&text);
	if (known)
		put_class_name(out, call->chunk, bytes_text(&text), "");
	bytes_release(&text);
	return known;
}

void call_put_trace(const struct call *call, struct bytes *out)
{
	bytes_printf(out, "%016" PRIx64 "%016" PRIx64, (uint64_t)call->trace_hi, (uint64_t)call->trace_lo);
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
	struct jfr_value frames, frame, resolved;
	struct cursor c;

	if (!call_enter_callers(call, &frames, &c))
		return false;
	jfr_take_element(&c, &frames, &frame);
	*method = frame_method(call->chunk, &frame);
	*line = frame_line(call->chunk, &frame);
	resolved = *method;
	jfr_resolve(call->chunk, &resolved);
	return resolved.kind != VALUE_NULL;
}
