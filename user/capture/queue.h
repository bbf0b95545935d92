/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer of the queue, where the kernel's programs put their records: a BPF ring buffer, or perf buffers
 * (perfbuf.h).
 */
#ifndef USER_CAPTURE_QUEUE_H
#define USER_CAPTURE_QUEUE_H

#include "format/diag.h"
#include "user/capture/stream.h"
#include "user/capture/kernel_sink.h"

struct queue;

/* Receivers of the records. */
struct queue_sinks {
	struct streams *streams;
	struct kernel_sink waits;
	/* Called for each thread that gets a slot; may be NULL. */
	void (*owner)(void *context, const struct frt_slot_owner *o);
	void *owner_context;
	/* Receives the records of native methods and of HotSpot's own probes; false: malformed. NULL: there are none. */
	bool (*take)(void *context, const void *record, size_t size);
	void *take_context;
	/* Called each QUEUE_STEP records, so that who waits for room does not wait for the rest of QUEUE_BUDGET; may be NULL. */
	void (*step)(void *context);
	void *step_context;
	/* Number of dropped owner records with flags; may be NULL. */
	const volatile uint64_t *unobserved_lost;
	/* Number of dropped wait records, counted by the programs; may be NULL. */
	const volatile uint64_t *waits_lost;
};

/* What the programs write to, as descriptors of BPF maps. */
struct queue_maps {
	int ring;	   /* the BPF ring buffer, or -1 and: */
	int perf, staging; /* perf_queue and staging of bpf/maps.bpf.h */
	int cpus;	   /* elements of these */
	size_t size;	   /* bytes that it holds */
};

/* Returns 0, or -errno with *out set to NULL. *sinks is copied. */
int queue_open(struct queue **out, const struct queue_maps *maps, const struct queue_sinks *sinks, struct diag *d);
void queue_close(struct queue *q);

/* A descriptor to poll on. */
int queue_fd(const struct queue *q);

#define QUEUE_STEP   16
#define QUEUE_BUDGET 512 /* records per call: a busy producer must not starve our other work */

/* Feed the records that are there, at most QUEUE_BUDGET. Returns their number. */
int queue_consume(struct queue *q);

/*
 * Positions in the queue, which only grow: it has been consumed up to queue_consumed(), and what it contains now is before
 * queue_produced(). They are bytes, or with perf buffers ns.
 */
uint64_t queue_consumed(const struct queue *q);
uint64_t queue_produced(const struct queue *q);

/* Bytes that may still be put into it before more than three quarters are in use; 0 with perf buffers, which do not know. */
uint64_t queue_room(const struct queue *q);

/* Is more than this part of it in use, as 2 for a half? */
bool queue_is_filled(const struct queue *q, unsigned int part);

/* Number of lost records which their programs do not know of: perf buffers have not taken them. */
uint64_t queue_lost_waits(const struct queue *q); /* and pauses, usage, owners of slots: all about waits */
uint64_t queue_lost_calls(const struct queue *q); /* of native methods, and those of HotSpot's own probes */

/* Number of records that have not been consumed, with those that are being written; about, while more are written. */
uint64_t queue_unread(struct queue *q);

/* Number of malformed records, which were dropped. */
uint64_t queue_malformed(const struct queue *q);

/* Report losses of waits since the last report to the sink; call before spans are fed from elsewhere. */
void queue_report_losses(struct queue *q);

#endif
