/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints events in the format of JDK 25's `jfr print`. */
#ifndef USER_PRINT_EVENT_TEXT_H
#define USER_PRINT_EVENT_TEXT_H

#include "format/jfr/jfr_chunk.h"
#include "user/print/printer.h"

/* An event that encloses the printed one in the same thread. */
struct event_context {
	struct jfr_chunk *chunk;
	struct jfr_event event;
};

/* Print an event. The @Contextual fields of `contexts` come before its own fields. */
void event_text_put(struct printer *p, struct jfr_chunk *chunk, const struct jfr_event *e,
		    const struct event_context *contexts, size_t count);

#endif
