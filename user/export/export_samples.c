// SPDX-License-Identifier: BSD-2-Clause
/* The stacks of samples (jdk.ExecutionSample) that are in calls, for flame graphs of what these spent their CPU time in. */
#include "user/export/export.h"
#include "user/text/java_number.h"
#include "user/trace/call_spans.h"
#include "user/trace/trace.h"
#include "user/trace/wait.h"

#include <inttypes.h>
#include <stdlib.h>

struct samples_in_calls {
	struct call_spans calls;
	export_on_sample *on;
	void *context;
};

struct sample_stacks {
	struct export_names names;
	struct texts lines;
	uint64_t *count; /* by number of the line */
	size_t counts, capacity;
	struct chunk_map stacks; /* -> number of the line */
	const char **frame;	 /* names of a stack, innermost first */
	size_t frames;
};

static int samples_on_call(const struct call *call, void *context)
{
	call_spans_add(&((struct samples_in_calls *)context)->calls, call);
	return 0;
}

/* Append the frames, outermost first. */
static void put_frames(struct sample_stacks *s, struct jfr_chunk *chunk, const struct jfr_value *frames,
		       struct bytes *out)
{
	struct jfr_value frame, method;
	struct cursor at = jfr_enter(chunk, frames);
	size_t count = 0;

	for (uint64_t i = 0; i < frames->place.count && cursor_ok(&at); i++) {
		jfr_take_element(&at, frames, &frame);
		method = frame_method(chunk, &frame);
		memory_reserve(&s->frame, &s->frames, count + 1);
		s->frame[count++] = export_method(&s->names, chunk, &method);
	}
	while (count-- > 0) {
		export_put_frame(out, s->frame[count]);
		if (count)
			bytes_put_u8(out, ';');
	}
}

static uint32_t sample_line(struct sample_stacks *s, struct jfr_chunk *chunk, struct jfr_value stack)
{
	struct jfr_value frames;
	struct bytes line;
	uint32_t number;

	bytes_init(&line);
	jfr_resolve(chunk, &stack);
	frames = jfr_field(chunk, &stack, "frames");
	if (frames.kind == VALUE_ARRAY && frames.place.count) {
		put_frames(s, chunk, &frames, &line);
	} else {
		put_text(&line, "(unknown)");
	}
	number = texts_number(&s->lines, memory_text(&line));
	bytes_release(&line);
	return number;
}

static int samples_on_sample(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct jfr_value event = jfr_event_value(e);
	int64_t at = jfr_event_span(chunk, e).start;
	struct samples_in_calls *s = context;

	if (call_spans_have(&s->calls, thread_number(chunk, jfr_field(chunk, &event, "sampledThread")), at))
		s->on(chunk, jfr_event_field(chunk, e, e->type->stack), at, s->context);
	return 0;
}

void export_each_sample(struct jfr_file *file, struct call_filter *filter, export_on_sample *on, void *context)
{
	static const struct trace_event events[] = {{"jdk.ExecutionSample", samples_on_sample}, {NULL, NULL}};
	const struct trace_ops calls = {.call = samples_on_call}, samples = {.events = events};
	struct samples_in_calls s = {.on = on, .context = context};
	struct jfr_file again;

	jfr_file_again(&again, file);
	trace_read_all(file, &(struct trace_reader){&calls, &s, filter}, 1);
	call_spans_sort(&s.calls);
	call_spans_keep_outermost(&s.calls);
	trace_read(&again, &samples, &s);
	if (!file->fault.what)
		file->fault = again.fault;
	jfr_file_release(&again);
	call_spans_release(&s.calls);
}

static void count_line(struct jfr_chunk *chunk, struct jfr_value stack, int64_t at, void *context)
{
	struct sample_stacks *s = context;
	uint32_t *line = chunk_map_at(&s->stacks, chunk, &stack, 0);

	if (!*line)
		*line = sample_line(s, chunk, stack);
	memory_extend(&s->count, &s->counts, &s->capacity, (size_t)*line + 1);
	s->count[*line]++;
}

void export_samples(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to)
{
	struct sample_stacks s = {.counts = 0};

	export_names_init(&s.names, normalize);
	export_each_sample(file, filter, count_line, &s);
	for (size_t i = 1; i < s.counts; i++)
		fprintf(to, "%s %" PRIu64 "\n", s.lines.text[i], s.count[i]);
	chunk_map_release(&s.stacks);
	export_names_release(&s.names);
	texts_release(&s.lines);
	free(s.count);
	free(s.frame);
}
