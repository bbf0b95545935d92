/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of critical paths, events frtrace.PathSegment. Those of a path are written in one piece, the last one first. */
#ifndef USER_VIEW_PATH_PART_H
#define USER_VIEW_PATH_PART_H

#include "user/trace/event_members.h"
#include "user/trace/texts.h"
#include "user/trace/threads.h"

#define PATH_EVENT "frtrace.PathSegment"

#define PATH_STAMPS_DIFFER 1000 /* ns: times of a call and of its path are rounded */

struct path_part {
	struct jfr_chunk *chunk; /* borrowed */
	struct jfr_value thread, stack, inside, task, state, resource, end, waiter, waited, method, call_thread;
	int64_t start, duration, offset, depth;
	int64_t call_duration; /* as well as its sum with start - offset, in range */
};

struct path_part path_part_read(struct event_reader *reader, struct jfr_chunk *chunk, const struct jfr_event *e);

/* Are both of the path of the same call? */
bool path_part_is_of_same(const struct path_part *a, const struct path_part *b);

/* The recorded call that its thread was in, to be freed with free(); NULL: none is known. */
char *path_part_call(const struct path_part *part);

/* Append the innermost frame that is not the JDK's, or else the thread's call, if one is known. */
void path_part_put_place(struct bytes *out, const struct path_part *part);

/* Append why this thread is on the path, and why nobody follows: `ended a wait of main (futex); ended by a timer`. */
void path_part_put_why(struct bytes *out, const struct path_part *part);

/*
 * Its number among texts: `"pool-1-thread-1", socket 10.0.0.7:5432 in com.acme.Rates.fetch()`. `thread`: what the thread is
 * called there; NULL: by its name.
 */
uint32_t path_part_name(struct texts *texts, const struct path_part *part, const char *thread);

/*
 * What the threads did that a slow call waited for at second hand: the one that ended its wait waited for them. Waits say
 * only who that one was. Zeroed at first.
 */
struct chain_end {
	struct chain_kind {
		uint32_t what; /* number of a text: who did what */
		int64_t total, longest;
		struct jfr_chunk *chunk; /* with a reference; NULL: no stack is kept */
		struct jfr_value stack;	 /* of the longest part */
	} *kind;
	size_t count, capacity;
};

/* A part of the call's path. `thread`: as above. Returns its kind, until the next one is added; NULL: it is no such part. */
struct chain_kind *chain_end_add(struct chain_end *e, struct texts *texts, const struct path_part *part,
				 const char *thread);

/* Keep the part's stack, and its chunk, if none of its kind is longer. */
void chain_kind_keep_stack(struct chain_kind *k, const struct path_part *part);
void chain_end_release(struct chain_end *e);

/* What took the most time; NULL: there is none. */
const struct chain_kind *chain_end_longest(const struct chain_end *e);

#endif
