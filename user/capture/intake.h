/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How spans come in: through the queue, by the sweep of what lies in the rings, and, where they are to be joined with
 * what the kernel saw, held back until its records have come.
 */
#ifndef USER_CAPTURE_INTAKE_H
#define USER_CAPTURE_INTAKE_H

#include "format/diag.h"
#include "user/capture/ringbuf.h"
#include "user/capture/segment.h"

#include <stdbool.h>

struct frtrace_bpf;
struct kernel_probes;
struct intake;

struct intake_setup {
	const struct segment *segment;
	struct frtrace_bpf *bpf;
	struct kernel_probes *kernel;
	struct kernel_sink waits;	/* takes the kernel's half; zeroed: nobody does */
	const struct stream_sink *sink; /* takes the spans; copied */
};

/* Before the agent is told to start: what lies in the rings is of an earlier recording. 0 or -errno; then *out is NULL. */
int intake_new(struct intake **out, const struct intake_setup *setup, struct diag *d);
void intake_free(struct intake *in);

/* A descriptor to poll on. */
int intake_fd(const struct intake *in);

/* Feed what the queue has, RINGBUF_BUDGET batches at most. Returns their number. */
int intake_consume(struct intake *in);

/* Is more than half of the queue in use? Who waits with intake_consume() should not wait any longer. */
bool intake_is_pressed(const struct intake *in);

/* Feed what lies in the rings, and what the queue had meanwhile. */
void intake_sweep(struct intake *in);

/* Feed all that calls up to now have left, in the queue and in the rings: for a dump. */
void intake_catch_up(struct intake *in);

/* Are calls of the last sweep held back still, because a record in the queue is being written? */
bool intake_holds(const struct intake *in);

/* Feed the waits that go on, as if they ended now. What follows of them begins then. */
void intake_take_waits(struct intake *in);

/* The last feed: the hooks are out, or the target has ended. */
void intake_finish(struct intake *in);

const struct streams *intake_streams(const struct intake *in);

/* Records of the queue that made no sense. */
uint64_t intake_malformed(const struct intake *in);

/* How often BPF could not copy, by enum frt_drop. */
void intake_drops(const struct intake *in, uint64_t drops[FRT_DROP_REASONS]);

/* Records of the kernel's half that found no room in the queue. */
uint64_t intake_waits_lost(const struct intake *in);

#endif
