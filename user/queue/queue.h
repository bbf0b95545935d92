/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF ring buffer's reading end. */
#ifndef USER_QUEUE_QUEUE_H
#define USER_QUEUE_QUEUE_H

#include "format/diag.h"
#include "user/queue/stream.h"

struct queue;

struct queue *queue_open(int map_fd, struct streams *streams, struct diag *d);
void queue_close(struct queue *q);

/* A descriptor to poll on. */
int queue_fd(const struct queue *q);

#define QUEUE_BUDGET 512 /* parts of one call: a producer that never rests must not keep us from all else */

/* Feed what is there, QUEUE_BUDGET parts at most. Returns their number. */
int queue_consume(struct queue *q);

/* Feed all that is there, when nobody adds to it any more. */
void queue_empty(struct queue *q);

#endif
