// SPDX-License-Identifier: BSD-2-Clause
/*
 * A profile of pprof (github.com/google/pprof, proto/profile.proto). A sample is a traced method with its callers. Its
 * times are self times, so that the sum over all samples with a method on their stack, pprof's "cum", is the time of
 * that method's calls.
 */
#include "format/gzip.h"
#include "format/proto.h"
#include "user/export/export.h"
#include "user/export/self_time.h"
#include "user/trace/threads.h"
#include "user/trace/trace.h"
#include "user/trace/jfr_names.h"

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
static const char *const first_strings[] = {"", "calls", "count", "time", "nanoseconds", "cpu", "blocked", "samples"};
enum {
	STRING_CALLS = 1,
	STRING_COUNT,
	STRING_TIME,
	STRING_NANOSECONDS,
	STRING_CPU,
	STRING_BLOCKED,
	STRING_SAMPLES,
	FIRST_STRINGS
};

struct pprof {
	struct export_names names;
	struct chunk_map numbers; /* (stack, method) -> index of the sample + 1 */
	struct pprof_sample {
		size_t stack; /* where its locations are in `stacks` */
		uint64_t calls;
	} *sample;
	size_t samples, capacity;
	struct aggregate locations; /* (function: number of its name, line); the number is the index + 1 */
	struct threads threads;
	struct bytes stacks;   /* of uint32_t: a count, and numbers of locations, top first */
	struct self_time time; /* by index of `sample` */
	struct bytes profile, packed;
	int64_t first, last;
};

static void pprof_release(struct pprof *p)
{
	chunk_map_release(&p->numbers);
	free(p->sample);
	aggregate_release(&p->locations);
	threads_release(&p->threads);
	self_time_release(&p->time);
	export_names_release(&p->names);
	bytes_release(&p->stacks);
	bytes_release(&p->profile);
	bytes_release(&p->packed);
}

/* Append the number of a location to `stacks`. */
static void pprof_put_location(struct pprof *p, struct jfr_chunk *chunk, const struct jfr_value *method, int64_t line)
{
	uint32_t function = export_method_number(&p->names, chunk, method), number;
	struct group *location = aggregate_of(&p->locations, function, line > 0 ? line : 0);

	location->count = 1;
	number = location - p->locations.group + 1;
	bytes_put(&p->stacks, &number, sizeof(number));
}

static uint32_t pprof_put_frames(struct pprof *p, struct jfr_chunk *chunk, const struct jfr_value *frames,
				 struct cursor at)
{
	struct jfr_value frame, method;
	uint64_t i;

	for (i = 0; i < frames->place.count && cursor_ok(&at); i++) {
		jfr_take_element(&at, frames, &frame);
		method = frame_method(chunk, &frame);
		pprof_put_location(p, chunk, &method, frame_line(chunk, &frame));
	}
	return i;
}

/* Returns the position of the call's stack in `stacks`. */
static size_t pprof_put_stack(struct pprof *p, const struct call *call)
{
	size_t begin = p->stacks.size;
	struct jfr_value frames;
	struct cursor at;
	uint32_t count = 1;

	bytes_put(&p->stacks, &count, sizeof(count));
	pprof_put_location(p, call->chunk, &call->method, 0);
	if (call_enter_callers(call, &frames, &at))
		count += pprof_put_frames(p, call->chunk, &frames, at);
	if (p->stacks.failed)
		memory_exhausted();
	memcpy(p->stacks.data + begin, &count, sizeof(count));
	return begin;
}

/* Likewise. A stack that is not known has no locations. */
static size_t pprof_put_sampled(struct pprof *p, struct jfr_chunk *chunk, struct jfr_value stack)
{
	size_t begin = p->stacks.size;
	struct jfr_value frames;
	uint32_t count = 0;

	jfr_resolve(chunk, &stack);
	frames = jfr_field(chunk, &stack, "frames");
	bytes_put(&p->stacks, &count, sizeof(count));
	if (frames.kind == VALUE_ARRAY)
		count = pprof_put_frames(p, chunk, &frames, jfr_enter(chunk, &frames));
	if (p->stacks.failed)
		memory_exhausted();
	memcpy(p->stacks.data + begin, &count, sizeof(count));
	return begin;
}

static void pprof_add_times(struct pprof *p, const struct call *call, uint32_t sample)
{
	struct self_times times = {call->duration, INT64_MIN, INT64_MIN};

	if (call_has_split(call)) {
		times.cpu = call->cpu;
		times.blocked = call->blocked;
	}
	self_time_add(&p->time, threads_number(&p->threads, call->chunk, &call->thread), call->start, &times, sample);
}

static uint32_t pprof_new_sample(struct pprof *p, size_t stack)
{
	memory_reserve(&p->sample, &p->capacity, p->samples + 1);
	p->sample[p->samples++] = (struct pprof_sample){stack, 0};
	return p->samples;
}

static void pprof_cover(struct pprof *p, int64_t from, int64_t to)
{
	p->first = from < p->first ? from : p->first;
	p->last = to > p->last ? to : p->last;
}

