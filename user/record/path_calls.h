/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traced calls of all threads in the last seconds, so that a path can say what a thread was at: those that have been
 * recorded, as far as there is room, and those that are open.
 */
#ifndef USER_RECORD_PATH_CALLS_H
#define USER_RECORD_PATH_CALLS_H

#include "bpf/frtrace.h"
#include "user/capture/clock.h"
#include "user/segment/segment.h"

#include <stddef.h>
#include <stdint.h>

#define PATH_CALLS	(1u << 16) /* recorded ones */
#define PATH_OPEN_CALLS 8192u
#define PATH_CHAINS	4096u
#define PATH_LOOKED_AT	4096u /* calls that path_calls_at_end() looks at, because it is asked many times for one path */

/* Times are CLOCK_MONOTONIC in ns; a thread is the key of its waits (struct wait_join). */
struct path_recent_call {
	int64_t start, end; /* of an open one INT64_MAX */
	uint32_t thread, method;
	uint32_t before; /* number of the call before it in its chain; 0: none */
};

/* Zeroed at first, but for the borrowed ones. */
struct path_calls {
	const struct segment *segment; /* borrowed; NULL: no call is open */
	struct clock *clock;	       /* borrowed; unused without a segment */
	struct path_recent_call call[PATH_CALLS], open[PATH_OPEN_CALLS];
	uint32_t count;	   /* of all that were ever recorded; call n, from 1 on, is call[n % PATH_CALLS] */
	size_t open_count; /* thread by thread, the outermost one first */
	uint32_t last[PATH_CHAINS];
};

/* A call has been recorded; those of a thread come in the order of their ends. */
void path_calls_add(struct path_calls *p, const struct path_recent_call *call);

/* Find out which calls are open now. */
void path_calls_read_open(struct path_calls *p);

/* What a thread was in at the end of a time, and from when on: the method of its innermost call, 0: none is known. */
struct path_place {
	uint32_t method;
	int64_t since;
};

/* At the end of [begin, end); .since is not before `begin`. Nothing is known if too many calls have ended since. */
struct path_place path_calls_at_end(const struct path_calls *p, uint32_t thread, int64_t begin, int64_t end);

/*
 * The outermost known call of the thread around the moment, which it began before; else the last one that ended before that.
 * Returns false if there is none.
 */
bool path_calls_around(const struct path_calls *p, uint32_t thread, int64_t moment, int64_t *start, int64_t *end);

/* The method of the shortest call of the thread that covers most of [begin, end); 0: none is known. */
uint32_t path_calls_in(const struct path_calls *p, uint32_t thread, int64_t begin, int64_t end);

#endif
