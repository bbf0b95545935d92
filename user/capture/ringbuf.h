/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF ring buffer's reading end. */
#ifndef USER_CAPTURE_RINGBUF_H
#define USER_CAPTURE_RINGBUF_H

#include "format/diag.h"
#include "user/capture/stream.h"
#include "user/capture/kernel_sink.h"

struct queue;

/* What a queue's records go to. */
struct queue_sinks {
	struct streams *streams;
	struct wait_sink waits;
	void (*owner)(void *context, const struct frt_slot_owner *o); /* a thread got a slot; NULL: nobody wants to know */
	void *owner_context;
	const volatile uint64_t *unseen_lost; /* owners with flags that found no room; NULL: none do */
	const volatile uint64_t *waits_lost; /* records that found no room so far, counted up by the kernel; NULL: none do */
};

struct queue *queue_open(int map_fd, const struct queue_sinks *sinks, struct diag *d);
void queue_close(struct queue *q);

/* A descriptor to poll on. */
int queue_fd(const struct queue *q);

#define QUEUE_BUDGET 512 /* parts of one call: a producer that never rests must not keep us from all else */

/* Feed what is there, QUEUE_BUDGET parts at most. Returns their number. */
int queue_consume(struct queue *q);

/* Say that waits were lost, if some were since the last time: before spans are fed from elsewhere. */
void queue_tell_losses(struct queue *q);

#endif
