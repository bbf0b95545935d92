/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the time of calls went: the kernel's half of a recording, into the fields of calls and into events of its own. */
#ifndef USER_RECORD_BREAKDOWN_H
#define USER_RECORD_BREAKDOWN_H

#include "user/capture/clock.h"
#include "user/record/breakdown_sums.h"
#include "user/record/thread_keys.h"
#include "user/capture/kernel_sink.h"

struct where;

struct where_setup {
	struct jfr_writer *writer;
	struct thread_keys *threads;
	const struct segment *segment;
	struct clock *clock;
	int64_t ticks_offset; /* of the target's CLOCK_MONOTONIC to ours, ns */
	bool no_pauses; /* the JVM does not tell them: of no call it is known how long it was held up */
};

/* All are borrowed. NULL: no memory. */
struct where *where_new(const struct where_setup *setup, struct diag *d);
void where_free(struct where *w);

/* The sink of what the kernel saw. A chunk is open whenever it is fed, until where_stop(): then nothing is written any more. */
struct wait_sink where_sink(struct where *w);
void where_stop(struct where *w);

/* How waits get their stacks; see struct wait_events. */
void where_take_stacks(struct where *w, uint64_t (*key)(void *context, uint32_t stack), void *context);

/*
 * Fill in where the time of a call went that began at `start` (CLOCK_MONOTONIC) and whose duration is in the event; the
 * waits that were in it, and in no recorded call before, become events.
 */
void where_split(struct where *w, const struct frt_span *s, int64_t start, struct jfr_method_trace *e);

/* The waits of a call that has not ended. */
void where_claim_open(struct where *w, uint32_t thread, int64_t start);

struct splits *where_splits(const struct where *w);

#endif
