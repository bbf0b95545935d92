/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF ring buffer's reading end. */
#ifndef USER_CAPTURE_RINGBUF_H
#define USER_CAPTURE_RINGBUF_H

#include "format/diag.h"
#include "user/capture/stream.h"
#include "user/capture/kernel_sink.h"

struct ringbuf;

/* What a queue's records go to. */
struct ringbuf_sinks {
	struct streams *streams;
	struct kernel_sink waits;
	void (*owner)(void *context,
		      const struct frt_slot_owner *o); /* a thread got a slot; NULL: nobody wants to know */
	void *owner_context;
	const volatile uint64_t *unobserved_lost; /* owners with flags that found no room; NULL: none do */
	const volatile uint64_t
		*waits_lost; /* records that found no room so far, counted up by the kernel; NULL: none do */
};

/* 0 or -errno; then *out is NULL. */
int ringbuf_open(struct ringbuf **out, int map_fd, const struct ringbuf_sinks *sinks, struct diag *d);
void ringbuf_close(struct ringbuf *q);

/* A descriptor to poll on. */
int ringbuf_fd(const struct ringbuf *q);

#define RINGBUF_BUDGET 512 /* parts of one call: a producer that never rests must not keep us from all else */

/* Feed what is there, RINGBUF_BUDGET parts at most. Returns their number. */
int ringbuf_consume(struct ringbuf *q);

/* How many records made no sense, and were dropped. */
uint64_t ringbuf_malformed(const struct ringbuf *q);

/* Say that waits were lost, if some were since the last time: before spans are fed from elsewhere. */
void ringbuf_tell_losses(struct ringbuf *q);

#endif
