/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a recording, numbered: one track for each, whatever their keys and names are in its chunks. */
#ifndef USER_EXPORT_THREAD_TRACKS_H
#define USER_EXPORT_THREAD_TRACKS_H

#include "format/jfr/jfr_chunk.h"
#include "user/trace/aggregate.h"

struct thread_track {
	char *name;
	int64_t tid, java_id; /* 0: none */
};

struct thread_tracks {
	struct thread_track *track;
	size_t count, capacity;
	struct aggregate keys;	  /* (key, chunk) -> track in `mark` */
	struct aggregate threads; /* (number, or hash of the name) -> track in `mark` */
};

void thread_tracks_release(struct thread_tracks *t); /* takes a zeroed one, too */

/* Add a track that is no thread's. Takes ownership of the name. Its number; UINT32_MAX: no memory. */
uint32_t thread_tracks_add(struct thread_tracks *t, char *name, int64_t tid, int64_t java_id);

/* The track of a thread, which need not be resolved. UINT32_MAX: no memory. */
uint32_t thread_tracks_of(struct thread_tracks *t, struct jfr_chunk *chunk, struct jfr_value thread);

#endif
