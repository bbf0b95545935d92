/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the thread that ended another one's wait did meanwhile. It held the lock, if it was one. If it had waited for a lock
 * itself for most of that time, it only passed the lock on, and the thread that ended its wait counts instead. A call counts
 * only with the part of the wait in which it was open.
 */
#ifndef USER_TRACE_HELD_TIME_H
#define USER_TRACE_HELD_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define HELD_TIME_HOPS 16 /* from one thread to the next, at most */

struct held_time {
	int64_t start, end;	   /* of the wait; from held_time_pass_on() on until the lock was passed on */
	int64_t overlap, duration; /* of the best call so far: its part of that, and its own; 0: there is none */
};

/* The thread had waited for a lock itself over [start, end). True: it only passed the lock on. */
bool held_time_pass_on(struct held_time *h, int64_t start, int64_t end);

/*
 * A call of the thread. True: it is the best one so far. Of those that cover most of the wait the shortest one is, else the
 * one that covers most of it.
 */
bool held_time_offer(struct held_time *h, int64_t start, int64_t duration);

/* True if the best call covers most of the wait. */
bool held_time_is_covered(const struct held_time *h);

#endif
