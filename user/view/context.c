// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/context.h"
#include "format/vec.h"

#include <stdlib.h>

void contexts_release(struct contexts *c)
{
	for (size_t i = 0; i < c->capacity; i++) {
		for (size_t j = 0; j < c->threads[i].count; j++)
			jfr_chunk_put(c->threads[i].context[j].chunk);
		free(c->threads[i].context);
	}
	free(c->threads);
	*c = (struct contexts){0};
}

static struct thread_contexts *context_place_of(const struct contexts *c, uint64_t thread)
{
	size_t i = (thread * 0x9e3779b97f4a7c15 >> 32) & (c->capacity - 1);

	while (c->threads[i].capacity && c->threads[i].thread != thread)
		i = (i + 1) & (c->capacity - 1);
	return &c->threads[i];
}

/* Grow the table. Threads without open events are dropped. */
static bool context_grow(struct contexts *c)
{
	struct contexts larger = {.capacity = 64};

	for (size_t i = 0; i < c->capacity; i++)
		larger.count += c->threads[i].count > 0;
	while (larger.capacity < 4 * (larger.count + 1))
		larger.capacity *= 2;
	larger.threads = calloc(larger.capacity, sizeof(*larger.threads));
	if (!larger.threads)
		return false;
	for (size_t i = 0; i < c->capacity; i++)
		if (c->threads[i].count)
			*context_place_of(&larger, c->threads[i].thread) = c->threads[i];
		else
			free(c->threads[i].context);
	free(c->threads);
	*c = larger;
	return true;
}

bool contexts_enter(struct contexts *c, uint64_t thread, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct thread_contexts *t;

	if (c->count >= c->capacity / 2 && !context_grow(c))
		return false;
	t = context_place_of(c, thread);
	c->count += !t->capacity;
	t->thread = thread;
	if (vec_reserve(&t->context, &t->capacity, t->count + 1))
		return false;
	t->context[t->count++] = (struct event_context){jfr_chunk_get(chunk), *e};
	return true;
}

void contexts_leave(struct contexts *c, uint64_t thread, const struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct thread_contexts *t = c->capacity ? context_place_of(c, thread) : NULL;
	size_t i = t ? t->count : 0;

	while (i-- > 0) {
		if (t->context[i].chunk != chunk || t->context[i].event.at != e->at)
			continue;
		jfr_chunk_put(t->context[i].chunk);
		memmove(&t->context[i], &t->context[i + 1], (--t->count - i) * sizeof(*t->context));
		return;
	}
}

const struct thread_contexts *contexts_of(const struct contexts *c, uint64_t thread)
{
	return c->capacity ? context_place_of(c, thread) : NULL;
}
