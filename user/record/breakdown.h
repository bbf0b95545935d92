/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the time of calls went: the kernel's half of a recording, into the fields of calls and into events of its own. */
#ifndef USER_RECORD_BREAKDOWN_H
#define USER_RECORD_BREAKDOWN_H

#include "user/capture/clock.h"
#include "user/record/breakdown_sums.h"
#include "user/record/thread_keys.h"
#include "user/capture/kernel_sink.h"

struct breakdown;

struct breakdown_setup {
	struct jfr_writer *writer;
	struct thread_keys *threads;
	const struct segment *segment;
	struct clock *clock;
	int64_t ticks_offset; /* of the target's CLOCK_MONOTONIC to ours, ns */
	bool no_pauses;	      /* the JVM does not tell them: of no call it is known how long it was held up */
};

/* All are borrowed. 0 or -errno; then *out is NULL. */
int breakdown_new(struct breakdown **out, const struct breakdown_setup *setup, struct diag *d);
void breakdown_free(struct breakdown *w);

/* The sink of what the kernel saw. A chunk is open whenever it is fed, until breakdown_stop(): then nothing is written any more. */
struct kernel_sink breakdown_sink(struct breakdown *w);
void breakdown_stop(struct breakdown *w);

/* How waits get their stacks; see struct wait_events. */
void breakdown_take_stacks(struct breakdown *w, uint64_t (*key)(void *context, uint32_t stack), void *context);

/*
 * Fill in where the time of a call went that began at `start` (CLOCK_MONOTONIC) and whose duration is in the event; the
 * waits that were in it, and in no recorded call before, become events.
 */
void breakdown_split(struct breakdown *w, const struct frt_span *s, int64_t start, struct jfr_method_trace *e);

/* The waits of a call that has not ended. */
void breakdown_claim_open(struct breakdown *w, uint32_t thread, int64_t start);

struct breakdown_sums *breakdown_splits(const struct breakdown *w);

#endif
