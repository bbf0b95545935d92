/* SPDX-License-Identifier: BSD-2-Clause */
/* What receives the spans of streams. */
#ifndef USER_CAPTURE_STREAM_SINK_H
#define USER_CAPTURE_STREAM_SINK_H

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

#endif
