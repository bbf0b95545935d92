// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/threads.h"
#include "format/vec.h"

#include <ctype.h>
#include <stdlib.h>

void threads_release(struct threads *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->thread[i].name);
		free(t->thread[i].group);
	}
	free(t->thread);
	aggregate_release(&t->keys);
	aggregate_release(&t->ids);
	*t = (struct threads){0};
}

static char *thread_name_of(struct jfr_chunk *chunk, const struct jfr_value *thread)
{
	struct bytes text;

	bytes_init(&text);
	put_thread_name(&text, chunk, *thread, "?");
	bytes_put_u8(&text, 0);
	if (text.failed)
		bytes_release(&text);
	return (char *)text.data;
}

/* "pool-1-thread-17" becomes "pool-*-thread-*". */
static char *thread_group_of(const char *name)
{
	char *group = malloc(strlen(name) + 1), *to = group;

	for (; group && *name; name++) {
		if (!isdigit((unsigned char)*name))
			*to++ = *name;
		else if (to == group || to[-1] != '*')
			*to++ = '*';
	}
	if (group)
		*to = 0;
	return group;
}

static uint32_t threads_new(struct threads *t, struct jfr_chunk *chunk, const struct jfr_value *thread)
{
	struct threads_entry e = {0};

	if (vec_reserve(&t->thread, &t->capacity, t->count + 1))
		return UINT32_MAX;
	e.name = thread_name_of(chunk, thread);
	e.group = e.name ? thread_group_of(e.name) : NULL;
	if (!e.group) {
		free(e.name);
		return UINT32_MAX;
	}
	t->thread[t->count++] = e;
	return t->count;
}

static uint32_t threads_find(struct threads *t, struct jfr_chunk *chunk, const struct jfr_value *thread)
{
	uint64_t id = thread_number(chunk, *thread);
	struct group *g = id ? aggregate_of(&t->ids, id, 0) : NULL;

	if (!g)
		return id ? UINT32_MAX : 0;
	if (!g->count) {
		g->mark = threads_new(t, chunk, thread);
		g->count = g->mark != UINT32_MAX;
	}
	return g->mark;
}

uint32_t threads_number(struct threads *t, struct jfr_chunk *chunk, const struct jfr_value *thread)
{
	struct group *g;

	if (thread->kind != VALUE_KEY)
		return 0;
	g = aggregate_of_key(&t->keys, thread->key, chunk->number);
	if (!g)
		return UINT32_MAX;
	if (!g->count) {
		g->mark = threads_find(t, chunk, thread);
		g->count = g->mark != UINT32_MAX;
	}
	return g->mark;
}

uint32_t threads_of_id(struct threads *t, uint64_t id)
{
	struct group *g = id ? aggregate_of(&t->ids, id, 0) : NULL;

	return g && g->count ? g->mark : 0;
}
