/* SPDX-License-Identifier: BSD-2-Clause */
/* The waits of a recording, one after the other, as its frtrace.ThreadWait, RunQueue or VMPause events have them. */
#ifndef USER_VIEW_WAIT_ITER_H
#define USER_VIEW_WAIT_ITER_H

#include "format/jfr/jfr_read.h"

struct thread_wait {
	struct jfr_chunk *chunk;
	int64_t start;	  /* nanoseconds since the epoch */
	int64_t duration; /* nanoseconds */
	bool ongoing;	  /* it had not ended */
	struct jfr_value thread, stack, reason, call, waker,
		kernel_stack; /* not resolved; the third and fourth are texts or null; a pause's reason is what it is */
};

/* A number other than 0 ends it, and is what wait_iter_each() returns. */
typedef int thread_wait_visit(const struct thread_wait *wait, void *context);

/* All events of that type, in the order of the file; what it does not have is null. Faults are in file->fault. */
int wait_iter_each(struct jfr_file *file, const char *type, thread_wait_visit *visit, void *context);

/* A number for the thread that is the same in all chunks: Java's, else the system's; 0: there is none. */
uint64_t thread_number(struct jfr_chunk *chunk, struct jfr_value thread);

/* Append its name, Java's or else the system's; `none` when there is none. */
void put_thread_name(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value thread, const char *none);

/* "futex"; of a wait for something else the system call: what a wait is to be called. To be freed; NULL: no memory. */
char *thread_wait_reason(const struct thread_wait *wait);

/* The name of the thread that woke it, "": it was an interrupt, such as a timer's, or is not known. To be freed; NULL: no memory. */
char *thread_wait_waker(const struct thread_wait *wait);

#endif
