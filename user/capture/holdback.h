/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between the streams and their sink, when calls are joined with what the kernel saw: a span that was drained comes in
 * the queue behind its thread's waits, but one that the sweep has found may come before them. Those are held until the
 * queue has been consumed as far as it was full when the sweep was over.
 */
#ifndef USER_CAPTURE_HOLDBACK_H
#define USER_CAPTURE_HOLDBACK_H

#include "user/capture/stream.h"

#include <stdbool.h>

struct holdback;

/* NULL: no memory. */
struct holdback *holdback_new(const struct stream_sink *sink);
void holdback_free(struct holdback *h); /* what is held is gone */

struct stream_sink holdback_sink(struct holdback *h);

/* Around a sweep: what comes in between is held until `position` of the queue. */
void holdback_begin(struct holdback *h);
void holdback_end(struct holdback *h, uint64_t position);

bool holdback_has_some(const struct holdback *h);

/* The queue has been consumed up to there. */
void holdback_release(struct holdback *h, uint64_t position);

#endif
