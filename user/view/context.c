// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/context.h"
#include "format/vec.h"

#include <stdlib.h>

void contexts_release(struct contexts *c)
{
	for (size_t i = 0; i < c->count; i++) {
		for (size_t j = 0; j < c->threads[i].count; j++)
			jfr_chunk_put(c->threads[i].context[j].chunk);
		free(c->threads[i].context);
	}
	free(c->threads);
	hash_release(&c->lookup);
	*c = (struct contexts){0};
}

struct thread_wanted {
	const struct contexts *contexts;
	uint64_t thread;
};

static bool thread_contexts_are_of(const void *context, uint32_t row)
{
	const struct thread_wanted *w = context;

	return w->contexts->threads[row - 1].thread == w->thread;
}

static struct thread_contexts *contexts_find(const struct contexts *c, uint64_t thread)
{
	uint32_t row = hash_find(&c->lookup, hash_number(hash_seed(), thread), thread_contexts_are_of,
				 &(struct thread_wanted){c, thread});

	return row ? &c->threads[row - 1] : NULL;
}

static int contexts_index(struct contexts *c, size_t row)
{
	return hash_add(&c->lookup, hash_number(hash_seed(), c->threads[row - 1].thread), row);
}

/* Drop threads without open events. */
static bool contexts_sweep(struct contexts *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->threads[i].count)
			c->threads[n++] = c->threads[i];
		else
			free(c->threads[i].context);
	}
	c->count = n;
	hash_clear(&c->lookup);
	for (size_t row = 1; row <= n; row++) {
		if (contexts_index(c, row))
			return false;
	}
	return true;
}

/* Room for twice as many threads as are left keeps sweeps rare. */
static struct thread_contexts *contexts_add(struct contexts *c, uint64_t thread)
{
	if (c->count == c->capacity && (!contexts_sweep(c) || vec_reserve(&c->threads, &c->capacity, 2 * c->count + 1)))
		return NULL;
	c->threads[c->count] = (struct thread_contexts){.thread = thread};
	if (contexts_index(c, c->count + 1))
		return NULL;
	return &c->threads[c->count++];
}

bool contexts_enter(struct contexts *c, uint64_t thread, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct thread_contexts *t = contexts_find(c, thread);

	if (!t)
		t = contexts_add(c, thread);
	if (!t || vec_reserve(&t->context, &t->capacity, t->count + 1))
		return false;
	t->context[t->count++] = (struct event_context){jfr_chunk_get(chunk), *e};
	return true;
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
