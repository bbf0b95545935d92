/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The waits of a recording that frtrace itself caused, with the reason "frtrace": a call is not slow because of them.
 */
#ifndef USER_TRACE_OWN_WAITS_H
#define USER_TRACE_OWN_WAITS_H

#include "user/trace/wait.h"

struct own_wait {
	uint64_t thread; /* thread_number() */
	int64_t middle, duration;
};

struct own_waits {
	struct own_wait *wait; /* by thread and middle */
	size_t count, sorted, capacity;
};

/* Add a wait if it is one of these. A zeroed struct is empty. */
void own_waits_add(struct own_waits *o, const struct thread_wait *wait);
void own_waits_release(struct own_waits *o);

/* Call it after the waits of a chunk. */
void own_waits_sort(struct own_waits *o);

/* The part of a span of this thread that those take whose middle lies in it. */
int64_t own_waits_in(const struct own_waits *o, uint64_t thread, const struct span *span);

#endif
