/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracks, for each thread, the open events with @Contextual fields: the traced methods around the current event. */
#ifndef USER_PRINT_CONTEXT_H
#define USER_PRINT_CONTEXT_H

#include "format/map.h"
#include "user/print/event_text.h"

struct thread_contexts {
	uint64_t thread;	       /* key of the thread constant */
	struct event_context *context; /* outermost first */
	size_t count, capacity;
};

struct contexts {
	struct thread_contexts *threads;
	size_t count, capacity;
	struct map lookup; /* key -> index + 1 */
};

void contexts_release(struct contexts *c);

/* The event starts. */
void contexts_enter(struct contexts *c, uint64_t thread, struct jfr_chunk *chunk, const struct jfr_event *e);

/* The event ends. */
void contexts_leave(struct contexts *c, uint64_t thread, const struct jfr_chunk *chunk, const struct jfr_event *e);

/* The open events of a thread, until the next contexts_enter(); may be NULL. */
const struct thread_contexts *contexts_of(const struct contexts *c, uint64_t thread);

#endif
