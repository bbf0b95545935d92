/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams of span records, one per slot: records of 32 bytes at 64-bit offsets. A range may arrive twice, from a
 * drain and from the sweep, or not at all. Overlaps are trimmed, gaps are counted. Each record is delivered once, in
 * order.
 */
#ifndef USER_CAPTURE_STREAM_H
#define USER_CAPTURE_STREAM_H

#include "bpf/frtrace.h"

#include <stdbool.h>
#include <stddef.h>

/* The virtual thread that runs on a stream, as its records name it. */
struct stream_vthread {
	uint64_t java_id; /* 0: unknown */
	char name[16 * FRT_VTHREAD_PARTS + 1];
};

struct stream_sink {
	/*
	 * `n` spans that follow each other in a stream; `vthread` is NULL if they are of platform threads. One with
	 * FRT_SPAN_FIELDS comes alone, with its values, as records of kind FRT_FIELD, behind it: `n` counts them, too.
	 */
	void (*spans)(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *vthread);
	/* TSC of the latest stamp in the next batch; called before its spans. */
	void (*cover)(void *context, uint64_t tsc);
	void *context;
};

/* A span with the values that have arrived, until the last one has. */
struct stream_set {
	struct frt_span *record; /* the span, and its values */
	size_t capacity;
	uint32_t count; /* 0: none is open */
};

#define STREAM_SETS (1u << 18) /* records of all open sets: the agent may be forged */

/* The number of spans among what a sink gets. */
static inline size_t stream_spans(const struct frt_span *s, size_t n)
{
	return n && s->flags & FRT_SPAN_FIELDS ? 1 : n;
}

/* The number of records from a span to the next one. */
static inline size_t stream_set_size(const struct frt_span *s, size_t n)
{
	size_t i = 1;

	while (s->flags & FRT_SPAN_FIELDS && i < n && s[i].kind == FRT_FIELD)
		i++;
	return i;
}

struct streams {
	struct stream_sink sink;
	uint64_t next[FRT_MAX_SLOTS];		       /* offset of the next record to deliver */
	struct stream_vthread *vthread[FRT_MAX_SLOTS]; /* NULL until one is named */
	struct stream_set *set[FRT_MAX_SLOTS];	       /* NULL until there are values */
	uint32_t set_records;			       /* in all of them */
	uint32_t recording;			       /* whose values are ours */
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

/* Nothing of the slot will arrive any more. */
void streams_end(struct streams *s, uint32_t slot);

/* Nothing before `offset` will arrive any more: count the missing records as lost. */
void streams_give_up(struct streams *s, uint32_t slot, uint64_t offset);

#endif
