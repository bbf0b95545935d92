/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line for each recorded call, in the order in which calls ended. They come
 * thread by thread and in parts; so they are held until all that ended before
 * can be here. What standard output does not take in time is skipped, counted,
 * and said in its place.
 */
#ifndef USER_LIVE_LINES_H
#define USER_LIVE_LINES_H

#include "user/capture/clock.h"
#include "user/record/frames.h"
#include "user/capture/stream.h"
#include "user/live/stdout_queue.h"

struct lines;

struct lines_setup {
	const struct segment *segment;
	struct clock *clock;
	struct stdout_queue *outlet;
	int64_t ticks_offset; /* of the target's CLOCK_MONOTONIC to ours, ns */
	bool json;
};

/* All are borrowed. 0 or -errno; then *out is NULL. */
int lines_new(struct lines **out, const struct lines_setup *setup, struct diag *d);
void lines_free(struct lines *l);

/*
 * A call that was recorded; `vthread` as in struct stream_sink. To be called right after the recorder had it: its
 * stamps are then converted to the same times as in the file.
 */
void lines_add(struct lines *l, const struct frt_span *s, const struct stream_vthread *vthread,
	       const struct frames_caller *caller);

/* A thread may be switched away for so long between the end of a call and its record. */
#define LINES_LATE_NS 50000000LL

/*
 * Print the calls that ended at least LINES_LATE_NS before `now` (CLOCK_MONOTONIC, ns), all of which are expected to be
 * here; with INT64_MAX all that are held.
 */
void lines_print(struct lines *l, int64_t now);

/* The callers' methods are gone: calls that wait for their turn are printed without. */
void lines_forget_callers(struct lines *l);

uint64_t lines_skipped(const struct lines *l);

#endif
