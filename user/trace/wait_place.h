/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The place of a wait for a lock: the innermost frame of its stack outside the JDK's lock code. That code is what
 * threads wait with, such as Object.wait(), Unsafe.park() and all of java.util.concurrent; who asked for the lock or
 * the task is its caller. docs/reading.md describes it; the list is in wait_place.c.
 */
#ifndef USER_TRACE_WAIT_PLACE_H
#define USER_TRACE_WAIT_PLACE_H

#include "user/trace/wait.h"

/* Append "a.b.C.m(int):17"; the outermost frame if all are lock code. Appends nothing if the wait has no stack. */
void put_wait_place(struct bytes *out, const struct thread_wait *wait);

/*
 * The same for a wait for something else: the innermost frame that is neither the JDK's nor the kernel's, as what the
 * program asked for says more than how the JDK does it.
 */
void put_wait_caller(struct bytes *out, const struct thread_wait *wait);

/* True if a wait with this reason is one for a lock, a queue or the like. */
bool wait_is_for_lock(const char *reason);

/* What a thread waited for, as far as its stack tells. */
enum wait_for {
	WAIT_FOR_UNKNOWN, /* it has no stack, or waited for nothing of the kind */
	WAIT_FOR_LOCK,	  /* a monitor or a lock of java.util.concurrent.locks, which another thread held */
	WAIT_FOR_TASK,	  /* the result of a task, or its end: a future, a latch, Thread.join() */
	WAIT_FOR_OTHER,	  /* a condition, a queue, a permit and the like */
};

enum wait_for wait_is_for(const struct thread_wait *wait);

/*
 * Where the waker ended the wait, "a.b.C.m(int):17": for locks the innermost frame of its stack outside of the JDK's
 * lock code, for others outside of the JDK. Appends nothing if there is no such frame, or only Thread.run() and the like.
 */
void put_wait_holder(struct bytes *out, const struct thread_wait *wait, const char *reason);

/* The method of that place for a wait for a lock. False: there is none. */
bool wait_holder_method(const struct thread_wait *wait, struct jfr_value *method);

/* The same as a text, "" if there is none. Free with free(). NULL: no memory. */
char *wait_holder(const struct thread_wait *wait);

/* True for the JDK's code and the kernel's, false for the program and its libraries. `frame`: "a.b.C.m(int)". */
bool frame_is_of_jdk(const char *frame);

#endif
