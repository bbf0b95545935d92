/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queue as perf buffers, one for each CPU (--buffer=perf): a consumer that restores the order in which the records were
 * reserved. Each record begins with the time of that (struct frt_staged in bpf/queue.h). A pass looks at what all buffers
 * contain, up to the time of the oldest record that is still being written: none from before it can arrive any more.
 * Positions in this queue are times, in ns.
 */
#ifndef USER_CAPTURE_PERFBUF_H
#define USER_CAPTURE_PERFBUF_H

#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfbuf;

struct perfbuf_setup {
	int map_fd, staging_fd; /* the BPF maps perf_queue and staging */
	int cpus;		/* number of possible ones, and of elements of the maps */
	size_t size;		/* bytes of all buffers together, at most; 0: just to try */
	/* Called for each record, which is valid until it returns; not 0: stop after this one. */
	int (*record)(void *context, void *data, size_t size);
	void *context;
};

/*
 * Open a buffer for each CPU that is online. Where the kernel does not grant as much memory, they are smaller. Returns 0, or
 * -errno with *out set to NULL.
 */
int perfbuf_open(struct perfbuf **out, const struct perfbuf_setup *setup, struct diag *d);
void perfbuf_close(struct perfbuf *p);

/* A descriptor to poll on. It is ready when a buffer has filled up by a 16th part since the last time. */
int perfbuf_fd(const struct perfbuf *p);

/*
 * Pass on the records that are there, in their order, until there are no more or the receiver stops. A record that is being
 * written holds up those behind it.
 */
void perfbuf_consume(struct perfbuf *p);

/* Number of records that have not been passed on, with those that are being written. */
uint64_t perfbuf_unread(struct perfbuf *p);

/* Number of records of that kind, one of bpf/queue.h, which the kernel did not take although there was room. */
uint64_t perfbuf_lost(const struct perfbuf *p, unsigned int kind);

/* All records from before this time have been passed on. */
uint64_t perfbuf_consumed(const struct perfbuf *p);

/* Is more than this part of a buffer in use? */
bool perfbuf_is_filled(const struct perfbuf *p, unsigned int part);

#endif
