/* SPDX-License-Identifier: BSD-2-Clause */
/* The consumer of the BPF ring buffer. */
#ifndef USER_CAPTURE_RINGBUF_H
#define USER_CAPTURE_RINGBUF_H

#include "format/diag.h"
#include "user/capture/stream.h"
#include "user/capture/kernel_sink.h"
#include "user/capture/natives.h"

struct ringbuf;

/* Receivers of the records. */
struct ringbuf_sinks {
	struct streams *streams;
	struct kernel_sink waits;
	/* Called for each thread that gets a slot; may be NULL. */
	void (*owner)(void *context, const struct frt_slot_owner *o);
	void *owner_context;
	/* Traced native methods; NULL: there are none. */
	struct natives *natives;
	/* Receives the records of HotSpot's own probes (bpf/probes.h); false: malformed. NULL: there are none. */
	bool (*probe)(void *context, const void *record, size_t size);
	void *probe_context;
	/* Number of dropped owner records with flags; may be NULL. */
	const volatile uint64_t *unobserved_lost;
	/* Number of dropped wait records, counted by the kernel; may be NULL. */
	const volatile uint64_t *waits_lost;
};

/* Returns 0, or -errno with *out set to NULL. *sinks is copied. */
int ringbuf_open(struct ringbuf **out, int map_fd, const struct ringbuf_sinks *sinks, struct diag *d);
void ringbuf_close(struct ringbuf *q);

/* A descriptor to poll on. */
int ringbuf_fd(const struct ringbuf *q);

#define RINGBUF_BUDGET 512 /* records per call: a busy producer must not starve our other work */

/* Feed the records that are there, at most RINGBUF_BUDGET. Returns their number. */
int ringbuf_consume(struct ringbuf *q);

/* Number of malformed records, which were dropped. */
uint64_t ringbuf_malformed(const struct ringbuf *q);

/* Report losses of waits since the last report to the sink; call before spans are fed from elsewhere. */
void ringbuf_report_losses(struct ringbuf *q);

#endif
