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

static uint32_t callers_below(struct callers *t, uint32_t parent, uint32_t name)
{
	uint32_t *node;

	if (!t->count)
		callers_new(t, 0, 0);
	node = memory_map_at(&t->index, parent, name);
	if (!*node)
		*node = callers_new(t, parent, name);
	return *node;
}

/* The methods of a stack in t->frame, the one on top first, without some on top of that. */
static size_t callers_frames(struct callers *t, struct method_names *names, struct jfr_chunk *chunk,
			     struct jfr_value stack, uint64_t without)
{
	struct jfr_value frames, frame, method;
	struct cursor c;
	size_t count = 0;

	jfr_resolve(chunk, &stack);
	frames = jfr_field(chunk, &stack, "frames");
	if (frames.kind != VALUE_ARRAY)
		return 0;
	c = jfr_enter(chunk, &frames);
	for (uint64_t i = 0; i < frames.place.count && cursor_ok(&c); i++) {
		jfr_take_element(&c, &frames, &frame);
		if (i < without)
			continue;
		method = frame_method(chunk, &frame);
		memory_reserve(&t->frame, &t->frames, count + 1);
		t->frame[count++] = method_names_number(names, chunk, &method);
	}
	return count;
}

static uint32_t callers_of_stack(struct callers *t, struct method_names *names, struct jfr_chunk *chunk,
				 const struct jfr_value *stack, uint64_t without)
{
	uint32_t node = 0;

	for (size_t i = callers_frames(t, names, chunk, *stack, without); i-- > 0;) {
		if (t->count >= CALLERS_MOST)
			return callers_below(t, node, 0);
		node = callers_below(t, node, t->frame[i]);
	}
	return node;
}

static uint32_t callers_node(struct callers *t, struct method_names *names, struct jfr_chunk *chunk,
			     const struct jfr_value *stack, uint64_t without)
{
	uint32_t *node;

	if (stack->kind != VALUE_KEY)
		return 0;
	node = chunk_map_at(&t->stacks, chunk, stack, without);
	if (!*node)
		*node = callers_of_stack(t, names, chunk, stack, without) + 1;
	return *node - 1;
}

uint32_t callers_add(struct callers *t, struct method_names *names, const struct call *call)
{
	return callers_node(t, names, call->chunk, &call->stack, call->own_frames);
}

uint32_t callers_add_stack(struct callers *t, struct method_names *names, struct jfr_chunk *chunk,
			   const struct jfr_value *stack)
{
	return callers_node(t, names, chunk, stack, 0);
}
