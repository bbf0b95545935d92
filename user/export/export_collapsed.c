// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/export.h"
#include "user/export/self_time.h"
#include "user/text/java_number.h"
#include "user/trace/threads.h"
#include "user/trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The stacks of one recording, or of two. */
struct collapsed_lines {
	struct texts text;
	struct collapsed_weight {
		uint64_t of[2];
	} *weight; /* by number in `text` */
	size_t count, capacity;
};

struct collapsed {
	struct collapsed_lines *lines;
	unsigned int recording;
	struct export_names names;
	struct chunk_map stacks; /* (stack, method) -> line */
	struct threads threads;
	struct self_time time; /* by line */
	struct bytes line;
	const char **frame; /* method names of a stack, top first */
	size_t capacity;
	bool weigh_time;
};

static void collapsed_lines_release(struct collapsed_lines *l)
{
	texts_release(&l->text);
	free(l->weight);
}

static void add_frame(struct collapsed *c, size_t i, const char *name)
{
	memory_reserve(&c->frame, &c->capacity, i + 1);
	c->frame[i] = name;
}

/* Collect the method names of all frames. Returns their number. */
static size_t name_frames(struct collapsed *c, const struct call *call)
{
	struct jfr_value frames, frame, method;
	struct cursor at;
	size_t count = 0;

	if (!call_enter_callers(call, &frames, &at))
		return 0;
	for (uint64_t i = 0; i < frames.place.count && cursor_ok(&at); i++) {
		jfr_take_element(&at, &frames, &frame);
		method = frame_method(call->chunk, &frame);
		add_frame(c, count++, export_method(&c->names, call->chunk, &method));
	}
	return count;
}

void export_put_frame(struct bytes *out, const char *name)
{
	for (size_t n; *name; name += n) {
		n = strcspn(name, ";");
		bytes_put(out, name, n);
		if (name[n]) {
			put_text(out, "\\u003b");
			n++;
		}
	}
}

/* The number of the line without its weights. */
static uint32_t make_line(struct collapsed *c, const struct call *call)
{
	size_t count = name_frames(c, call);

	add_frame(c, count, export_method(&c->names, call->chunk, &call->method));
	bytes_clear(&c->line);
	for (size_t i = count; i-- > 0;) {
		export_put_frame(&c->line, c->frame[i]);
		bytes_put_u8(&c->line, ';');
	}
	export_put_frame(&c->line, c->frame[count]);
	return texts_number(&c->lines->text, memory_text(&c->line));
}

static int export_collapsed_add(const struct call *call, void *context)
{
	const struct self_times times = {call->duration, INT64_MIN, INT64_MIN};
	struct collapsed *c = context;
	struct collapsed_lines *l = c->lines;
	uint32_t *line = chunk_map_at(&c->stacks, call->chunk, &call->stack, chunk_map_key(&call->method));

	if (!*line)
		*line = make_line(c, call);
	memory_extend(&l->weight, &l->count, &l->capacity, (size_t)*line + 1);
	if (c->weigh_time)
		self_time_add(&c->time, threads_number(&c->threads, call->chunk, &call->thread), call->start, &times,
			      *line);
	else
		l->weight[*line].of[c->recording]++;
	return 0;
}

static void collapsed_read(struct collapsed_lines *lines, unsigned int recording, struct jfr_file *file,
			   struct call_filter *filter, bool weigh_time, bool normalize)
{
	struct collapsed c = {.lines = lines, .recording = recording, .weigh_time = weigh_time};

	export_names_init(&c.names, normalize);
	bytes_init(&c.line);
	trace_read_all(file, &(struct trace_reader){&(struct trace_ops){.call = export_collapsed_add}, &c, filter}, 1);
	self_time_finish(&c.time);
	for (size_t i = 0; i < c.time.sums; i++)
		if (c.time.sum[i].duration > 0)
			lines->weight[i].of[recording] = c.time.sum[i].duration;
	chunk_map_release(&c.stacks);
	threads_release(&c.threads);
	self_time_release(&c.time);
	export_names_release(&c.names);
	bytes_release(&c.line);
	free(c.frame);
}

void export_collapsed(struct jfr_file *file, struct call_filter *filter, bool weigh_time, bool normalize, FILE *to)
{
	struct collapsed_lines lines = {.count = 0};

	collapsed_read(&lines, 0, file, filter, weigh_time, normalize);
	for (size_t i = 1; i < lines.count; i++)
		fprintf(to, "%s %" PRIu64 "\n", lines.text.text[i], lines.weight[i].of[0]);
	collapsed_lines_release(&lines);
}

void export_collapsed_pair(struct jfr_file *old, struct jfr_file *new, bool weigh_time, bool normalize, FILE *to)
{
	struct collapsed_lines lines = {.count = 0};

	collapsed_read(&lines, 0, old, NULL, weigh_time, normalize);
	collapsed_read(&lines, 1, new, NULL, weigh_time, normalize);
	for (size_t i = 1; i < lines.count; i++)
		fprintf(to, "%s %" PRIu64 " %" PRIu64 "\n", lines.text.text[i], lines.weight[i].of[0],
			lines.weight[i].of[1]);
	collapsed_lines_release(&lines);
}
