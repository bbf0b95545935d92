// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/context.h"
#include "user/text/memory.h"

#include <stdlib.h>

void contexts_release(struct contexts *c)
{
	for (size_t i = 0; i < c->count; i++) {
		for (size_t j = 0; j < c->threads[i].count; j++)
			jfr_chunk_put(c->threads[i].context[j].chunk);
		free(c->threads[i].context);
	}
	free(c->threads);
	map_release(&c->lookup);
	*c = (struct contexts){0};
}

static struct thread_contexts *contexts_find(const struct contexts *c, uint64_t thread)
{
	uint32_t number = map_get(&c->lookup, thread, 0);

	return number ? &c->threads[number - 1] : NULL;
}

/* Drop threads without open events. */
static void contexts_sweep(struct contexts *c)
{
	size_t n = 0;

	map_clear(&c->lookup);
	for (size_t i = 0; i < c->count; i++) {
		if (!c->threads[i].count) {
			free(c->threads[i].context);
			continue;
		}
		c->threads[n++] = c->threads[i];
		*memory_map_at(&c->lookup, c->threads[n - 1].thread, 0) = n;
	}
	c->count = n;
}

/* Room for twice as many threads as are left keeps sweeps rare. */
static struct thread_contexts *contexts_add(struct contexts *c, uint64_t thread)
{
	if (c->count == c->capacity) {
		contexts_sweep(c);
		memory_reserve(&c->threads, &c->capacity, 2 * c->count + 1);
	}
	c->threads[c->count++] = (struct thread_contexts){.thread = thread};
	*memory_map_at(&c->lookup, thread, 0) = c->count;
	return &c->threads[c->count - 1];
}

void contexts_enter(struct contexts *c, uint64_t thread, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct thread_contexts *t = contexts_find(c, thread) ?: contexts_add(c, thread);

	memory_reserve(&t->context, &t->capacity, t->count + 1);
	t->context[t->count++] = (struct event_context){jfr_chunk_get(chunk), *e};
}

void contexts_leave(struct contexts *c, uint64_t thread, const struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct thread_contexts *t = contexts_find(c, thread);
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
	return contexts_find(c, thread);
}
