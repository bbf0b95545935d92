/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums of self time: of each call its duration without the calls directly inside it on the same thread. All self times
 * together are the time of the outermost calls. The same for the parts of the duration, as far as they are known.
 *
 * Calls come almost in the order of their ends, but each thread writes its own buffer, and a virtual thread those of
 * several carriers. A window restores the order.
 */
#ifndef USER_EXPORT_SELF_TIME_H
#define USER_EXPORT_SELF_TIME_H

#include "user/trace/span.h"

#include <stddef.h>

/* ns; a part is INT64_MIN if it is unknown */
struct self_times {
	int64_t duration, cpu, blocked;
};

struct self_time {
	struct self_times *sum; /* by what the caller sums up; complete after self_time_finish() */
	size_t sums, capacity;
	struct self_time_call {
		struct span span;
		struct self_times times;
		uint32_t thread, sum;
	} *window;
	size_t count, window_capacity;
	uint64_t seen;
	struct self_time_thread {
		/* Ended calls, in the order of their ends, that no call seen so far contains. */
		struct self_time_span {
			struct span span;
			struct self_times times;
			uint32_t sum;
		} *span;
		size_t count, capacity;
	} *thread; /* by number - 1 */
	size_t threads, thread_capacity;
};

/* Takes a zeroed struct, too. */
void self_time_release(struct self_time *s);

/* Add a call to sum number `sum`. `thread`: its number, from 1 on, or 0: it is in no other call. */
void self_time_add(struct self_time *s, uint32_t thread, int64_t start, const struct self_times *times, uint32_t sum);

/* Call it after the last call. */
void self_time_finish(struct self_time *s);

#endif
