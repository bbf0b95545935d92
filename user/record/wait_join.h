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

struct wait_join;

/* A time off the CPU: blocked from `off` to `wake`, ready to run from then to `on`. */
struct wait {
	int64_t off, wake, on;
	uint32_t stack, kernel_stack; /* ids, 0 none */
	uint32_t waker, waker_process;
	char waker_name[16];
	uint16_t syscall;
	uint8_t reason; /* enum frt_wait_reason */
	bool ongoing;	/* at `on` it was looked at; the rest of it begins there */
};

typedef void wait_join_visit(void *context, uint32_t thread, const struct wait *w);

#define WAIT_JOIN_MOMENTS FRT_OPEN_CALLS

struct wait_join_setup {
	/* The starts of the thread's open calls, ascending: WAIT_JOIN_MOMENTS at most. Returns their number. */
	size_t (*open)(void *context, uint32_t thread, int64_t moments[WAIT_JOIN_MOMENTS]);
	/* A wait in an open call that nobody has claimed and that is now folded: the last chance to see it. */
	wait_join_visit *folded;
	void *context;
	size_t thread_limit,
		limit; /* waits kept of a thread and in all, about; 0: WAIT_JOIN_THREAD_LIMIT, WAIT_JOIN_LIMIT */
};

#define WAIT_JOIN_THREAD_LIMIT 16384u
#define WAIT_JOIN_LIMIT	       (1u << 17) /* 20 MB */

/* 0 or -errno; then *out is NULL. */
int wait_join_new(struct wait_join **out, const struct wait_join_setup *setup, struct diag *d);
void wait_join_free(struct wait_join *j);

/* In the order in which they ended, of each thread. */
void wait_join_wait(struct wait_join *j, const struct frt_wait *w, uint32_t stack, uint32_t kernel_stack);
void wait_join_pause(struct wait_join *j, const struct frt_pause *p);
void wait_join_usage(struct wait_join *j, const struct frt_thread_usage *u);

/* What o->flags says is not known of the thread. NULL: of some thread, so nothing is known of any. */
void wait_join_unobserved(struct wait_join *j, const struct frt_slot_owner *o);

/* Something was lost before `now`: nothing is known of calls that began before. */
void wait_join_lost(struct wait_join *j, int64_t now);

#define WAIT_JOIN_MISSING INT64_MIN

/* Of a call: each but blocked_on may be WAIT_JOIN_MISSING. */
struct wait_join_split {
	int64_t run_queue, blocked, pause;
	int64_t major_faults, minor_faults, syscalls, syscall_ns;
	int64_t blocked_on[FRT_WAIT_REASONS]; /* by reason: `blocked` in all */
};

/* All that ended before the call's end must have come. `thread` FRT_NO_THREAD: only pauses are known. */
void wait_join_split(const struct wait_join *j, uint32_t thread, int64_t start, int64_t end,
		     struct wait_join_split *out);

/* Show the waits that overlap [start, end) and have not been shown before. */
void wait_join_claim(struct wait_join *j, uint32_t thread, int64_t start, int64_t end, wait_join_visit *visit,
		     void *context);

/* Waits kept now. */
size_t wait_join_kept(const struct wait_join *j);

#endif
