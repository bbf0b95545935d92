/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The intake of spans: from the queue, and by sweeping the agent's rings. Spans that are to be joined with the
 * kernel's records are held back until those records have arrived.
 */
#ifndef USER_CAPTURE_INTAKE_H
#define USER_CAPTURE_INTAKE_H

#include "format/diag.h"
#include "user/capture/queue.h"
#include "user/segment/segment.h"

#include <stdbool.h>

struct frtrace_bpf;
struct kernel_probes;
struct intake;

struct intake_setup {
	const struct segment *segment;
	struct frtrace_bpf *bpf;
	struct kernel_probes *kernel;
	struct kernel_sink waits;				      /* receives the kernel's records; zeroed: none */
	const struct stream_sink *sink;				      /* receives the spans; copied */
	bool (*take)(void *context, const void *record, size_t size); /* as in struct queue_sinks */
	void *take_context;
	bool allocated;		  /* --alloc: calls have that value */
	bool inside;		  /* --inside: hold spans until their root has ended */
	struct call_rates *rates; /* as in struct streams */
};

/* Can the queue of these programs be opened? That needs rights. Returns 0, or -errno with the message. */
int intake_try(const struct frtrace_bpf *bpf, struct diag *d);

/*
 * With samples, write to all of the BPF ring buffer's memory once, before anything is recorded, so that no sample waits for it.
 */
void intake_touch(const struct frtrace_bpf *bpf);

/*
 * Open the intake, before the agent is started: what the rings contain now belongs to an earlier recording. Returns
 * 0, or -errno with *out set to NULL.
 */
int intake_new(struct intake **out, const struct intake_setup *setup, struct diag *d);
void intake_free(struct intake *in);

/* The agent has started: its recording begins now, and the spans are this recording's only. */
void intake_begin(struct intake *in);

/* A descriptor to poll on. */
int intake_fd(const struct intake *in);

/* Feed what the queue contains, at most QUEUE_BUDGET records. Returns the number of records. */
int intake_consume(struct intake *in);

/* Feed all that the queue contains now, up to a record that is being written: there is room for calls that are open. */
void intake_drain(struct intake *in);

/* Is more than a 32nd part of the queue in use? At usual rates there is less when it is emptied. */
bool intake_is_filling(const struct intake *in);

/* Is more than half of it in use? A caller that delays intake_consume() should then call it at once. */
bool intake_is_pressed(const struct intake *in);

/* Feed what the agent's rings contain, and what the queue received meanwhile. */
void intake_sweep(struct intake *in);

/* Have the kernel write the waits that it holds back. They come with what is read from the queue next. */
void intake_release_waits(struct intake *in);

/* Feed everything that calls have left so far in the queue and in the rings; for a dump. */
void intake_catch_up(struct intake *in);

/* Are spans of the last sweep still held back because a record in the queue is not complete? */
bool intake_has_pending(const struct intake *in);

/* Feed the waits in progress as if they ended now. Their remainder then begins now. */
void intake_take_waits(struct intake *in);

/* The last feed, when the hooks have been removed or the target has ended. */
void intake_finish(struct intake *in);

const struct streams *intake_streams(const struct intake *in);

/* The same, to be fed with spans that the queue's other records become. */
struct streams *intake_feed(struct intake *in);

/* Number of malformed records of the queue. */
uint64_t intake_malformed(const struct intake *in);

/*
 * Number of records of calls that perf buffers have not taken, and of all that intake_finish() could not read: one in front of
 * them was not completed.
 */
uint64_t intake_unread(const struct intake *in);

/* How often BPF failed to copy, by enum frt_drop. */
void intake_drops(const struct intake *in, uint64_t drops[FRT_DROP_REASONS]);

/* Kernel records dropped because the queue was full, or did not take them. */
uint64_t intake_waits_lost(const struct intake *in);

#endif
