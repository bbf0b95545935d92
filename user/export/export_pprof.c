// SPDX-License-Identifier: BSD-2-Clause
/*
 * A profile of pprof (github.com/google/pprof, proto/profile.proto). A sample is a traced method with its callers. Its
 * times are self times, so that the sum over all samples with a method on their stack, pprof's "cum", is the time of
 * that method's calls.
 */
#include "format/gzip.h"
#include "format/proto.h"
#include "format/vec.h"
#include "user/export/export.h"
#include "user/export/self_time.h"
#include "user/trace/wait.h"
#include "user/trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of fields in profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_DEFAULT_TYPE = 14,
};
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3 };

/* The first strings of the table. The names of functions follow. */
static const char *const first_strings[] = {"", "calls", "count", "time", "nanoseconds", "cpu", "blocked"};
enum { STRING_CALLS = 1, STRING_COUNT, STRING_TIME, STRING_NANOSECONDS, STRING_CPU, STRING_BLOCKED, FIRST_STRINGS };

struct pprof {
	struct export_names names;
	struct aggregate samples;   /* (method, stack in its chunk) -> its locations in `stacks`, from `mark` on */
	struct aggregate functions; /* by hash of the name; the number is the index + 1 */
	struct aggregate locations; /* (function, line); likewise */
	struct aggregate threads;   /* (key, chunk) -> thread_number() in `mark` */
	struct bytes stacks;	    /* of uint32_t: a count, and numbers of locations, top first */
	struct self_time time;	    /* by index of `samples` */
	struct bytes profile, packed;
	int64_t first, last;
};

static void pprof_release(struct pprof *p)
{
	aggregate_release(&p->samples);
	aggregate_release(&p->functions);
	aggregate_release(&p->locations);
	aggregate_release(&p->threads);
	self_time_release(&p->time);
	export_names_release(&p->names);
	bytes_release(&p->stacks);
	bytes_release(&p->profile);
	bytes_release(&p->packed);
}

/* Append the number of a location to `stacks`. */
static int pprof_put_location(struct pprof *p, struct jfr_chunk *chunk, const struct jfr_value *method, int64_t line)
{
	const char *name = export_method(&p->names, chunk, method);
	struct group *function = name ? aggregate_of(&p->functions, hash_data(name, strlen(name)), 0) : NULL, *location;
	uint32_t number;

	if (function && !function->count)
		function->name = strdup(name);
	if (!function || !function->name)
		return -ENOMEM;
	function->count = 1;
	location = aggregate_of(&p->locations, function - p->functions.group + 1, line > 0 ? line : 0);
	if (!location)
		return -ENOMEM;
	location->count = 1;
	number = location - p->locations.group + 1;
	bytes_put(&p->stacks, &number, sizeof(number));
	return p->stacks.failed ? -ENOMEM : 0;
}

static int pprof_put_callers(struct pprof *p, const struct call *call, uint32_t *count)
{
	struct jfr_value frames, frame, method, line;
	struct cursor at;
	int err = 0;

	if (!call_enter_callers(call, &frames, &at))
		return 0;
	for (uint64_t i = 0; i < frames.place.count && cursor_ok(&at) && !err; i++) {
		jfr_take_element(&at, &frames, &frame);
		method = frame_method(call->chunk, &frame);
		line = jfr_field(call->chunk, &frame, "lineNumber");
		err = pprof_put_location(p, call->chunk, &method, line.kind == VALUE_NUMBER ? line.number : 0);
		++*count;
	}
	return err;
}

/* Set *mark to the position of the call's stack in `stacks`. */
static int pprof_put_stack(struct pprof *p, const struct call *call, uint64_t *mark)
{
	size_t begin = p->stacks.size;
	uint32_t count = 1;
	int err;

	bytes_put(&p->stacks, &count, sizeof(count));
	err = pprof_put_location(p, call->chunk, &call->method, 0);
	if (!err)
		err = pprof_put_callers(p, call, &count);
	if (err)
		return err;
	memcpy(p->stacks.data + begin, &count, sizeof(count));
	*mark = begin;
	return 0;
}

static int pprof_add_times(struct pprof *p, const struct call *call, uint32_t sample)
{
	uint64_t key = call->thread.kind == VALUE_KEY ? call->thread.key : 0;
	struct group *thread = aggregate_of(&p->threads, key, call->chunk->number);
	struct self_times times = {call->duration, INT64_MIN, INT64_MIN};

	if (!thread)
		return -ENOMEM;
	if (!thread->count++)
		thread->mark = thread_number(call->chunk, call->thread);
	if (call_has_split(call)) {
		times.cpu = call->cpu;
		times.blocked = call->blocked;
	}
	return self_time_add(&p->time, thread->mark, call->start, &times, sample);
}

