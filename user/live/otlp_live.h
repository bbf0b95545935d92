/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the recorded calls as spans of OpenTelemetry (otlp.h) while they arrive. A call ends before its caller, so it is
 * held while a call around it is open; then they are one trace. After OTLP_LIVE_MOST_NS, or when 16,384 calls are held, it
 * is printed as a trace of its own.
 */
#ifndef USER_LIVE_OTLP_LIVE_H
#define USER_LIVE_OTLP_LIVE_H

#include "user/live/lines.h"

#define OTLP_LIVE_MOST_NS 30000000000LL

struct otlp_live;

struct otlp_live_setup {
	const struct target *target;
	const struct segment *segment;
	struct clock *clock;
	struct stdout_queue *queue;
};

/* All members of `setup` are borrowed. 0 or -errno; then *out is NULL. */
int otlp_live_new(struct otlp_live **out, const struct otlp_live_setup *setup, struct diag *d);
void otlp_live_free(struct otlp_live *o);

/* As lines_add(). */
void otlp_live_add(struct otlp_live *o, const struct frt_span *s, const struct stream_vthread *vthread,
		   const struct span_split *split, const char *thrown);

/* Print what is complete after a sweep that began at `now` (CLOCK_MONOTONIC, ns); INT64_MAX: all. */
void otlp_live_print(struct otlp_live *o, int64_t now);

/* Number of spans that standard output did not take. */
uint64_t otlp_live_skipped(const struct otlp_live *o);

#endif
