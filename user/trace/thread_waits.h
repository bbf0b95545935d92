/* SPDX-License-Identifier: BSD-2-Clause */
/* The waits of each thread in the order of their middles, to find those in a call. */
#ifndef USER_TRACE_THREAD_WAITS_H
#define USER_TRACE_THREAD_WAITS_H

#include "user/trace/span.h"

#include <stddef.h>

#define THREAD_WAITS_MOST 3000000 /* waits in memory; then the older half of them goes */

struct joined_wait {
	int64_t start, duration;
	int64_t woken;		      /* as in struct thread_wait */
	uint32_t kind : 30, what : 2; /* of the caller's; enum wait_for */
	uint32_t waker;		      /* number of its thread; 0: unknown */
};

struct thread_waits {
	struct waits_of_thread {
		struct joined_wait *wait;
		size_t count, capacity;
		size_t sorted; /* the first ones */
	} *thread;	       /* by number of the thread */
	size_t threads, capacity;
	size_t count;
};

void thread_waits_release(struct thread_waits *t);

/* Out of memory ends the process. */
void thread_waits_add(struct thread_waits *t, uint32_t thread, const struct joined_wait *w);

/* Call it after the waits of a chunk, before looking for any. */
void thread_waits_sort(struct thread_waits *t);

/* The waits in a span of a thread: *count from the one returned on. */
struct joined_wait *thread_waits_in(const struct thread_waits *t, uint32_t thread, const struct span *span,
				    size_t *count);

#endif
