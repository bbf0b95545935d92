/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sweep takes spans from the shared rings that no drain has taken. The threads continue to write meanwhile, so
 * data that could have been overwritten during the copy is not used.
 */
#ifndef USER_CAPTURE_SWEEP_H
#define USER_CAPTURE_SWEEP_H

#include "user/capture/stream.h"
#include "user/segment/segment.h"

/* Note the positions of the streams before a recording: what the rings contain belongs to the previous one. */
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
