/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The critical path of a call: for each moment of it, what would have had to be faster. While the thread runs that is the
 * thread itself. While it waits, it is what the thread that ended the wait did in that time, and so on. This is computed from
 * histories of threads alone; nothing is read or written here.
 *
 * Times are CLOCK_MONOTONIC in ns. A thread is any number but 0.
 */
#ifndef USER_RECORD_CRITICAL_PATH_H
#define USER_RECORD_CRITICAL_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CRITICAL_PATH_DEPTH 16u /* so many threads at most wait for each other */

/* What a thread did in [off, on) instead of running. */
enum path_gap_kind {
	PATH_GAP_WAIT,	  /* it was blocked until `wake`, and then ready to run */
	PATH_GAP_UNKNOWN, /* what that was for is not known */
};

struct path_gap {
	enum path_gap_kind kind;
	int64_t off, wake, on;
	uint64_t waker;	     /* the thread that ended the wait, and whose history is worth a look; 0: none */
	const void *details; /* the caller's, for what it was; NULL: nothing is known */
	bool woken;	     /* the waker has woken this thread, so it ran then; else it is not certain that it did */
};

/* The histories of all threads. */
struct path_histories {
	/*
	 * The last gap of the thread that began before `before`. There always is one: before all that is known stands an unknown
	 * one. From its end until `before` the thread ran.
	 */
	struct path_gap (*before)(void *context, uint64_t thread, int64_t before);
	void *context;
};

enum path_state {
	PATH_CPU,
	PATH_RUN_QUEUE,
	PATH_WAIT,     /* the chain ends here: no thread that is known has ended this wait */
	PATH_UNKNOWN,  /* there is no history */
	PATH_UNLISTED, /* there is no room for more segments */
};

struct path_segment {
	int64_t begin, end;
	uint64_t thread;
	enum path_state state;
	unsigned int depth; /* 0: the call's own thread */
	const void
		*details;   /* of the wait: PATH_WAIT, PATH_RUN_QUEUE after a wait, PATH_UNKNOWN; NULL: there is none */
	uint64_t waiter;    /* depth > 0: the thread whose wait this one ended, */
	const void *waited; /* and the details of that wait; */
	const void *above;  /* depth > 1: of the wait that the waiter ended */
};

/*
 * The path of a call of this thread in [begin, end), in the order of time, without gap or overlap: the durations sum up to the
 * call's. Returns the number of segments, at most `room`, which is at least 1; what does not fit is the first segment, as
 * PATH_UNLISTED.
 */
size_t critical_path(const struct path_histories *h, uint64_t thread, int64_t begin, int64_t end,
		     struct path_segment *out, size_t room);

#endif
