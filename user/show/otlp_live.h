/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the recorded calls as spans of OpenTelemetry (otlp_traces.h) while they arrive. A call ends before its caller, so
 * it is held while a call around it is open; then they are one trace. After OTLP_LIVE_MOST_NS, or when 16,384 calls are
 * held, it is printed as a trace of its own. Waits are held until the call that they are in is printed. Printing takes half
 * of the time at most, so that the recording does not fall behind: calls for which there is no room then are skipped.
 */
#ifndef USER_SHOW_OTLP_LIVE_H
#define USER_SHOW_OTLP_LIVE_H

#include "user/record/recording.h"
#include "user/show/lines.h"

#define OTLP_LIVE_MOST_NS 30000000000LL

struct otlp_live;

/* Recording and queue are borrowed. 0 or -errno; then *out is NULL. */
int otlp_live_new(struct otlp_live **out, const struct recording *r, struct stdout_queue *queue, struct diag *d);
void otlp_live_free(struct otlp_live *o);

/* Add a call that was just recorded. */
void otlp_live_add(struct otlp_live *o, const struct recorded_call *call);

/* Print what is complete after a sweep that began at `now` (CLOCK_MONOTONIC, ns); INT64_MAX: all. */
void otlp_live_print(struct otlp_live *o, int64_t now);

/* What was not printed: spans that came too fast, for us or for standard output, and waits for which there was no room. */
struct otlp_live_skipped {
	uint64_t spans, waits;
};
const struct otlp_live_skipped *otlp_live_skipped(const struct otlp_live *o);

#endif
