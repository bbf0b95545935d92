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

struct hold;

/* NULL: no memory. */
struct hold *hold_new(const struct stream_sink *sink);
void hold_free(struct hold *h); /* what is held is gone */

struct stream_sink hold_sink(struct hold *h);

/* Around a sweep: what comes in between is held until `position` of the queue. */
void hold_begin(struct hold *h);
void hold_end(struct hold *h, uint64_t position);

bool hold_has_some(const struct hold *h);

/* The queue has been consumed up to there. */
void hold_let_go(struct hold *h, uint64_t position);

#endif
