/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams of span records, one per slot: records of 32 bytes at 64-bit offsets. A range may arrive twice, from a
 * drain and from the sweep, or not at all. Overlaps are trimmed, gaps are counted. Each record is delivered once, in
 * order.
 */
#ifndef USER_CAPTURE_STREAM_H
#define USER_CAPTURE_STREAM_H

#include "user/capture/call_rates.h"
#include "user/capture/roots.h"
#include "user/capture/stream_sink.h"
#include "user/segment/segment.h"

/* A span with the values that have arrived, until the last one has. */
struct stream_set {
	struct frt_span *record; /* the span, and its values */
	size_t capacity;
	uint32_t count; /* 0: none is open */
};

#define STREAM_SETS (1u << 18) /* records of all open sets: the agent may be forged */

struct streams {
	struct stream_sink sink;
	struct roots *roots;	      /* NULL: not with --inside; else it has the sink, too */
	struct call_rates *rates;     /* counts calls as they arrive, also those that roots drop; may be NULL */
	uint64_t next[FRT_MAX_SLOTS]; /* offset of the next record to deliver */
	struct stream_vthread *vthread[FRT_MAX_SLOTS]; /* NULL until one is named */
	struct stream_set *set[FRT_MAX_SLOTS];	       /* NULL until there are values */
	uint32_t set_records;			       /* in all of them */
	uint32_t recording;			       /* whose values are ours */
	bool allocated;				       /* and what calls have allocated */
	uint64_t torn;				       /* spans without all of their values */
	uint32_t sweep_next;			       /* slot at which the next sweep begins */
	/* spans with these flags, or that began before this (TSC), are other recordings' */
	uint32_t not_ours;
	uint64_t since;
	uint64_t received, lost; /* records */
	uint64_t malformed;	 /* records of unknown kind: a forged or torn ring */
};

void streams_init(struct streams *s, const struct stream_sink *sink);
void streams_release(struct streams *s);

/*
 * Feed `size` bytes of slot `slot` at stream offset `offset`; a remainder of less than a record is ignored. The data
 * is aligned to 8 bytes. It is not trusted, but must not change during the call.
 */
void streams_feed(struct streams *s, uint32_t slot, uint64_t offset, const void *data, size_t size);

/* What became of the spans of --inside; all 0 without it. */
const struct roots_counts *streams_roots(const struct streams *s);

/*
 * No more values of the slot's last call will arrive: the thread died or its stack was full, or records are lost. The call
 * is delivered with those that there are.
 */
void streams_end(struct streams *s, uint32_t slot);

/* Nothing before `offset` will arrive any more: count the missing records as lost. */
void streams_give_up(struct streams *s, uint32_t slot, uint64_t offset);

/*
 * The sweep takes spans from the shared rings that no drain has taken. The threads continue to write meanwhile, so
 * data that could have been overwritten during the copy is not used.
 *
 * Note the positions of the streams before a recording: what the rings contain belongs to the previous one.
 */
void sweep_begin(const struct segment *seg, struct streams *streams);

/*
 * Feed the ring contents that continue the streams without a gap. The queue must have been emptied just before. One
 * pass takes about SWEEP_MOST bytes, more than all of the agent's rings hold; the next pass continues from there.
 */
#define SWEEP_MOST (8u << 20)
void sweep(const struct segment *seg, struct streams *streams);

/*
 * The final sweep. Nobody writes or drains any more, so what is not in a ring is lost. Rings of more than
 * FRT_RINGS_SIZE in total are forged; the excess is lost, too.
 */
void sweep_finish(const struct segment *seg, struct streams *streams);

#endif
