/* SPDX-License-Identifier: BSD-2-Clause */
/* Spans become jdk.MethodTrace events in chunks of a file. */
#ifndef USER_RECORD_RECORDER_H
#define USER_RECORD_RECORDER_H

#include "format/diag.h"
#include "user/capture/clock.h"
#include "user/record/frames.h"
#include "user/record/output.h"
#include "user/capture/stream.h"
#include "user/capture/call_rates.h"
#include "user/capture/segment.h"
#include "user/options/settings.h"
#include "user/record/breakdown.h"

struct recorder;

struct jvm_model;

struct recorder_setup {
	const struct settings *settings;
	const struct target *target;
	const struct segment *segment;
	struct clock *clock;
	struct output *output;
	struct resolver *resolver; /* of stacks; NULL: only frames that the agent has named */
	struct call_rates *rates;  /* counts the calls that come; NULL: none */
	enum jfr_kernel kernel;	   /* what is known of where time went */
	const struct jvm_model
		*model; /* of the JVM, with a resolver: for the stacks of waits; NULL: they are the kernel's alone */
	bool no_pauses; /* of the JVM's pauses nothing is known */
};

/* Before the agent is told to start: stacks that it has now are of an earlier recording. 0 or -errno; then *out is NULL. */
int recorder_new(struct recorder **out, const struct recorder_setup *setup, struct diag *d);
void recorder_free(struct recorder *r);

/* The sink that the streams feed; context is the recorder. */
struct stream_sink recorder_sink(struct recorder *r);

/* The stacks of waits; NULL: as there. */
struct wait_stacks *recorder_wait_stacks(const struct recorder *r);

/* Takes what the kernel saw; NULL: nothing is wanted of that. */
struct breakdown *recorder_where(const struct recorder *r);

/*
 * To be called some twenty times a second: takes the stacks that the agent has
 * written, closes a chunk that is large or old, the first one a second after its first call. Errors of
 * writing come here; the recorder then records nothing more.
 */
int recorder_tick(struct recorder *r, struct diag *d);

/*
 * Forget the resolver's methods when there are too many, as in a JVM that makes hidden classes without end; to be called at every
 * tick. True: it has, and nobody may look at what recorder_caller() gave before.
 */
bool recorder_forget_methods(struct recorder *r);

/* Spans lost so far in all; the difference to the last call becomes a jdk.DataLoss event. */
void recorder_note_loss(struct recorder *r, uint64_t spans);

/* A line that a reader of the file must know. Repeated in each chunk. */
int recorder_remark(struct recorder *r, const char *kind, const char *text);

/*
 * Take the stacks that the agent has written; true when there were new ones. To be called often: what they
 * stand for is asked of the JVM now, and may be gone later. `all`: the agent writes no more. The CPU time of a call
 * is bounded, and so is that of the stacks which are met until the next call.
 */
bool recorder_read_stacks(struct recorder *r, bool all);

/*
 * Did the last recorder_read_stacks() not come to the end? Spans had better wait for the next one. Not for ever: an agent
 * that writes faster than they can be read is not waited for.
 */
bool recorder_behind(const struct recorder *r);

/* No recorder_read_stacks() comes before the end of the recording: what is left may take longer than in a round. */
void recorder_last_round(struct recorder *r);

/* From here on methods are timed too, in a recording that was not asked to. */
void recorder_add_timing(struct recorder *r);

/* Were the agent's tables found to be forged? The file says so. */
bool recorder_forged(const struct recorder *r);

/* How many calls of a method the last emission of jdk.MethodTiming has counted. */
uint64_t recorder_timed_calls(const struct recorder *r, uint32_t method);

/*
 * Write the calls that have not returned as frtrace.OpenCall events. `no_stacks`: why the agent has taken no open-call dump
 * just now, or NULL. When the stacks have been read. Returns how many were written.
 */
uint64_t recorder_put_open_calls(struct recorder *r, const char *no_stacks);

/* Close the open chunk now, and begin the next one: what has been recorded is then in the output. */
int recorder_cut(struct recorder *r, struct diag *d);

/* Close the last chunk; with a jdk.Shutdown event when the target has ended. */
int recorder_finish(struct recorder *r, bool target_ended, struct diag *d);

struct recorder_counts {
	uint64_t events, thrown; /* in the file, or in the open chunk */
	uint64_t unwritten;	 /* events of chunks that could not be written, and what came after */
};
const struct recorder_counts *recorder_counts(const struct recorder *r);

/* Who called, of a span that the sink has just been given; see frames_caller(). */
bool recorder_caller(const struct recorder *r, uint32_t stack, uint32_t method, struct frames_caller *out);
void recorder_count_frames(const struct recorder *r, struct frames_counts *out);

/* Have --max-events been recorded? */
bool recorder_full(const struct recorder *r);

#endif
