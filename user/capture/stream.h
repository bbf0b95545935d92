/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each slot has a stream of records of 32 bytes at 64-bit offsets. Parts of it
 * come twice, by the queue (drained) and by the sweep, or not at all: what
 * overlaps is trimmed, what is missing is counted. Records are handed on once
 * and in order.
 */
#ifndef USER_CAPTURE_STREAM_H
#define USER_CAPTURE_STREAM_H

#include "bpf/frtrace.h"

#include <stddef.h>

/* The virtual thread that runs on a stream, as its records name it. */
struct stream_vthread {
	uint64_t java_id; /* 0: not known */
	char name[16 * FRT_VTHREAD_PARTS + 1];
};

struct stream_sink {
	/* One span; `virtual` is NULL for a platform thread. */
	void (*span)(void *context, const struct frt_span *s, const struct stream_vthread *vthread);
	/* TSC of the youngest stamp that will come with the next part: called before its spans. */
	void (*cover)(void *context, uint64_t tsc);
	void *context;
};

struct streams {
	struct stream_sink sink;
	uint64_t next[FRT_MAX_SLOTS];		       /* offset of the next record that is wanted */
	struct stream_vthread *vthread[FRT_MAX_SLOTS]; /* NULL until one is named */
	uint32_t sweep_next;			       /* the slot with which the next sweep begins */
	uint64_t received, lost;		       /* records */
	uint64_t malformed;			       /* records of no known kind: a forged or torn ring */
};

void streams_init(struct streams *s, const struct stream_sink *sink);
void streams_release(struct streams *s);

/*
 * `size` bytes (a multiple of the record size is used) of slot `slot` at
 * stream offset `offset`. The data is read once: it may not be trusted, nor
 * change meanwhile.
 */
void streams_feed(struct streams *s, uint32_t slot, uint64_t offset, const void *data, size_t size);

/* Nothing before `offset` will come any more: what is missing is lost. */
void streams_give_up(struct streams *s, uint32_t slot, uint64_t offset);

#endif
