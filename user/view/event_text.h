/* SPDX-License-Identifier: BSD-2-Clause */
/* Events as `jfr print` of JDK 25 writes them. */
#ifndef USER_VIEW_EVENT_TEXT_H
#define USER_VIEW_EVENT_TEXT_H

#include "format/jfr/jfr_chunk.h"
#include "user/view/printer.h"

/* A call around the event, in the same thread. */
struct event_context {
	struct jfr_chunk *chunk;
	struct jfr_event event;
};

/* Print it, the fields that a context shows (@Contextual) before its own. */
void event_text_put(struct printer *p, struct jfr_chunk *chunk, const struct jfr_event *e,
		    const struct event_context *contexts, size_t count);

#endif
