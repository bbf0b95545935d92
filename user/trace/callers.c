// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/callers.h"

#include <stdlib.h>

void callers_release(struct callers *t)
{
	free(t->node);
	free(t->frame);
	map_release(&t->index);
	chunk_map_release(&t->stacks);
}

static uint32_t callers_new(struct callers *t, uint32_t parent, uint32_t name)
{
	memory_reserve(&t->node, &t->capacity, (size_t)t->count + 1);
	t->node[t->count] = (struct callers_node){parent, name};
	return t->count++;
}

void callers_init(struct callers *t)
{
	*t = (struct callers){0};
	callers_new(t, 0, 0);
}

static uint32_t callers_below(struct callers *t, uint32_t parent, uint32_t name)
{
	uint32_t *node = memory_map_at(&t->index, parent, name);

	if (!*node)
		*node = callers_new(t, parent, name);
	return *node;
}

/* The methods of the callers in t->frame, the direct caller first. */
static size_t callers_frames(struct callers *t, struct method_names *names, const struct call *call)
{
	struct jfr_value frames, frame, method;
	struct cursor c;
	size_t count = 0;

	if (!call_enter_callers(call, &frames, &c))
		return 0;
	for (uint64_t i = 0; i < frames.place.count && cursor_ok(&c); i++) {
		jfr_take_element(&c, &frames, &frame);
		method = frame_method(call->chunk, &frame);
		memory_reserve(&t->frame, &t->frames, count + 1);
		t->frame[count++] = method_names_number(names, call->chunk, &method);
	}
	return count;
}

static uint32_t callers_of_stack(struct callers *t, struct method_names *names, const struct call *call)
{
	uint32_t node = 0;

	for (size_t i = callers_frames(t, names, call); i-- > 0;) {
		if (t->count >= CALLERS_MOST)
			return callers_below(t, node, 0);
		node = callers_below(t, node, t->frame[i]);
	}
	return node;
}

uint32_t callers_add(struct callers *t, struct method_names *names, const struct call *call)
{
	uint32_t *node;

	if (call->stack.kind != VALUE_KEY)
		return 0;
	node = chunk_map_at(&t->stacks, call->chunk, &call->stack, call->own_frames);
	if (!*node)
		*node = callers_of_stack(t, names, call) + 1;
	return *node - 1;
}
