// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/callers.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>

int callers_init(struct callers *t)
{
	*t = (struct callers){.chunk = UINT32_MAX};
	if (vec_reserve(&t->node, &t->capacity, 1))
		return -ENOMEM;
	t->node[t->count++] = (struct callers_node){0};
	return 0;
}

void callers_release(struct callers *t)
{
	free(t->node);
	free(t->frame);
	aggregate_release(&t->index);
	aggregate_release(&t->stacks);
}

static int callers_below(struct callers *t, uint32_t parent, uint32_t name, uint32_t *node)
{
	struct group *g = aggregate_of(&t->index, parent, name);

	if (!g)
		return -ENOMEM;
	if (!g->count) {
		if (vec_reserve(&t->node, &t->capacity, (size_t)t->count + 1))
			return -ENOMEM;
		t->node[t->count] = (struct callers_node){parent, name};
		g->mark = t->count++;
		g->count = 1;
	}
	*node = g->mark;
	return 0;
}

/* The methods of the callers in t->frame, the direct caller first. */
static int callers_frames(struct callers *t, struct method_names *names, const struct call *call, size_t *count)
{
	struct jfr_value frames, frame, method;
	struct cursor c;

	*count = 0;
	if (!call_enter_callers(call, &frames, &c))
		return 0;
	for (uint64_t i = 0; i < frames.place.count && cursor_ok(&c); i++) {
		jfr_take_element(&c, &frames, &frame);
		method = frame_method(call->chunk, &frame);
		if (vec_reserve(&t->frame, &t->frames, *count + 1))
			return -ENOMEM;
		t->frame[*count] = method_names_number(names, call->chunk, &method);
		if (!t->frame[(*count)++])
			return -ENOMEM;
	}
	return 0;
}

static int callers_grow(struct callers *t, struct method_names *names, const struct call *call, uint32_t *node)
{
	size_t count;
	int err = callers_frames(t, names, call, &count);

	for (*node = 0; !err && count-- > 0;) {
		if (t->count >= CALLERS_MOST)
			return callers_below(t, *node, 0, node);
		err = callers_below(t, *node, t->frame[count], node);
	}
	return err;
}

int callers_add(struct callers *t, struct method_names *names, const struct call *call, uint32_t *node)
{
	struct group *g;
	int err = 0;

	*node = 0;
	if (call->stack.kind != VALUE_KEY)
		return 0;
	if (t->chunk != call->chunk->number)
		aggregate_release(&t->stacks);
	t->chunk = call->chunk->number;
	g = aggregate_of(&t->stacks, call->stack.key, call->own_frames);
	if (!g)
		return -ENOMEM;
	if (!g->count) {
		err = callers_grow(t, names, call, node);
		g->mark = *node;
		g->count = !err;
	}
	*node = g->mark;
	return err;
}
