/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spans of time on tracks, put into the order in which they begin and end. Spans of one track nest: one that would
 * begin in another and end after it goes to a track of its own. A wait goes by its middle, as everywhere: it is cut to the
 * time around that in which no other span of its track begins or ends.
 */
#ifndef USER_EXPORT_TIMELINE_H
#define USER_EXPORT_TIMELINE_H

#include "user/trace/nest.h"

struct timeline_span {
	struct nested nested; /* the first member. Its number is the caller's, as the next two */
	uint32_t name, link;
	uint32_t track;	    /* from 0 on */
	uint32_t kind : 31; /* of two that begin and end together, the higher one is inside */
	uint32_t wait : 1;
};

struct timeline {
	struct timeline_span *span;
	size_t count, capacity;
	/* The tracks that timeline_arrange() added behind those of the caller: the one that each of them stands for. */
	uint32_t *added;
	size_t extra, extra_capacity;
	uint32_t tracks;
	/* Of timeline_next(): where each track is, and a heap of the tracks by the time of their next edge. */
	struct timeline_track *at;
	uint32_t *heap;
	size_t heaped;
};

/* The beginning or the end of a span. */
struct timeline_edge {
	const struct timeline_span *span;
	int64_t time;
	bool begin;
};

/* A moment and a span, in ns, within what a timeline can have: times in a forged file may be any number. */
int64_t timeline_moment(int64_t moment);
struct span timeline_cut(int64_t start, int64_t duration, uint64_t number);

void timeline_release(struct timeline *t); /* takes a zeroed one, too */

/* 0 or -ENOMEM */
int timeline_add(struct timeline *t, const struct timeline_span *span);

/*
 * Call it after the last span. Ends may become earlier by SPAN_ROUNDING, so that spans nest, and waits shorter.
 * `tracks`: their number. 0 or -ENOMEM.
 */
int timeline_arrange(struct timeline *t, uint32_t tracks);

/* The next edge, in the order of time; on each track, spans are well nested. False: there is none. */
bool timeline_next(struct timeline *t, struct timeline_edge *edge);

#endif
