/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a recording, numbered: one track for each, whatever their keys and names are in its chunks. */
#ifndef USER_EXPORT_THREAD_TRACKS_H
#define USER_EXPORT_THREAD_TRACKS_H

#include "user/trace/chunk_map.h"
#include "user/trace/texts.h"

struct thread_track {
	const char *name;
	int64_t tid, java_id; /* 0: none */
};

struct thread_tracks {
	struct thread_track *track;
	size_t count, capacity;
	struct texts names;
	struct chunk_map keys; /* -> track + 1 */
	struct map threads;    /* (thread_number(), 0) or (number of the name, 1) -> track + 1 */
};

void thread_tracks_release(struct thread_tracks *t); /* takes a zeroed one, too */

/* Add a track that is no thread's. Returns its number. */
uint32_t thread_tracks_add(struct thread_tracks *t, const char *name);

/* The number of the track of a thread, which need not be resolved. */
uint32_t thread_tracks_of(struct thread_tracks *t, struct jfr_chunk *chunk, struct jfr_value thread);

#endif
