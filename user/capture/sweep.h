/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sweep: takes from the shared rings what no drain has taken. The owners
 * write on meanwhile, so what could have been overwritten during the copy is
 * not used.
 */
#ifndef USER_CAPTURE_SWEEP_H
#define USER_CAPTURE_SWEEP_H

#include "user/capture/stream.h"
#include "user/capture/segment.h"

/* Note where the streams stand before a recording: what lies there belongs to the last one. */
void sweep_begin(const struct segment *seg, struct streams *streams);

/*
 * Feed what lies in the rings and joins on without a gap; the queue must have been emptied just before. A pass ends with
 * SWEEP_MOST bytes, more than the agent's rings have together; the next one goes on behind it.
 */
#define SWEEP_MOST (8u << 20)
void sweep(const struct segment *seg, struct streams *streams);

/*
 * The last one: nobody writes or drains any more, what is not in a ring is lost. Rings that have more than FRT_RINGS_SIZE
 * together are forged: what is beyond that is lost, too.
 */
void sweep_finish(const struct segment *seg, struct streams *streams);

#endif
