/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's own method probes as the source of calls (--probe=hotspot): USDT sites in libjvm, which a JVM passes that
 * was started with -XX:+DTraceMethodProbes. Nothing is loaded into the JVM, and nothing is written to it.
 *
 * Each call of a chosen method is a record in the queue. This module makes spans of them, in TSC ticks, and keeps the
 * segment, which is frtrace's own (segment_make.h).
 */
#ifndef USER_CAPTURE_HOTSPOT_SOURCE_H
#define USER_CAPTURE_HOTSPOT_SOURCE_H

#include "format/diag.h"
#include "user/capture/clock.h"
#include "user/segment/segment.h"
#include "user/capture/stream.h"
#include "user/stacks/copied_stacks.h"
#include "user/options/settings.h"

struct frtrace_bpf;
struct hotspot_source;

/* Have the program loaded, or not; before the programs are loaded. Returns 0, or -errno with the message. */
int hotspot_source_choose(struct frtrace_bpf *bpf, const struct settings *settings, struct diag *d);

/*
 * Does this JVM pass the probes? Returns 0, or -errno with the message: its libjvm has none, or it was started without the
 * flag.
 */
int hotspot_source_check(const struct target *t, struct diag *d);

struct hotspot_source_setup {
	const struct settings *settings;
	const struct target *target;
	struct clock *clock;
	struct segment *segment; /* closed; it is made here, and the caller closes it */
	struct frtrace_bpf *bpf;
};

/* Choose the methods; the probes come later. Returns 0, or -errno with the message and *out set to NULL. */
int hotspot_source_new(struct hotspot_source **out, const struct hotspot_source_setup *setup, struct diag *d);
void hotspot_source_free(struct hotspot_source *h);

/* The streams to which spans are delivered; borrowed. Before the start. */
void hotspot_source_feed(struct hotspot_source *h, struct streams *streams);

struct frt_layout;

/* Have the stacks of calls taken. Before the start; the layout has a jdk_version. */
void hotspot_source_take_stacks(struct hotspot_source *h, const struct frt_layout *layout,
				struct copied_stacks *stacks);

/* Have the waits of calls followed; with their Java stacks, if the layout has a jdk_version. Before the start. */
void hotspot_source_follow(struct hotspot_source *h, const struct frt_layout *layout);

/* Put the probes into libjvm: from now on calls are recorded. */
int hotspot_source_start(struct hotspot_source *h, struct diag *d);

/* Remove the probes. The records that are in the queue are still taken. */
void hotspot_source_stop(struct hotspot_source *h);

/* Have the calls that are open now put into the queue, from where they come into the segment's slots. */
void hotspot_source_dump(struct hotspot_source *h);

/*
 * True if exits may still have to be probed, by perf events, which takes CAP_SYS_ADMIN or CAP_PERFMON. Call after
 * hotspot_source_start().
 */
bool hotspot_source_may_probe(const struct hotspot_source *h);

/* A record of the queue. Returns false if it is malformed. */
bool hotspot_source_take(struct hotspot_source *h, const void *record, size_t size);

/*
 * Call about twenty times a second. Returns 0, or -errno with the message: a method was chosen, but its exits cannot be
 * probed. The probes are gone then.
 */
int hotspot_source_tick(struct hotspot_source *h, struct diag *d);

/* The records that the probes have left have been taken. */
void hotspot_source_finish(struct hotspot_source *h);

/* Calls of chosen methods that were missed, at most, because their class was new. */
uint64_t hotspot_source_missed(const struct hotspot_source *h);

/* Calls that ended without passing a probe: their durations are uncertain. */
uint64_t hotspot_source_unseen(const struct hotspot_source *h);

#endif
