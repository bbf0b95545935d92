/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who held a lock while a thread waited for it, and what it did meanwhile: one rule for all readers.
 *
 * A wait is for a lock if its stack tells so (wait_is_contended()). The thread that ended the wait held the lock. If it had
 * waited for a lock itself for most of that time, it only passed the lock on, and the thread that ended its wait counts
 * instead. What it did is its shortest traced call that covers most of the wait. A call counts only with the part of the
 * wait in which it was open.
 *
 * Use: holders_add() for each wait of the file, holders_want() for those that matter, holders_settle(), then in a later
 * pass holders_on_call() for each call of the file; holders_read() does the last two. Out of memory ends the process.
 */
#ifndef USER_TRACE_HOLDERS_H
#define USER_TRACE_HOLDERS_H

#include "user/trace/method_names.h"
#include "user/trace/threads.h"

#define HELD_MOST 20000 /* wanted waits; those beyond them have no holder */

/* A wanted wait and who ended it. Threads and methods are numbers; 0: unknown. */
struct held {
	uint32_t thread; /* that waited */
	uint32_t holder; /* that ended the wait; of a lock, from holders_settle() on, that held it */
	uint32_t method; /* of the best call so far */
	uint32_t mark;	 /* for the caller */
	bool lock;	 /* else a queue, a future, a park: somebody ends the wait, but nobody holds it */
	int64_t start, duration;
	int64_t passed;			/* when the holder passed the lock on */
	int64_t overlap, best_duration; /* of the best call: its part of the wait until then, its own; 0: none */
};

/* Zeroed at first, but for the borrowed ones. */
struct holders {
	struct threads *threads;    /* borrowed; asked by threads_number() */
	struct method_names *names; /* borrowed */
	struct lock_wait {
		int64_t start, end;
		uint32_t thread, waker;
	} *wait;	  /* for locks, in the order of the file */
	uint32_t *by_end; /* indexes, by thread and end; set by holders_settle() */
	size_t count, capacity;
	struct held *held; /* by holder and `passed` from holders_settle() on */
	size_t wanted, held_capacity;
	struct map locks;	 /* (thread, start) of a wanted wait for a lock -> index + 1; set by holders_settle() */
	struct chunk_map stacks; /* of waits -> 1: not for a lock, 2: for one */
};

void holders_release(struct holders *h);

/* True if the wait is for a lock that another thread holds. */
bool holders_is_lock(struct holders *h, const struct thread_wait *wait);

/* Note a wait for a lock. Its number, from 1 on; 0: its waker is unknown, or there are too many. */
uint32_t holders_note(struct holders *h, uint32_t thread, uint32_t waker, int64_t start, int64_t duration);

/* Both: note the wait if it is for a lock. 0 also if it is not. */
uint32_t holders_add(struct holders *h, const struct thread_wait *wait);

/*
 * Find out about a wait of which thread, holder, mark, lock, start and duration are set. holders_want_number(): about a
 * noted one; nothing for 0.
 */
void holders_want(struct holders *h, const struct held *wait);
void holders_want_number(struct holders *h, uint32_t number);

/* Call it after the last wait and before the first call. */
void holders_settle(struct holders *h);

void holders_on_call(struct holders *h, uint32_t thread, uint32_t method, int64_t start, int64_t duration);

/* The last two: read the calls of the file, which stays where it is. Read errors are in file->fault. */
void holders_read(struct holders *h, struct jfr_file *file);

/* What is known of a wanted wait for a lock; NULL: it was none. */
const struct held *holders_of_wait(const struct holders *h, uint32_t thread, int64_t start, int64_t duration);

/* True if the best call covers most of the wait. */
bool held_is_covered(const struct held *held);

/* The method in which the holder was, or who ended another wait; 0: unknown. */
uint32_t held_method(const struct held *held);

/*
 * Append `held by "main": a.Report.write() 812 ms` about a noted wait, the method shortened to fit into `width` columns
 * from here on. False: no such call is known.
 */
bool holders_put(const struct holders *h, uint32_t number, struct bytes *out, size_t width);

#endif
