// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/export.h"
#include "format/vec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct collapsed {
	struct export_names names;
	struct aggregate stacks; /* (method, stack in its chunk) -> line in `name` */
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
	aggregate_add(g, call->duration, call->thrown);
	return 0;
}

static void put_lines(struct collapsed *c, FILE *to)
{
	for (size_t i = 0; i < c->stacks.count; i++) {
		const struct group *g = &c->stacks.group[i];

		fprintf(to, "%s %" PRIu64 "\n", g->name, c->weigh_time ? (uint64_t)g->total : g->count);
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
		put_lines(&c, to);
	aggregate_release(&c.stacks);
	export_names_release(&c.names);
	bytes_release(&c.line);
	free(c.frame);
	return err;
}
