// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/export.h"
#include "format/vec.h"
#include "user/export/self_time.h"
#include "user/files/wait_iter.h"

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

/* The line without its number. NULL: no memory. */
static char *make_line(struct collapsed *c, const struct call *call)
{
	size_t count;

	bytes_clear(&c->line);
	if (!name_frames(c, call, &count) || !add_frame(c, count, export_method(&c->names, call->chunk, &call->method)))
		return NULL;
	for (size_t i = count; i-- > 0;) {
		bytes_put(&c->line, c->frame[i], strlen(c->frame[i]));
		bytes_put_u8(&c->line, ';');
	}
	bytes_put(&c->line, c->frame[count], strlen(c->frame[count]) + 1);
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

static void put_lines(struct collapsed *c, FILE *to)
{
	for (size_t i = 0; i < c->stacks.count; i++) {
		uint64_t weight = c->stacks.group[i].count;

		if (c->weigh_time)
			weight = c->time.sum[i].duration > 0 ? c->time.sum[i].duration : 0;
		fprintf(to, "%s %" PRIu64 "\n", c->stacks.group[i].name, weight);
	}
}

int export_collapsed(struct jfr_file *file, bool weigh_time, bool normalize, FILE *to)
{
	struct collapsed c = {.weigh_time = weigh_time};
	int err;

	export_names_init(&c.names, normalize);
	bytes_init(&c.line);
	err = call_iter_each(file, "jdk.MethodTrace", export_collapsed_add, &c);
	if (!err)
		err = self_time_finish(&c.time);
	if (!err)
		put_lines(&c, to);
	aggregate_release(&c.stacks);
	aggregate_release(&c.threads);
	self_time_release(&c.time);
	export_names_release(&c.names);
	bytes_release(&c.line);
	free(c.frame);
	return err;
}
