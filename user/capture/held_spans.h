/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of one root that are held until it is known whether it is kept, oldest first. */
#ifndef USER_CAPTURE_HELD_SPANS_H
#define USER_CAPTURE_HELD_SPANS_H

#include "user/capture/stream_sink.h"

#include <stdint.h>

struct held_spans {
	struct held_batch *first, *last;
};

/* Whose they are, unless they are of a task. */
struct held_owner {
	const struct stream_vthread *v; /* NULL: a platform thread's root */
	bool tasks;			/* it has handed over some */
};

/*
 * Hold a span with its values, or spans without any. `task`: they are of a task of the root, or of a native method; `v` is
 * their thread then, if that is virtual. False: no memory.
 */
bool held_spans_add(struct held_spans *h, const struct frt_span *s, size_t n, bool task,
		    const struct stream_vthread *v);

/* Free them. Returns how many records there were. */
size_t held_spans_empty(struct held_spans *h);

uint64_t held_spans_count(const struct held_spans *h);

/*
 * Pass them on. Returns how many spans were left out: calls of native methods whose thread may be that of a virtual thread's
 * root, or that of its task.
 */
uint64_t held_spans_deliver(const struct held_spans *h, const struct stream_sink *sink, const struct held_owner *owner);

#endif
