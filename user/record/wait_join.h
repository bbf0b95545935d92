/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel saw of each thread, and the calls of those threads, brought together by time. A call costs
 * O(log n) in the number of waits that are kept of its thread; memory is bounded: waits that no call can ask for any more
 * are forgotten, those of long open calls are folded (track.h). What is not known is said to be, never guessed.
 *
 * Times are CLOCK_MONOTONIC, ns; threads are serials (bpf/frtrace.h).
 */
#ifndef USER_RECORD_WAIT_JOIN_H
#define USER_RECORD_WAIT_JOIN_H

#include "bpf/queue.h"
#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct join;

/* A time off the CPU: blocked from `off` to `wake`, ready to run from then to `on`. */
struct wait {
	int64_t off, wake, on;
	uint32_t stack, kernel_stack; /* ids, 0 none */
	uint32_t waker, waker_process;
	char waker_name[16];
	uint16_t call;
	uint8_t reason; /* enum frt_wait_reason */
	bool ongoing;	/* at `on` it was looked at; the rest of it begins there */
};

typedef void join_visit(void *context, uint32_t thread, const struct wait *w);

#define JOIN_MOMENTS FRT_OPEN_CALLS

struct join_setup {
	/* The starts of the thread's open calls, ascending: JOIN_MOMENTS at most. Returns their number. */
	size_t (*open)(void *context, uint32_t thread, int64_t moments[JOIN_MOMENTS]);
	/* A wait in an open call that nobody has claimed and that is now folded: the last chance to see it. */
	join_visit *folded;
	void *context;
	size_t thread_limit, limit; /* waits kept of a thread and in all, about; 0: JOIN_THREAD_LIMIT, JOIN_LIMIT */
};

#define JOIN_THREAD_LIMIT 16384u
#define JOIN_LIMIT	  (1u << 17) /* 20 MB */

struct join *join_new(const struct join_setup *setup, struct diag *d);
void join_free(struct join *j);

/* In the order in which they ended, of each thread. */
void join_wait(struct join *j, const struct frt_wait *w, uint32_t stack, uint32_t kernel_stack);
void join_pause(struct join *j, const struct frt_pause *p);
void join_usage(struct join *j, const struct frt_usage *u);

/* What o->flags says is not known of the thread. NULL: of some thread, so nothing is known of any. */
void join_unseen(struct join *j, const struct frt_slot_owner *o);

/* Something was lost before `now`: nothing is known of calls that began before. */
void join_lost(struct join *j, int64_t now);

#define JOIN_MISSING INT64_MIN

/* Of a call: each but blocked_on may be JOIN_MISSING. */
struct join_split {
	int64_t run_queue, blocked, pause;
	int64_t major_faults, minor_faults, calls, call_time;
	int64_t blocked_on[FRT_WAIT_REASONS]; /* by reason: `blocked` in all */
};

/* All that ended before the call's end must have come. `thread` FRT_NO_THREAD: only pauses are known. */
void join_split(const struct join *j, uint32_t thread, int64_t start, int64_t end, struct join_split *out);

/* Show the waits that overlap [start, end) and have not been shown before. */
void join_claim(struct join *j, uint32_t thread, int64_t start, int64_t end, join_visit *visit, void *context);

/* Waits kept now. */
size_t join_kept(const struct join *j);

#endif
