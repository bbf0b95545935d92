// SPDX-License-Identifier: BSD-2-Clause
#include "user/report/wait_kinds.h"
#include "format/vec.h"
#include "user/trace/wait_place.h"

#include <stdlib.h>

void wait_kinds_release(struct wait_kinds *k)
{
	free(k->kind);
	texts_release(&k->text);
	aggregate_release(&k->index);
	aggregate_release(&k->places);
	*k = (struct wait_kinds){0};
}

static uint32_t wait_kinds_reason(struct wait_kinds *k, const struct thread_wait *w)
{
	char *text = thread_wait_reason(w);
	uint32_t number = texts_number(&k->text, text);

	free(text);
	return number;
}

static uint32_t wait_kinds_new_place(struct wait_kinds *k, const struct thread_wait *w, bool lock)
{
	uint32_t number;
	struct bytes text;

	bytes_init(&text);
	(lock ? put_wait_place : put_wait_caller)(&text, w);
	number = texts_number(&k->text, memory_text(&text));
	bytes_release(&text);
	return number;
}

static uint32_t wait_kinds_place(struct wait_kinds *k, const struct thread_wait *w, bool lock)
{
	struct group *g;

	if (w->stack.kind != VALUE_KEY)
		return texts_number(&k->text, "");
	g = aggregate_of_key(&k->places, w->stack.key << 1 | lock, w->chunk->number);
	if (!g)
		return UINT32_MAX;
	if (!g->count) {
		g->mark = wait_kinds_new_place(k, w, lock);
		g->count = 1;
	}
	return g->mark;
}

static uint32_t wait_kinds_find(struct wait_kinds *k, const struct wait_kind *kind)
{
	struct group *g = aggregate_of(&k->index, kind->reason, (uint64_t)kind->place << 32 | kind->waker);

	if (!g || (!g->count && vec_reserve(&k->kind, &k->capacity, k->count + 1)))
		return UINT32_MAX;
	if (!g->count) {
		g->mark = k->count;
		g->count = 1;
		k->kind[k->count++] = *kind;
	}
	return g->mark;
}

uint32_t wait_kinds_of(struct wait_kinds *k, const struct thread_wait *w, const struct threads *threads, uint32_t waker)
{
	struct wait_kind kind = {.reason = wait_kinds_reason(k, w)};
	const char *reason;

	reason = k->text.text[kind.reason];
	kind.lock = strcmp(reason, "futex") == 0 || strcmp(reason, "parked") == 0;
	if (k->count < WAIT_KINDS_MOST) {
		kind.place = wait_kinds_place(k, w, kind.lock);
		kind.waker = texts_number(&k->text, waker ? threads->thread[waker - 1].group : "");
	}
	if (kind.place == UINT32_MAX)
		return UINT32_MAX;
	return wait_kinds_find(k, &kind);
}
