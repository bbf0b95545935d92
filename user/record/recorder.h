/* SPDX-License-Identifier: BSD-2-Clause */
/* The recorder: writes spans as jdk.MethodTrace events into chunks of a file. */
#ifndef USER_RECORD_RECORDER_H
#define USER_RECORD_RECORDER_H

#include "format/diag.h"
#include "user/capture/clock.h"
#include "user/stacks/frames.h"
#include "user/record/output.h"
#include "user/capture/stream.h"
#include "user/segment/segment.h"
#include "user/options/settings.h"
#include "user/record/breakdown.h"
#include "user/record/span_events.h"
#include "user/record/user_events.h"

struct recorder;

struct event_plan;
struct process_context;
struct jvm_model;

struct recorder_setup {
	const struct settings *settings;
	const struct target *target;
	const struct segment *segment;
	struct clock *clock;
	struct output *output;
	struct resolver *resolver;     /* of stacks; NULL: only methods named by the agent are known */
	const struct event_plan *plan; /* of -e; NULL: there are no events */
	enum jfr_kernel kernel;	       /* which kernel fields calls have */
	/* The JVM's model, with a resolver, for the stacks of waits and the names of wakers. NULL: the kernel's only. */
	const struct jvm_model *model;
	struct peer_source peers; /* who looks for processes that waits are for */
	bool no_pauses;		  /* the JVM's pauses are unknown */
};

/*
 * Create the recorder before the agent is started: stacks in the segment now belong to an earlier recording. Returns
 * 0, or -errno with *out set to NULL.
 */
int recorder_new(struct recorder **out, const struct recorder_setup *setup, struct diag *d);
void recorder_free(struct recorder *r);

/* The sink to which the streams deliver spans; its context is the recorder. */
struct stream_sink recorder_sink(struct recorder *r);

/* Takes the stacks of waits and of native calls; NULL: there are none. */
struct copied_stacks *recorder_copied_stacks(const struct recorder *r);

/* The breakdown, which receives the kernel's records; NULL when there is none. */
struct breakdown *recorder_breakdown(const struct recorder *r);

/*
 * Call about twenty times a second. Takes the stacks that the agent has written, and closes a chunk that is large or
 * old; the first chunk is closed one second after its first call. Returns 0, or -errno when writing failed; the
 * recorder then records nothing more.
 */
int recorder_tick(struct recorder *r, struct diag *d);

/*
 * Are paths to be computed at one of the next ticks? What the kernel holds back must then be on its way before the next one:
 * intake_release_waits().
 */
bool recorder_awaits_paths(const struct recorder *r);

/*
 * Drop the resolver's methods when there are too many, as in a JVM that creates hidden classes without limit. Call at
 * every tick. True: they were dropped, and callers of earlier calls are invalid (struct recorded_call).
 */
bool recorder_forget_methods(struct recorder *r);

/* Set the total number of spans lost so far; the increase becomes a jdk.DataLoss event. */
void recorder_note_loss(struct recorder *r, uint64_t spans);

/* Add a remark for readers of the file. It is repeated in each chunk. Returns 0 or -errno. */
int recorder_remark(struct recorder *r, const char *kind, const char *text);

/*
 * Take the stacks that the agent has written; true when there were new ones. Call often: stacks are resolved in the
 * JVM now, and their methods may be gone later. `all`: the agent has stopped writing. The CPU time of a call is
 * bounded, and so is that of stacks that are resolved until the next call.
 */
bool recorder_read_stacks(struct recorder *r, bool all);

/*
 * Did the last recorder_read_stacks() leave stacks unread? Spans should then wait for the next call. This ends after
 * a while, because an agent may write faster than stacks can be read.
 */
bool recorder_behind(const struct recorder *r);

/* Raise the time limit for the last stacks: recorder_read_stacks() is called once more, at the end of the recording. */
void recorder_last_round(struct recorder *r);

/* From now on write jdk.MethodTiming events, too, although they were not requested. */
void recorder_add_timing(struct recorder *r);

/* Were the agent's tables found to be forged? The file contains a remark about it. */
bool recorder_forged(const struct recorder *r);

/* Number of calls of a method in the last emission of jdk.MethodTiming. */
uint64_t recorder_timed_calls(const struct recorder *r, uint32_t method);

/*
 * Write the calls that have not returned as frtrace.OpenCall events, after the stacks have been read. `no_stacks`
 * says why no open-call dump was taken just now, or is NULL. Returns the number of events.
 */
uint64_t recorder_put_open_calls(struct recorder *r, const char *no_stacks);

/*
 * Close the open chunk now and begin the next one, so that everything recorded so far is in the output. Returns 0
 * or -errno.
 */
int recorder_cut(struct recorder *r, struct diag *d);

/* Close the last chunk, with a jdk.Shutdown event when the target has ended. Returns 0 or -errno. */
int recorder_finish(struct recorder *r, bool target_ended, struct diag *d);

struct recorder_counts {
	uint64_t events, thrown; /* in the file or in the open chunk */
	uint64_t unwritten;	 /* events in chunks that could not be written, and all later ones */
	uint64_t untaken;	 /* calls with FRT_STACK_UNTAKEN */
	uint64_t tasks_torn;	 /* tasks without what is known of them, or after a chunk could not be written */
};
const struct recorder_counts *recorder_counts(const struct recorder *r);

/* Have `seen` called for each call that is recorded, once its event is written; NULL: for none. */
void recorder_listen(struct recorder *r, enum recorded_listener who, recorded_seen *seen, void *context);

/* What events of -e lack; see user_events_gaps(). */
void recorder_event_gaps(const struct recorder *r, void (*report)(const char *text, void *context), void *context);

/* What the program says of itself, as of the last chunk that began; NULL: that is not looked at. */
const struct process_context *recorder_program(const struct recorder *r);

/* See frames_count(). */
void recorder_count_frames(const struct recorder *r, struct frames_counts *out);

/* Bytes that the output does not have yet: those of the open chunk. */
uint64_t recorder_unwritten(const struct recorder *r);

/* Have --max-events events been recorded? */
bool recorder_full(const struct recorder *r);

#endif
