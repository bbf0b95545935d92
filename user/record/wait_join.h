/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Join of the kernel's records of each thread with the calls of that thread, by time. A call costs O(log n) in the
 * number of waits kept for its thread. Memory is bounded: waits that no call can ask for any more are dropped, and
 * those of long open calls are coalesced (wait_timeline.h). Unknown values are reported as unknown, never guessed.
 *
 * Times are CLOCK_MONOTONIC in ns; threads are serials, or keys of virtual threads (bpf/slots.h).
 */
#ifndef USER_RECORD_WAIT_JOIN_H
#define USER_RECORD_WAIT_JOIN_H

#include "format/diag.h"
#include "user/capture/kernel_sink.h"
#include "user/record/critical_path.h"

#include <stdbool.h>
#include <stddef.h>

struct wait_join;

/* A time off the CPU: blocked from `off` to `wake`, then ready to run until `on`. */
struct wait {
	int64_t off, wake, on;
	struct wait_stack_ids stacks;
	uint32_t waker, waker_origin;
	char waker_name[16];
	uint64_t resource; /* frt_resource.id; 0: unknown, or nothing */
	uint64_t owner;	   /* of the monitor, as with FRT_WAIT_OWNED; 0: unknown, or it was for nothing like that */
	uint16_t syscall;
	uint8_t reason; /* enum frt_wait_reason */
	bool ongoing;	/* it was still in progress at `on`; its remainder begins there */
	bool shown;	/* wait_join_show_open() has visited it before */
	bool by_interrupt;
};

typedef void wait_join_visit(void *context, uint32_t thread, const struct wait *w);

#define WAIT_JOIN_MOMENTS FRT_OPEN_CALLS

struct wait_join_setup {
	/* Get the starts of the thread's open calls, ascending, at most WAIT_JOIN_MOMENTS. Returns their number. */
	size_t (*open)(void *context, uint32_t thread, int64_t moments[WAIT_JOIN_MOMENTS]);
	/* Called for an unclaimed wait in an open call before it is coalesced and can no longer be claimed. */
	wait_join_visit *dropped;
	void *context;
	/* Approximate maximum number of waits kept per thread and in total; 0: the defaults below. */
	size_t thread_limit, limit;
};

#define WAIT_JOIN_THREAD_LIMIT 16384u
#define WAIT_JOIN_LIMIT	       120000u /* 25 MB */

/* Returns 0, or -errno with *out set to NULL. */
int wait_join_new(struct wait_join **out, const struct wait_join_setup *setup, struct diag *d);
void wait_join_free(struct wait_join *j);

/* Add a record. The records of a thread must come in the order in which they ended. */
void wait_join_wait(struct wait_join *j, const struct frt_wait *w, const struct wait_stack_ids *stacks);
void wait_join_pause(struct wait_join *j, const struct frt_pause *p);

void wait_join_usage(struct wait_join *j, const struct frt_thread_usage *u);

/* Note that the thread's data in o->flags is unknown. NULL: the thread is unknown, so this holds for all threads. */
void wait_join_unobserved(struct wait_join *j, const struct frt_slot_owner *o);

/* Records before `now` were lost: calls that began earlier get no breakdown. */
void wait_join_lost(struct wait_join *j, int64_t now);

#define WAIT_JOIN_MISSING INT64_MIN

/* The breakdown of a call, in ns or counts. All members except blocked_on may be WAIT_JOIN_MISSING. */
struct wait_join_split {
	int64_t run_queue, blocked, pause;
	int64_t major_faults, minor_faults, syscalls, syscall_ns;
	int64_t blocked_on[FRT_WAIT_REASONS]; /* by reason; the sum is `blocked` */
};

/*
 * Compute the breakdown of [start, end). All records that ended before `end` must have been added. `thread`
 * FRT_NO_THREAD: only pauses are known.
 */
void wait_join_split(const struct wait_join *j, uint32_t thread, int64_t start, int64_t end,
		     struct wait_join_split *out);

/*
 * The moment after which the thread has no wait, usage or pause: wait_join_split() of a call that began later is all
 * 0, and there is nothing to claim. INT64_MAX: there is no such moment.
 */
int64_t wait_join_quiet_from(const struct wait_join *j, uint32_t thread);

/*
 * Visit the waits that overlap [start, end) and have not been visited before. Returns the longest time off the CPU of
 * all waits that overlap it, in ns; 0: there are none.
 */
int64_t wait_join_claim(struct wait_join *j, uint32_t thread, int64_t start, int64_t end, wait_join_visit *visit,
			void *context);

/*
 * Visit the thread's waits that ended after `start`, once, ahead of the call that will claim them. They can still be
 * claimed.
 */
void wait_join_show_open(struct wait_join *j, uint32_t thread, int64_t start, wait_join_visit *visit, void *context);

/*
 * The last wait of the thread that began before `before`, or a time of which nothing is known: one without details, or a
 * wait for a monitor that the thread found free when a time limit had ended, of which no owner is known. Where an owner is
 * known but had it only from some moment on, the wait begins there, and what is before that is unknown. The thread is
 * observed from `observed` on; INT64_MAX: from its first wait on that is kept. The details of a wait are for
 * wait_join_describe(), and valid until the next record is added.
 */
struct path_gap wait_join_before(const struct wait_join *j, uint32_t thread, int64_t before, int64_t observed);

/* All but its times. */
struct wait wait_join_describe(const void *details);

/* Number of waits kept now. */
size_t wait_join_kept(const struct wait_join *j);

#endif