/* A stack of each chunk is a sample of its own. */
static int export_pprof_add(const struct call *call, void *context)
{
	struct pprof *p = context;
	uint32_t *number = chunk_map_at(&p->numbers, call->chunk, &call->stack, chunk_map_key(&call->method));
	int64_t end;

	if (!*number)
		*number = pprof_new_sample(p, pprof_put_stack(p, call));
	p->sample[*number - 1].calls++;
	if (__builtin_add_overflow(call->start, call->duration, &end))
		end = call->start;
	pprof_cover(p, call->start, end);
	pprof_add_times(p, call, *number - 1);
	return 0;
}

static void pprof_on_sample(struct jfr_chunk *chunk, struct jfr_value stack, int64_t at, void *context)
{
	struct pprof *p = context;
	uint32_t *number = chunk_map_at(&p->numbers, chunk, &stack, 0);

	if (!*number)
		*number = pprof_new_sample(p, pprof_put_sampled(p, chunk, stack));
	p->sample[*number - 1].calls++;
	pprof_cover(p, at, at);
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

/* `times`: NULL: there are none. */
static void pprof_put_sample(struct pprof *p, const struct pprof_sample *s, const struct self_times *times)
{
	size_t begun = proto_begin(&p->profile, PROFILE_SAMPLE);
	const unsigned char *stack = p->stacks.data + s->stack;
	uint32_t count, location;

	memcpy(&count, stack, sizeof(count));
	bytes_clear(&p->packed);
	for (uint32_t i = 1; i <= count; i++) {
		memcpy(&location, stack + i * sizeof(location), sizeof(location));
		proto_put(&p->packed, location);
	}
	proto_data(&p->profile, SAMPLE_LOCATIONS, p->packed.data, p->packed.size);
	bytes_clear(&p->packed);
	proto_put(&p->packed, s->calls);
	if (times) {
		proto_put(&p->packed, pprof_value(times->duration));
		proto_put(&p->packed, pprof_value(times->cpu));
		proto_put(&p->packed, pprof_value(times->blocked));
	}
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
	for (size_t i = 1; i < p->names.texts.count; i++) {
		size_t begun = proto_begin(&p->profile, PROFILE_FUNCTION);

		proto_uint(&p->profile, FUNCTION_ID, i);
		proto_uint(&p->profile, FUNCTION_NAME, FIRST_STRINGS + i - 1);
		proto_uint(&p->profile, FUNCTION_SYSTEM_NAME, FIRST_STRINGS + i - 1);
		proto_end(&p->profile, begun);
	}
	for (int i = 0; i < FIRST_STRINGS; i++)
		proto_text(&p->profile, PROFILE_STRING, first_strings[i]);
	for (size_t i = 1; i < p->names.texts.count; i++)
		proto_text(&p->profile, PROFILE_STRING, p->names.texts.text[i]);
}

static void pprof_put_calls(struct pprof *p)
{
	self_time_finish(&p->time);
	pprof_put_type(p, STRING_CALLS, STRING_COUNT);
	pprof_put_type(p, STRING_TIME, STRING_NANOSECONDS);
	pprof_put_type(p, STRING_CPU, STRING_NANOSECONDS);
	pprof_put_type(p, STRING_BLOCKED, STRING_NANOSECONDS);
	for (size_t i = 0; i < p->samples; i++)
		pprof_put_sample(p, &p->sample[i], &p->time.sum[i]);
}

/* The rest of a profile. */
static void pprof_write(struct pprof *p, unsigned int default_type, FILE *to)
{
	struct bytes *out = &p->packed;

	pprof_put_places(p);
	if (p->samples) {
		proto_uint(&p->profile, PROFILE_TIME, p->first);
		proto_uint(&p->profile, PROFILE_DURATION, (uint64_t)p->last - p->first);
	}
	proto_uint(&p->profile, PROFILE_DEFAULT_TYPE, default_type);
	bytes_clear(out);
	gzip_put(out, p->profile.data, p->profile.size);
	if (p->profile.failed || out->failed)
		memory_exhausted();
	fwrite(out->data, 1, out->size, to);
}

static void pprof_init(struct pprof *p, bool normalize)
{
	*p = (struct pprof){.first = INT64_MAX, .last = INT64_MIN};
	export_names_init(&p->names, normalize);
	bytes_init(&p->stacks);
	bytes_init(&p->profile);
	bytes_init(&p->packed);
}

void export_pprof(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to)
{
	struct pprof p;

	pprof_init(&p, normalize);
	trace_read_all(file, &(struct trace_reader){&(struct trace_ops){.call = export_pprof_add}, &p, filter}, 1);
	pprof_put_calls(&p);
	pprof_write(&p, STRING_TIME, to);
	pprof_release(&p);
}

void export_pprof_samples(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to)
{
	struct pprof p;

	pprof_init(&p, normalize);
	export_each_sample(file, filter, pprof_on_sample, &p);
	pprof_put_type(&p, STRING_SAMPLES, STRING_COUNT);
	for (size_t i = 0; i < p.samples; i++)
		pprof_put_sample(&p, &p.sample[i], NULL);
	pprof_write(&p, STRING_SAMPLES, to);
	pprof_release(&p);
}
