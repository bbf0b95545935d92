// SPDX-License-Identifier: BSD-2-Clause
#include "user/queue/queue.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

struct queue {
	struct ring_buffer *rb;
	struct streams *streams;
	unsigned long malformed;
	int parts; /* of this call */
};

static int on_record(void *context, void *data, size_t size)
{
	struct queue *q = context;
	const struct frt_part *part = data;

	if (size < sizeof(*part) || part->kind != FRT_PART || part->length > size - sizeof(*part))
		q->malformed++;
	else
		streams_feed(q->streams, part->slot, part->offset, part + 1, part->length);
	return ++q->parts < QUEUE_BUDGET ? 0 : -EAGAIN; /* this one is done in any case */
}

struct queue *queue_open(int map_fd, struct streams *streams, struct diag *d)
{
	struct queue *q = calloc(1, sizeof(*q));

	if (!q) {
		diag_errno(d, ENOMEM, "cannot open the queue");
		return NULL;
	}
	q->streams = streams;
	q->rb = ring_buffer__new(map_fd, on_record, q, NULL);
	if (!q->rb) {
		diag_errno(d, errno, "cannot map the BPF ring buffer");
		queue_close(q);
		return NULL;
	}
	return q;
}

void queue_close(struct queue *q)
{
	if (!q)
		return;
	ring_buffer__free(q->rb);
	free(q);
}

int queue_fd(const struct queue *q)
{
	return ring_buffer__epoll_fd(q->rb);
}

int queue_consume(struct queue *q)
{
	q->parts = 0;
	ring_buffer__consume(q->rb);
	return q->parts;
}

void queue_empty(struct queue *q)
{
	while (queue_consume(q))
		;
}
