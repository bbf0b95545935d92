// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/thread_tracks.h"
#include "format/vec.h"
#include "user/trace/wait.h"

#include <stdlib.h>
#include <string.h>

void thread_tracks_release(struct thread_tracks *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->track[i].name);
	free(t->track);
	aggregate_release(&t->keys);
	aggregate_release(&t->threads);
	*t = (struct thread_tracks){0};
}

uint32_t thread_tracks_add(struct thread_tracks *t, char *name, int64_t tid, int64_t java_id)
{
	if (!name || vec_reserve(&t->track, &t->capacity, t->count + 1)) {
		free(name);
		return UINT32_MAX;
	}
	t->track[t->count] = (struct thread_track){name, tid, java_id};
	return t->count++;
}

static char *track_thread_name(struct jfr_chunk *chunk, struct jfr_value thread)
{
	struct bytes text;

	bytes_init(&text);
	put_thread_name(&text, chunk, thread, "unknown thread");
	bytes_put_u8(&text, 0);
	if (text.failed)
		bytes_release(&text);
	return (char *)text.data;
}

static int64_t thread_field(struct jfr_chunk *chunk, const struct jfr_value *thread, const char *field)
{
	struct jfr_value v = jfr_field(chunk, thread, field);

	return v.kind == VALUE_NUMBER && v.number > 0 ? v.number : 0;
}

/* A thread has a key in each chunk, and another one when it is renamed. Without a number its name stands for it. */
static uint32_t track_find(struct thread_tracks *t, struct jfr_chunk *chunk, struct jfr_value thread)
{
	uint64_t number = thread_number(chunk, thread);
	char *name = track_thread_name(chunk, thread);
	struct group *g = !name ? NULL : aggregate_of(&t->threads, number ?: hash_data(name, strlen(name)), !number);

	if (!g || g->count) {
		free(name);
		return g ? g->mark : UINT32_MAX;
	}
	jfr_resolve(chunk, &thread);
	g->mark = thread_tracks_add(t, name, thread_field(chunk, &thread, "osThreadId"),
				    thread_field(chunk, &thread, "javaThreadId"));
	g->count = g->mark != UINT32_MAX;
	return g->mark;
}

uint32_t thread_tracks_of(struct thread_tracks *t, struct jfr_chunk *chunk, struct jfr_value thread)
{
	struct group *g = aggregate_of(&t->keys, thread.kind == VALUE_KEY ? thread.key : 0, chunk->number);

	if (!g)
		return UINT32_MAX;
	if (!g->count) {
		g->mark = track_find(t, chunk, thread);
		g->count = g->mark != UINT32_MAX;
	}
	return g->mark;
}
