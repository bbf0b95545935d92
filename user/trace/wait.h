/* SPDX-License-Identifier: BSD-2-Clause */
/* A wait of a recording: an event frtrace.ThreadWait, RunQueue or VMPause. */
#ifndef USER_TRACE_WAIT_H
#define USER_TRACE_WAIT_H

#include "user/trace/event_members.h"
#include "user/trace/span.h"

struct thread_wait {
	struct jfr_chunk *chunk;
	int64_t start;	  /* nanoseconds since the epoch */
	int64_t duration; /* nanoseconds */
	int64_t woken;	  /* when the waker ended it, at most `duration` after `start`; INT64_MIN: unknown */
	bool ongoing;	  /* the wait had not ended */
	/* Not resolved. `reason` and `syscall` are texts or null; the reason of a pause is its operation. */
	struct jfr_value thread, stack, reason, syscall, waker, kernel_stack, native_stack;
	struct jfr_value waker_stack, waker_kernel_stack, woken_by, resource, service, process,
		container; /* the last five: a text or null */
};

static inline int64_t wait_middle(const struct thread_wait *w)
{
	return span_middle(w->start, w->duration);
}

/* Read a wait from its event. */
void wait_read(struct event_reader *r, struct jfr_chunk *chunk, const struct jfr_event *e, struct thread_wait *w);

/* A number that identifies the thread in all chunks: Java's id, else the system's. 0: none. */
uint64_t thread_number(struct jfr_chunk *chunk, struct jfr_value thread);

/*
 * Append the thread's name, Java's or else the system's, or "thread #23" for Java's number of one without a name, as most
 * virtual threads are; `none` if it has none of them.
 */
void put_thread_name(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value thread, const char *none);

/* Name of the wait: its reason, or the system call if the reason is "other". Free with free(). */
char *thread_wait_reason(const struct thread_wait *wait);

/* True if both have the same reason and the same Java stack. */
bool thread_waits_are_alike(const struct thread_wait *a, const struct thread_wait *b);

/* True if an interrupt ended the wait, such as a timer's. */
bool thread_wait_by_interrupt(const struct thread_wait *wait);

/*
 * Name of the thread that ended the wait. "" if it was an interrupt, such as a timer's, or is unknown. Free with
 * free().
 */
char *thread_wait_waker(const struct thread_wait *wait);

/* Append what the wait was for, as in "10.0.0.7:5432". False: that is unknown, or it was for nothing of the kind. */
bool thread_wait_put_resource(struct bytes *out, const struct thread_wait *wait);

/* The same as a text, "" if it is unknown. Free with free(). */
char *thread_wait_resource(const struct thread_wait *wait);

/*
 * The same for people, with the names of the service behind a port and of the process there:
 * "127.0.0.1:5432 (postgresql, postgres in 3f2a9c1b7d04)".
 */
bool thread_wait_put_peer(struct bytes *out, const struct thread_wait *wait);
char *thread_wait_peer(const struct thread_wait *wait);

/* Append these names behind those of a peer, each "" if there is none. */
void wait_put_peer_names(struct bytes *out, const char *service, const char *process, const char *container);

/*
 * The names of that service, and of the process that has the other end of the connection, with its container if that is another
 * one than the target's. Each is "" if there is none, or unknown. Free with free().
 */
char *thread_wait_service(const struct thread_wait *wait);
char *thread_wait_process(const struct thread_wait *wait);
char *thread_wait_container(const struct thread_wait *wait);

#endif
