/* SPDX-License-Identifier: BSD-2-Clause */
/* Which events with @Contextual fields last at the moment, in each thread: a traced method around all that happens in
 * it. */
#ifndef USER_VIEW_CONTEXT_H
#define USER_VIEW_CONTEXT_H

#include "user/view/event_text.h"

struct thread_contexts {
	uint64_t thread;	       /* its key */
	struct event_context *context; /* outermost first */
	size_t count, capacity;
};

struct contexts {
	struct thread_contexts *threads; /* a hash table; capacity 0: a free place */
	size_t count, capacity;
};

void contexts_release(struct contexts *c);

/* The event begins to last. False: no memory. */
bool contexts_enter(struct contexts *c, uint64_t thread, struct jfr_chunk *chunk, const struct jfr_event *e);

/* It ends. */
void contexts_leave(struct contexts *c, uint64_t thread, const struct jfr_chunk *chunk, const struct jfr_event *e);

/* Those of a thread; NULL: none ever. */
const struct thread_contexts *contexts_of(const struct contexts *c, uint64_t thread);

#endif
