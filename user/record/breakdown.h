/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakdown of the time of calls: turns the kernel's records into fields of call events and into wait events. */
#ifndef USER_RECORD_BREAKDOWN_H
#define USER_RECORD_BREAKDOWN_H

#include "user/capture/clock.h"
#include "user/capture/open_calls.h"
#include "user/record/breakdown_sums.h"
#include "user/record/paths.h"
#include "user/record/resources.h"
#include "user/record/thread_keys.h"
#include "user/record/wait_join.h"
#include "user/capture/kernel_sink.h"

struct breakdown;

struct breakdown_setup {
	struct jfr_writer *writer;
	struct thread_keys *threads;
	const struct segment *segment;
	struct clock *clock;
	struct frames *frames; /* of the waits' stacks; NULL: they have none */
	bool walked; /* the agent walks stacks for this recording, so that those of virtual threads are known */
	int64_t ticks_offset;	     /* the target's CLOCK_MONOTONIC minus ours, ns */
	int64_t start;		     /* of the recording, CLOCK_MONOTONIC ns: earlier pauses get no events */
	struct method_keys *methods; /* for the paths of calls; NULL: there are none */
	bool path_roots;	     /* only of roots (--inside) */
	bool path_named_ends;	     /* and --until names the calls that end them */
	bool samples;		     /* threads are sampled (--cpu) */
	struct peer_source peers;    /* who looks for processes that waits are for */
	bool no_pauses;		     /* the JVM does not report pauses: every call's pause time is unknown */
};

/* The pointers in *setup are borrowed. Returns 0, or -errno with *out set to NULL. */
int breakdown_new(struct breakdown **out, const struct breakdown_setup *setup, struct diag *d);
void breakdown_free(struct breakdown *b);

/*
 * The sink for the kernel's records. A chunk must be open whenever it is fed. After breakdown_stop() nothing is
 * written any more.
 */
struct kernel_sink breakdown_sink(struct breakdown *b);
void breakdown_stop(struct breakdown *b);

/*
 * Have `seen` called for each wait that is written, with the name of the thread that ended it, and what it was for; NULL: for
 * none.
 */
typedef void breakdown_seen(void *context, uint32_t thread, const struct wait *wait, const char *waker,
			    const struct resource_names *names);
void breakdown_watch(struct breakdown *b, breakdown_seen *seen, void *context);

/*
 * Fill in the time fields of a call of virtual thread `v`, or of a platform thread (NULL), that began at `start`
 * (CLOCK_MONOTONIC); its duration is already in the event.
 * Waits within the call that no other recorded call has claimed are written as events.
 */
void breakdown_split(struct breakdown *b, const struct frt_span *s, const struct stream_vthread *v, int64_t start,
		     struct jfr_method_trace *e);

/*
 * A call of a platform thread that began after this moment (CLOCK_MONOTONIC) ran on its CPU until it ended. Such a
 * call need not be split: breakdown_ran() adds the calls of `n` spans to the sums. INT64_MAX: there is no such moment.
 */
int64_t breakdown_runs_from(struct breakdown *b, uint32_t thread);
void breakdown_ran(struct breakdown *b, const struct frt_span *s, const struct jfr_trace_call *calls, size_t n);

/* Write the waits of a call that has not returned. */
void breakdown_claim_open(struct breakdown *b, const struct open_call *c, int64_t start);

/*
 * Write the waits so far of the open calls that will be recorded, whatever follows. Call it before a chunk is finished:
 * a reader that follows the chunks in the order of time expects them there.
 */
void breakdown_put_ahead(struct breakdown *b);

/* peers_look_on() */
void breakdown_look_on(struct breakdown *b);

/* The paths of calls, to be written at each tick; NULL: there are none. */
struct paths *breakdown_paths(const struct breakdown *b);

struct breakdown_sums *breakdown_running_sums(const struct breakdown *b);

#endif
