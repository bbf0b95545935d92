/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue of spans between the streams and their sink, used when calls are joined with the kernel's records. A
 * drained span follows its thread's waits in the queue, but a span found by the sweep may overtake them. Swept
 * spans are therefore held back until the queue has been consumed up to its position at the end of the sweep.
 */
#ifndef USER_CAPTURE_HOLDBACK_H
#define USER_CAPTURE_HOLDBACK_H

#include "user/capture/stream.h"

#include <stdbool.h>

struct holdback;

/* Returns NULL when there is no memory. *sink is copied. */
struct holdback *holdback_new(const struct stream_sink *sink);
void holdback_free(struct holdback *h); /* drops the spans it still holds */

struct stream_sink holdback_sink(struct holdback *h);

/* Enclose a sweep. Spans that arrive in between are held until the queue has been consumed up to `position`. */
void holdback_begin(struct holdback *h);
void holdback_end(struct holdback *h, uint64_t position);

bool holdback_has_some(const struct holdback *h);

/* Pass on the spans that waited for `position`: the queue has been consumed up to it. */
void holdback_release(struct holdback *h, uint64_t position);

#endif
