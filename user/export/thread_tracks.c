// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/thread_tracks.h"
#include "user/trace/wait.h"

#include <stdlib.h>

void thread_tracks_release(struct thread_tracks *t)
{
	free(t->track);
	texts_release(&t->names);
	map_release(&t->keys.map);
	map_release(&t->threads);
	*t = (struct thread_tracks){0};
}

static uint32_t track_add(struct thread_tracks *t, uint32_t name, int64_t tid, int64_t java_id)
{
	memory_reserve(&t->track, &t->capacity, t->count + 1);
	t->track[t->count] = (struct thread_track){t->names.text[name], tid, java_id};
	return t->count++;
}

uint32_t thread_tracks_add(struct thread_tracks *t, const char *name)
{
	return track_add(t, texts_number(&t->names, name), 0, 0);
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
	struct bytes text;
	uint32_t name, *track;

	bytes_init(&text);
	put_thread_name(&text, chunk, thread, "unknown thread");
	name = texts_number(&t->names, memory_text(&text));
	bytes_release(&text);
	track = memory_map_at(&t->threads, number ?: name, !number);
	if (!*track) {
		jfr_resolve(chunk, &thread);
		*track = 1 + track_add(t, name, thread_field(chunk, &thread, "osThreadId"),
				       thread_field(chunk, &thread, "javaThreadId"));
	}
	return *track - 1;
}

uint32_t thread_tracks_of(struct thread_tracks *t, struct jfr_chunk *chunk, struct jfr_value thread)
{
	uint32_t *track = chunk_map_at(&t->keys, chunk, &thread, 0);

	if (!*track)
		*track = 1 + track_find(t, chunk, thread);
	return *track - 1;
}