static int export_pprof_add(const struct call *call, void *context)
{
	struct pprof *p = context;
	uint64_t stack = call->stack.kind == VALUE_KEY ? call->stack.key : 0;
	struct group *g = aggregate_of(&p->samples, call->method_id, stack ^ (uint64_t)call->chunk->number << 40);
	int64_t end;

	if (!g)
		return -ENOMEM;
	if (!g->count && pprof_put_stack(p, call, &g->mark))
		return -ENOMEM;
	g->count++;
	if (__builtin_add_overflow(call->start, call->duration, &end))
		end = call->start;
	p->first = call->start < p->first ? call->start : p->first;
	p->last = end > p->last ? end : p->last;
	return pprof_add_times(p, call, g - p->samples.group);
}

static void pprof_put_type(struct pprof *p, unsigned int type, unsigned int unit)
{
	size_t begun = proto_begin(&p->profile, PROFILE_SAMPLE_TYPE);

	proto_uint(&p->profile, VALUE_TYPE, type);
	proto_uint(&p->profile, VALUE_UNIT, unit);
	proto_end(&p->profile, begun);
}

/* Self times are rounded, and those of a torn recording may be below 0; so is an unknown one. */
static uint64_t pprof_value(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

static void pprof_put_sample(struct pprof *p, const struct group *g, const struct self_times *times)
{
	size_t begun = proto_begin(&p->profile, PROFILE_SAMPLE);
	const unsigned char *stack = p->stacks.data + g->mark;
	uint32_t count, location;

	memcpy(&count, stack, sizeof(count));
	bytes_clear(&p->packed);
	for (uint32_t i = 1; i <= count; i++) {
		memcpy(&location, stack + i * sizeof(location), sizeof(location));
		proto_put(&p->packed, location);
	}
	proto_data(&p->profile, SAMPLE_LOCATIONS, p->packed.data, p->packed.size);
	bytes_clear(&p->packed);
	proto_put(&p->packed, g->count);
	proto_put(&p->packed, pprof_value(times->duration));
	proto_put(&p->packed, pprof_value(times->cpu));
	proto_put(&p->packed, pprof_value(times->blocked));
	proto_data(&p->profile, SAMPLE_VALUES, p->packed.data, p->packed.size);
	proto_end(&p->profile, begun);
}

static void pprof_put_places(struct pprof *p)
{
	for (size_t i = 0; i < p->locations.count; i++) {
		size_t begun = proto_begin(&p->profile, PROFILE_LOCATION), line;

		proto_uint(&p->profile, LOCATION_ID, i + 1);
		line = proto_begin(&p->profile, LOCATION_LINE);
		proto_uint(&p->profile, LINE_FUNCTION, p->locations.group[i].first);
		proto_uint(&p->profile, LINE_NUMBER, p->locations.group[i].second);
		proto_end(&p->profile, line);
		proto_end(&p->profile, begun);
	}
	for (size_t i = 0; i < p->functions.count; i++) {
		size_t begun = proto_begin(&p->profile, PROFILE_FUNCTION);

		proto_uint(&p->profile, FUNCTION_ID, i + 1);
		proto_uint(&p->profile, FUNCTION_NAME, FIRST_STRINGS + i);
		proto_uint(&p->profile, FUNCTION_SYSTEM_NAME, FIRST_STRINGS + i);
		proto_end(&p->profile, begun);
	}
	for (int i = 0; i < FIRST_STRINGS; i++)
		proto_text(&p->profile, PROFILE_STRING, first_strings[i]);
	for (size_t i = 0; i < p->functions.count; i++)
		proto_text(&p->profile, PROFILE_STRING, p->functions.group[i].name);
}

static int pprof_write(struct pprof *p, FILE *to)
{
	struct bytes *out = &p->packed;

	pprof_put_type(p, STRING_CALLS, STRING_COUNT);
	pprof_put_type(p, STRING_TIME, STRING_NANOSECONDS);
	pprof_put_type(p, STRING_CPU, STRING_NANOSECONDS);
	pprof_put_type(p, STRING_BLOCKED, STRING_NANOSECONDS);
	for (size_t i = 0; i < p->samples.count; i++)
		pprof_put_sample(p, &p->samples.group[i], &p->time.sum[i]);
	pprof_put_places(p);
	if (p->samples.count) {
		proto_uint(&p->profile, PROFILE_TIME, p->first);
		proto_uint(&p->profile, PROFILE_DURATION, (uint64_t)p->last - p->first);
	}
	proto_uint(&p->profile, PROFILE_DEFAULT_TYPE, STRING_TIME);
	if (p->profile.failed || out->failed)
		return -ENOMEM;
	bytes_clear(out);
	gzip_put(out, p->profile.data, p->profile.size);
	if (out->failed)
		return -ENOMEM;
	fwrite(out->data, 1, out->size, to);
	return 0;
}

int export_pprof(struct jfr_file *file, bool normalize, FILE *to)
{
	struct pprof p = {.first = INT64_MAX, .last = INT64_MIN};
	int err;

	export_names_init(&p.names, normalize);
	bytes_init(&p.stacks);
	bytes_init(&p.profile);
	bytes_init(&p.packed);
	err = trace_read(file, &(struct trace_ops){.call = export_pprof_add}, &p);
	if (!err)
		err = self_time_finish(&p.time);
	if (!err)
		err = pprof_write(&p, to);
	pprof_release(&p);
	return err;
}
