/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the thread that ended a wait had done meanwhile: one rule for all readers. Only traced calls are known, and a call is
 * named only if there is no doubt.
 *
 * Of a lock, the thread that ended the wait held it. If it had waited for a lock itself for most of that time, it only
 * passed the lock on, and the thread that ended its wait counts instead. What it did is its shortest call that covers most
 * of the wait (HELD_BY). A call counts only with the part of the wait in which it was open.
 *
 * A task, whose result or end the thread waited for, is over when it wakes the thread. It was the last call of the waker
 * (HELD_AFTER), if that ended just before the wake-up, and the waker neither woke another thread since then nor came back
 * from a wait of its own: then it has gone on to something else. The moment of the wake-up counts, which a file may not
 * have, and not the end of the wait: a worker begins with its next task before the kernel has woken the thread. And that call must have begun in the request that waits, the outermost
 * call around the wait, because a task of a request does not begin before it. So a worker of a pool is never named by a
 * call that it made for another request.
 *
 * Otherwise it is the innermost call that was open when the waker ended the wait (HELD_IN); for a task, too, it must have
 * begun in the request.
 *
 * Use: holders_add() for each wait of the file, holders_want() for those that matter, holders_settle(), then in a later
 * pass holders_on_wait() and holders_on_call() for each wait and call of the file; holders_read() does the last two. Out of
 * memory ends the process.
 */
#ifndef USER_TRACE_HOLDERS_H
#define USER_TRACE_HOLDERS_H

#include "user/trace/call.h"
#include "user/trace/method_names.h"
#include "user/trace/threads.h"
#include "user/trace/wait_place.h"

#define HELD_MOST 200000 /* wanted waits, 25 MB; those beyond them are unknown */

struct held_call {
	uint32_t method; /* 0: none */
	int64_t start, end;
};

/* A wanted wait and who ended it. Threads and methods are numbers; 0: unknown. */
struct held {
	uint32_t thread; /* that waited */
	uint32_t holder; /* that ended the wait; of a lock, from holders_settle() on, that held it */
	uint32_t mark;	 /* for the caller */
	enum wait_for what;
	int64_t start, duration;
	int64_t woken;	/* as in struct thread_wait; not needed of a lock */
	int64_t passed; /* when the holder passed the lock on; else `woken` */
	/* private: of a lock, the best call so far and its part of the wait until then */
	struct held_call best;
	int64_t overlap;
	/* else calls of the waker: the last one that had ended, the innermost one that was open */
	struct held_call ended, open;
	int64_t disturbed; /* when it had last ended another wait, or come back from one, just before; 0: it had not */
	int64_t request;   /* when the outermost call around the wait began; INT64_MAX: there is none */
};

enum held_how { HELD_UNKNOWN, HELD_BY, HELD_AFTER, HELD_IN };

/* All but `how` are 0 if it is HELD_UNKNOWN. */
struct held_answer {
	enum held_how how;
	uint32_t method;
	int64_t start, duration; /* of its call, */
	int64_t overlap;	 /* and the part of that in the wait */
};

/* Zeroed at first, but for the borrowed ones. */
struct holders {
	struct threads *threads;    /* borrowed; asked by threads_number() */
	struct method_names *names; /* borrowed */
	struct noted_wait {
		int64_t start, end, woken;
		uint32_t thread, waker;
		enum wait_for what;
	} *wait;	  /* in the order of the file */
	uint32_t *by_end; /* those for locks: indexes, by thread and end; set by holders_settle() */
	size_t count, locks, capacity;
	struct held *held;    /* by holder and `passed` from holders_settle() on */
	uint32_t *by_request; /* those for tasks: indexes, by thread and middle; set by holders_settle() */
	size_t wanted, tasks, held_capacity;
	struct map index;	 /* (thread, start) of a wanted wait -> index + 1; set by holders_settle() */
	struct chunk_map stacks; /* of waits -> enum wait_for + 1 */
};

void holders_release(struct holders *h);

/* wait_is_for(), of which only the first wait with a stack asks. */
enum wait_for holders_what(struct holders *h, const struct thread_wait *wait);

/* Note a wait. Its number, from 1 on; 0: its waker is unknown, or there are too many. */
uint32_t holders_note(struct holders *h, const struct noted_wait *wait);

/* Both: note the wait if it is known what it is for. 0 also if it is not. */
uint32_t holders_add(struct holders *h, const struct thread_wait *wait);

/*
 * Find out about a wait of which all is set that is not private, but for `passed`. holders_want_number(): about a
 * noted one; nothing for 0.
 */
void holders_want(struct holders *h, const struct held *wait);
void holders_want_number(struct holders *h, uint32_t number);

/* Call it after the last wait and before holders_on_wait() and holders_on_call(). */
void holders_settle(struct holders *h);

void holders_on_wait(struct holders *h, const struct noted_wait *wait);
void holders_on_call(struct holders *h, uint32_t thread, uint32_t method, int64_t start, int64_t duration);

/* The same for those of the file. */
void holders_read_wait(struct holders *h, const struct thread_wait *wait);
void holders_read_call(struct holders *h, const struct call *call);

/* Settle, and read the waits and calls of the file, which stays where it is. Read errors are in file->fault. */
void holders_read(struct holders *h, struct jfr_file *file);

/* holders_add() for all waits of the file, and find out about all of them. */
void holders_read_all(struct holders *h, struct jfr_file *file);

/* A wanted wait, or a noted one that was wanted; NULL: it was not. */
const struct held *holders_of_wait(const struct holders *h, uint32_t thread, int64_t start, int64_t duration);
const struct held *holders_of_number(const struct holders *h, uint32_t number);

/* What is known of it, or of NULL. */
struct held_answer held_answer(const struct held *held);

/*
 * Append `held by "main": a.Report.write() 812 ms` about a wait, or NULL, the method shortened to fit into `width` columns
 * from here on. False: no such call is known.
 */
bool holders_put(const struct holders *h, const struct held *held, struct bytes *out, size_t width);

/*
 * The same of what is no lock: `after a.Report.write() 812 ms`, or `in a.Report.write() 812 ms` if it is not known
 * otherwise where that was (`placed`).
 */
bool holders_put_waker(const struct holders *h, const struct held *held, bool placed, struct bytes *out, size_t width);

/* Append "after a.Report.write()", "in ..." or only the method that held the lock. False: nothing is known. */
bool holders_put_kind(const struct holders *h, struct held_answer answer, struct bytes *out);

#endif
