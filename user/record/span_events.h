/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spans become jdk.MethodTrace events. There are two paths, which write the same bytes:
 *
 * - the general one looks everything up for each span, and asks the breakdown where its time went;
 * - the fast one takes the spans of a platform thread that began after the thread's last wait. These ran on their CPU
 *   until they ended, so nothing has to be asked. The keys of a method and a stack are encoded once a chunk.
 */
#ifndef USER_RECORD_SPAN_EVENTS_H
#define USER_RECORD_SPAN_EVENTS_H

#include "format/jfr/jfr_write.h"
#include "user/record/breakdown.h"
#include "user/stacks/frames.h"
#include "user/stacks/method_keys.h"
#include "user/record/thread_keys.h"
#include "user/record/user_events.h"

struct span_events;

struct span_events_setup {
	struct jfr_writer *writer;
	struct clock *clock;
	struct thread_keys *threads;
	struct method_keys *methods;
	struct frames *frames;
	struct breakdown *breakdown; /* NULL: calls are not split */
	struct user_events *users;   /* NULL: there are none */
	int64_t ticks_offset;	     /* the target's CLOCK_MONOTONIC minus ours, ns */
	bool general;		     /* never take the fast path */
};

/* The pointers in *setup are borrowed. Returns NULL when there is no memory. */
struct span_events *span_events_new(const struct span_events_setup *setup);
void span_events_free(struct span_events *e);

/* Call after the writer has begun a chunk: keys must then be requested again. */
void span_events_next_chunk(struct span_events *e);

/*
 * Write an event for each span. They are of virtual thread `v`, or of platform threads (NULL); the clock covers their
 * stamps, and a chunk is open.
 */
void span_events_put(struct span_events *e, const struct frt_span *s, size_t n, const struct stream_vthread *v);

/* The same for one span with values of the user's events. */
void span_events_put_values(struct span_events *e, const struct frt_span *s, const struct frt_field *values, size_t n,
			    const struct stream_vthread *v);

/* Where the time of a call went, in ns; JFR_MISSING: not known. */
struct span_split {
	int64_t cpu, run_queue, blocked, pause;
};

/* A call as it was just written. All pointers are valid until the listener returns. */
struct recorded_call {
	const struct frt_span *span;
	const struct stream_vthread *vthread; /* NULL: of a platform thread */
	int64_t start, duration;	      /* CLOCK_MONOTONIC, ns; ns */
	struct span_split split;
	struct frames_caller caller;
	const struct frt_field *values; /* of the user's events */
	size_t value_count;
	struct user_events *users; /* for recorded_values() */
};

/* Who may listen, each for itself. */
enum recorded_listener { RECORDED_SHOW, RECORDED_METRICS, RECORDED_LISTENERS };

/* Have `seen` called for each call that is written; NULL: for none. */
typedef void recorded_seen(void *context, const struct recorded_call *call);
void span_events_listen(struct span_events *e, enum recorded_listener who, recorded_seen *seen, void *context);

/* How the file has the call; see user_events_call(). */
bool recorded_values(const struct recorded_call *call, user_events_seen *seen, void *context);

#endif
