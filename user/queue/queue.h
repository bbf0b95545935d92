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

/* Feed all that is there. Returns the number of parts. */
int queue_consume(struct queue *q);

#endif
