/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits by what they were for: which database, which file? */
#ifndef USER_VIEW_WAIT_RESOURCES_H
#define USER_VIEW_WAIT_RESOURCES_H

#include "user/trace/texts.h"
#include "user/trace/wait.h"
#include "user/view/views.h"

/* Zeroed: none. */
struct wait_resources {
	struct wait_resource {
		uint32_t name, reason;	     /* texts */
		uint32_t service;	     /* a text; 0: none is known */
		uint32_t process, container; /* the same; also 0 if they have different ones */
		bool differ;
		int64_t *ns; /* duration of each wait */
		size_t count, capacity;
		int64_t total;
	} *row;
	size_t count, capacity;
	struct map rows; /* (name, reason) -> index + 1 */
	struct texts texts;
};

/* Add a wait, if it is known what it was for. */
void wait_resources_add(struct wait_resources *w, const struct thread_wait *wait, const char *reason);

/* Append the table. */
void wait_resources_put(struct wait_resources *w, const struct view_request *request, struct bytes *out);
void wait_resources_release(struct wait_resources *w);

#endif
