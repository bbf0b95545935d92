/* SPDX-License-Identifier: BSD-2-Clause */
/* Iterates over the waits of a recording: its frtrace.ThreadWait, RunQueue or VMPause events. */
#ifndef USER_FILES_WAIT_ITER_H
#define USER_FILES_WAIT_ITER_H

#include "format/jfr/jfr_read.h"

struct thread_wait {
	struct jfr_chunk *chunk;
	int64_t start;	  /* nanoseconds since the epoch */
	int64_t duration; /* nanoseconds */
	bool ongoing;	  /* the wait had not ended */
	/* Not resolved. `reason` and `call` are texts or null; the reason of a pause is its operation. */
	struct jfr_value thread, stack, reason, call, waker, kernel_stack, native_stack;
	struct jfr_value waker_stack, waker_kernel_stack, woken_by; /* woken_by: a text or null */
};

/* A nonzero result ends the iteration; wait_iter_each() returns it. */
typedef int thread_wait_visit(const struct thread_wait *wait, void *context);

/*
 * Visit all events of `type`, in file order. Fields that the events lack are null. Returns 0 or the visitor's result;
 * read errors are in file->fault.
 */
int wait_iter_each(struct jfr_file *file, const char *type, thread_wait_visit *visit, void *context);

/* The same for the events of one chunk. */
int wait_iter_chunk(struct jfr_chunk *chunk, const char *type, thread_wait_visit *visit, void *context);

/* A number that identifies the thread in all chunks: Java's id, else the system's. 0: none. */
uint64_t thread_number(struct jfr_chunk *chunk, struct jfr_value thread);

/* Append the thread's name, Java's or else the system's; `none` if it has neither. */
void put_thread_name(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value thread, const char *none);

/*
 * Append the name of the thread that ended the wait, or "thread #23" for Java's number of one without a name, as most
 * virtual threads are; `none` if the waker is unknown.
 */
void put_waker_name(struct bytes *out, const struct thread_wait *wait, const char *none);

/* Name of the wait: its reason, or the system call if the reason is "other". Free with free(). NULL: no memory. */
char *thread_wait_reason(const struct thread_wait *wait);

/* True if an interrupt ended the wait, such as a timer's. */
bool thread_wait_by_interrupt(const struct thread_wait *wait);

/*
 * Name of the thread that ended the wait. "" if it was an interrupt, such as a timer's, or is unknown. Free with
 * free(). NULL: no memory.
 */
char *thread_wait_waker(const struct thread_wait *wait);

#endif
