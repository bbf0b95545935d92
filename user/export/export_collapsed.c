// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/export.h"
#include "format/vec.h"
#include "user/export/self_time.h"
#include "user/trace/wait.h"
#include "user/text/java_number.h"
#include "user/trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct collapsed {
	struct export_names names;
	struct aggregate stacks;  /* (method, stack in its chunk) -> line in `name` */
	struct aggregate threads; /* (key, chunk) -> thread_number() in `mark` */
	struct self_time time;	  /* by index of `stacks` */
	struct bytes line;
	const char **frame; /* method names of a stack, top first */
	size_t capacity;
	bool weigh_time;
};

static bool add_frame(struct collapsed *c, size_t i, const char *name)
{
	if (vec_reserve(&c->frame, &c->capacity, i + 1))
		return false;
	c->frame[i] = name;
	return name != NULL;
}

/* Collect the method names of all frames. False: no memory. */
static bool name_frames(struct collapsed *c, const struct call *call, size_t *count)
{
	struct jfr_value frames, frame, method;
	struct cursor at;

	*count = 0;
	if (!call_enter_callers(call, &frames, &at))
		return true;
	for (uint64_t i = 0; i < frames.place.count && cursor_ok(&at); i++) {
		jfr_take_element(&at, &frames, &frame);
		method = frame_method(call->chunk, &frame);
		if (!add_frame(c, *count, export_method(&c->names, call->chunk, &method)))
			return false;
		++*count;
	}
	return true;
}

/* A semicolon in a name would make two frames of one. */
static void put_frame(struct bytes *out, const char *name)
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

/* The line without its number. NULL: no memory. */
static char *make_line(struct collapsed *c, const struct call *call)
{
	size_t count;

	bytes_clear(&c->line);
	if (!name_frames(c, call, &count) || !add_frame(c, count, export_method(&c->names, call->chunk, &call->method)))
		return NULL;
	for (size_t i = count; i-- > 0;) {
		put_frame(&c->line, c->frame[i]);
		bytes_put_u8(&c->line, ';');
	}
	put_frame(&c->line, c->frame[count]);
	bytes_put_u8(&c->line, 0);
	return c->line.failed ? NULL : strdup((char *)c->line.data);
}

static int add_time(struct collapsed *c, const struct call *call, uint32_t line)
{
	uint64_t key = call->thread.kind == VALUE_KEY ? call->thread.key : 0;
	struct group *thread = aggregate_of(&c->threads, key, call->chunk->number);
	const struct self_times times = {call->duration, INT64_MIN, INT64_MIN};

	if (!thread)
		return -ENOMEM;
	if (!thread->count++)
		thread->mark = thread_number(call->chunk, call->thread);
	return self_time_add(&c->time, thread->mark, call->start, &times, line);
}

static int export_collapsed_add(const struct call *call, void *context)
{
	struct collapsed *c = context;
	uint64_t stack = call->stack.kind == VALUE_KEY ? call->stack.key : 0;
	struct group *g = aggregate_of(&c->stacks, call->method_id, stack ^ (uint64_t)call->chunk->number << 40);

	if (!g)
		return -ENOMEM;
	if (!g->count) {
		g->name = make_line(c, call);
		if (!g->name)
			return -ENOMEM;
	}
	g->count++;
	return c->weigh_time ? add_time(c, call, g - c->stacks.group) : 0;
}

static uint64_t collapsed_weight(const struct collapsed *c, size_t i)
{
	if (!c->weigh_time)
		return c->stacks.group[i].count;
	return c->time.sum[i].duration > 0 ? c->time.sum[i].duration : 0;
}

static void collapsed_release(struct collapsed *c)
{
	aggregate_release(&c->stacks);
	aggregate_release(&c->threads);
	self_time_release(&c->time);
	export_names_release(&c->names);
	bytes_release(&c->line);
	free(c->frame);
}

/* Release it in any case. */
static int collapsed_read(struct collapsed *c, struct jfr_file *file, bool weigh_time, bool normalize)
{
	int err;

	*c = (struct collapsed){.weigh_time = weigh_time};
	export_names_init(&c->names, normalize);
	bytes_init(&c->line);
	err = trace_read(file, &(struct trace_ops){.call = export_collapsed_add}, c);
	return err ?: self_time_finish(&c->time);
}

int export_collapsed(struct jfr_file *file, bool weigh_time, bool normalize, FILE *to)
{
	struct collapsed c;
	int err = collapsed_read(&c, file, weigh_time, normalize);

	for (size_t i = 0; i < c.stacks.count && !err; i++)
		fprintf(to, "%s %" PRIu64 "\n", c.stacks.group[i].name, collapsed_weight(&c, i));
	collapsed_release(&c);
	return err;
}

/* Add the weights to those of the lines in both: the old ones in `count`, the new ones in `mark`. */
static int collapsed_merge(struct aggregate *lines, const struct collapsed *c, bool old)
{
	for (size_t i = 0; i < c->stacks.count; i++) {
		const char *text = c->stacks.group[i].name;
		struct group *g = aggregate_of(lines, hash_data(text, strlen(text)), 0);

		if (g && !g->name)
			g->name = strdup(text);
		if (!g || !g->name)
			return -ENOMEM;
		if (old)
			g->count += collapsed_weight(c, i);
		else
			g->mark += collapsed_weight(c, i);
	}
	return 0;
}

int export_collapsed_pair(struct jfr_file *old, struct jfr_file *new, bool weigh_time, bool normalize, FILE *to)
{
	struct jfr_file *files[2] = {old, new};
	struct aggregate lines = {0};
	struct collapsed c;
	int err = 0;

	for (int i = 0; i < 2 && !err; i++) {
		err = collapsed_read(&c, files[i], weigh_time, normalize);
		if (!err)
			err = collapsed_merge(&lines, &c, i == 0);
		collapsed_release(&c);
	}
	for (size_t i = 0; i < lines.count && !err; i++)
		fprintf(to, "%s %" PRIu64 " %" PRIu64 "\n", lines.group[i].name, lines.group[i].count,
			lines.group[i].mark);
	aggregate_release(&lines);
	return err;
}
