/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the paths of all calls of a method went through: their time by thread, state, resource and place, the most first,
 * which would have to become faster. The threads of a pool are one.
 */
#ifndef USER_VIEW_PATHS_MERGED_H
#define USER_VIEW_PATHS_MERGED_H

#include "user/trace/texts.h"
#include "user/view/path_part.h"
#include "user/view/views.h"

/* Zeroed at first. */
struct paths_merged {
	struct texts texts, kinds; /* kinds: of a kind of part all that it has in common */
	struct threads threads;
	struct merged_part {
		uint32_t method, thread, state, resource, place; /* numbers of texts */
		int64_t total;
		uint64_t calls, last; /* that have such a part, and the last one of them */
	} *part;		      /* by number of the kind */
	int64_t *whole;		      /* by number of the method's text: how long its calls took */
	size_t count, capacity, wholes, whole_capacity;
};

/* A part of a call. All parts of a call, of which 1 is the first one, come one after the other. */
void paths_merged_add(struct paths_merged *m, const struct path_part *part, uint64_t call);

void paths_merged_put(struct paths_merged *m, const struct view_request *request, struct bytes *out);
void paths_merged_release(struct paths_merged *m);

#endif
