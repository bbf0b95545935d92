// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/queue.h"
#include "user/capture/perfbuf.h"
#include "user/text/monotonic.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct queue {
	struct perfbuf *perf; /* NULL: it is the ring buffer */
	struct ring_buffer *rb;
	int ring_fd;
	const uint64_t *consumed, *produced; /* mapped: bytes since its creation */
	size_t size;
	struct queue_sinks sinks;
	uint64_t waits_lost, unobserved_lost; /* losses reported so far */
	uint64_t malformed;
	int records; /* in this queue_consume() */
};

static void report_unobserved(struct queue *q)
{
	uint64_t lost = q->sinks.unobserved_lost ? *q->sinks.unobserved_lost : 0;

	if (lost == q->unobserved_lost)
		return;
	q->unobserved_lost = lost;
	if (q->sinks.waits.unobserved)
		q->sinks.waits.unobserved(q->sinks.waits.context, NULL);
}

static uint64_t queue_lost(const struct queue *q, const uint32_t *kinds, size_t n)
{
	uint64_t lost = 0;

	for (size_t i = 0; q->perf && i < n; i++)
		lost += perfbuf_lost(q->perf, kinds[i]);
	return lost;
}

uint64_t queue_lost_waits(const struct queue *q)
{
	static const uint32_t kinds[] = {FRT_WAIT,  FRT_WAITS, FRT_BRIEFS,	 FRT_WAKER,
					 FRT_PAUSE, FRT_OWNER, FRT_THREAD_USAGE, FRT_RESUMED};

	return queue_lost(q, kinds, sizeof(kinds) / sizeof(kinds[0]));
}

uint64_t queue_lost_calls(const struct queue *q)
{
	static const uint32_t kinds[] = {FRT_NATIVE_CALL, FRT_NATIVE_OPEN, FRT_PROBE_CALL, FRT_PROBE_OPEN};

	return queue_lost(q, kinds, sizeof(kinds) / sizeof(kinds[0]));
}

void queue_report_losses(struct queue *q)
{
	uint64_t lost = (q->sinks.waits_lost ? *q->sinks.waits_lost : 0) + queue_lost_waits(q);

	report_unobserved(q);
	if (lost == q->waits_lost)
		return;
	q->waits_lost = lost;
	if (q->sinks.waits.lost)
		q->sinks.waits.lost(q->sinks.waits.context);
}

static bool on_batch_record(struct queue *q, const struct frt_batch *batch, size_t size)
{
	if (size < sizeof(*batch) || batch->length > size - sizeof(*batch))
		return false;
	streams_feed(q->sinks.streams, batch->slot, batch->offset, batch + 1, batch->length);
	return true;
}

static bool on_wait_record(struct queue *q, const struct frt_wait *w, size_t size)
{
	const struct kernel_sink *to = &q->sinks.waits;
	const struct frt_native_wait *l = (const struct frt_native_wait *)w;
	struct wait_stack_ids ids = {0};

	if (size < sizeof(*w))
		return false;
	if (to->stacks && size >= sizeof(l->wait))
		copied_stacks_take_wait(to->stacks, &l->wait, size >= sizeof(*l) ? &l->native : NULL, &ids);
	if (to->wait)
		to->wait(to->context, w, &ids);
	return true;
}

/* Those that the kernel had held back. */
static bool on_waits_record(struct queue *q, const struct frt_waits *r, size_t size)
{
	const struct frt_long_waits *l = (const struct frt_long_waits *)r;
	size_t with_stacks = size >= sizeof(*l) ? r->long_wait : 0;

	if (size < sizeof(*r) || r->count > FRT_HELD_WAITS)
		return false;
	for (size_t i = 0; i < r->count; i++) {
		if (i + 1 == with_stacks) /* with the native part behind it */
			on_wait_record(q, &l->with_stacks.wait, size - offsetof(struct frt_long_waits, with_stacks));
		else
			on_wait_record(q, &r->wait[i], sizeof(r->wait[i]));
	}
	return true;
}

static void on_brief(struct queue *q, uint32_t thread, const struct frt_brief *b)
{
	struct frt_wait w = {.kind = FRT_WAIT,
			     .thread = thread,
			     .off = b->off,
			     .wake = b->off + b->blocked,
			     .on = b->off + b->blocked + b->ready,
			     .waker = b->waker,
			     .waker_origin = b->waker_origin,
			     .syscall = b->syscall,
			     .reason = b->reason,
			     .flags = b->flags,
			     .resource = b->resource};

	memcpy(w.waker_name, b->waker_name, sizeof(w.waker_name));
	on_wait_record(q, &w, sizeof(w));
}

static bool on_briefs_record(struct queue *q, const struct frt_all_briefs *r, size_t size)
{
	size_t places = size >= sizeof(*r) ? FRT_BRIEF_PLACES : FRT_FEW_BRIEFS;
	const struct frt_briefs *b = &r->briefs;
	struct frt_wait forgotten = {
		.kind = FRT_WAIT, .thread = b->thread, .reason = FRT_WAIT_OTHER, .flags = FRT_WAIT_FORGOTTEN};

	if (size < sizeof(struct frt_few_briefs) || b->count > places || b->first >= places)
		return false;
	if (b->lost && b->count) {
		forgotten.off = b->lost;
		forgotten.wake = forgotten.on = r->wait[b->first].off;
		on_wait_record(q, &forgotten, sizeof(forgotten));
	}
	for (size_t i = 0; i < b->count; i++)
		on_brief(q, b->thread, &r->wait[(b->first + i) % places]);
	return true;
}

/* Are the sizes of the copy behind the record right? */
static bool has_copy(const struct frt_waker *w, size_t size)
{
	size_t copied = size < sizeof(*w) ? 0 : size - sizeof(*w);

	if (size < sizeof(*w) || w->low_size > copied)
		return false;
	return !w->high_size ||
	       (w->low_size <= FRT_WAKER_LOW && copied >= FRT_WAKER_LOW && w->high_size <= copied - FRT_WAKER_LOW);
}

static bool on_waker_record(struct queue *q, const struct frt_waker *w, size_t size)
{
	if (!has_copy(w, size))
		return false;
	if (q->sinks.waits.stacks)
		copied_stacks_take_waker(q->sinks.waits.stacks, w);
	return true;
}

static bool on_resource_record(struct queue *q, const struct frt_resource *r, size_t size)
{
	if (size < sizeof(*r) || r->size > size - sizeof(*r))
		return false;
	if (q->sinks.waits.resource)
		q->sinks.waits.resource(q->sinks.waits.context, r);
	return true;
}

static bool on_sample_record(struct queue *q, const struct frt_waker *w, size_t size)
{
	const struct kernel_sink *to = &q->sinks.waits;

	if (!has_copy(w, size))
		return false;
	if (to->sample && to->stacks)
		to->sample(to->context, w, copied_stacks_take_sample(to->stacks, w));
	return true;
}

static bool on_pause_record(struct queue *q, const struct frt_pause *p, size_t size)
{
	if (size < sizeof(*p))
		return false;
	if (q->sinks.waits.pause)
		q->sinks.waits.pause(q->sinks.waits.context, p);
	return true;
}

static bool on_resumed_record(struct queue *q, const struct frt_resumed *r, size_t size)
{
	if (size < sizeof(*r))
		return false;
	if (q->sinks.waits.resumed)
		q->sinks.waits.resumed(q->sinks.waits.context, r);
	return true;
}

static bool on_usage_record(struct queue *q, const struct frt_thread_usage *u, size_t size)
{
	if (size < sizeof(*u))
		return false;
	if (q->sinks.waits.usage)
		q->sinks.waits.usage(q->sinks.waits.context, u);
	return true;
}

static bool on_owner_record(struct queue *q, const struct frt_slot_owner *o, size_t size)
{
	if (size < sizeof(*o))
		return false;
	if (!o->flags && q->sinks.owner)
		q->sinks.owner(q->sinks.owner_context, o);
	if (q->sinks.waits.owner)
		q->sinks.waits.owner(q->sinks.waits.context, o);
	if (o->flags && q->sinks.waits.unobserved)
		q->sinks.waits.unobserved(q->sinks.waits.context, o);
	return true;
}

/* False: unknown or malformed record. */
static bool dispatch_record(struct queue *q, const void *record, size_t size)
{
	switch (size < sizeof(uint32_t) ? 0 : *(const uint32_t *)record) {
	case FRT_BATCH: return on_batch_record(q, record, size);
	case FRT_WAIT: return on_wait_record(q, record, size);
	case FRT_WAITS: return on_waits_record(q, record, size);
	case FRT_BRIEFS: return on_briefs_record(q, record, size);
	case FRT_WAKER: return on_waker_record(q, record, size);
	case FRT_RESOURCE: return on_resource_record(q, record, size);
	case FRT_SAMPLE: return on_sample_record(q, record, size);
	case FRT_PAUSE: return on_pause_record(q, record, size);
	case FRT_THREAD_USAGE: return on_usage_record(q, record, size);
	case FRT_RESUMED: return on_resumed_record(q, record, size);
	case FRT_OWNER: return on_owner_record(q, record, size);
	default: return size >= sizeof(uint32_t) && q->sinks.take && q->sinks.take(q->sinks.take_context, record, size);
	}
}

static int on_record(void *context, void *data, size_t size)
{
	struct queue *q = context;

	queue_report_losses(q);
	if (!dispatch_record(q, data, size))
		q->malformed++;
	q->records++;
	if (q->sinks.step && q->records % QUEUE_STEP == 0)
		q->sinks.step(q->sinks.step_context);
	return q->records < QUEUE_BUDGET ? 0 : -EAGAIN; /* the present record is consumed in any case */
}

static const uint64_t *map_page(int fd, long number)
{
	long size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, number * size);

	return page == MAP_FAILED ? NULL : page;
}

static void unmap_page(const uint64_t *page)
{
	if (page)
		munmap((void *)page, sysconf(_SC_PAGESIZE));
}

/*
 * The positions are the first word of the second and of the first page (Documentation/bpf/ringbuf.rst of the kernel). A
 * record that is being written counts as produced.
 */
static int open_ring(struct queue *q, int map_fd, struct diag *d)
{
	q->ring_fd = map_fd;
	q->rb = ring_buffer__new(map_fd, on_record, q, NULL);
	if (!q->rb)
		return diag_errno(d, errno, "cannot map the BPF ring buffer");
	q->consumed = map_page(map_fd, 0);
	q->produced = q->consumed ? map_page(map_fd, 1) : NULL;
	return q->produced ? 0 : diag_errno(d, errno, "cannot map the positions of the BPF ring buffer");
}

static int open_perf(struct queue *q, const struct queue_maps *maps, struct diag *d)
{
	struct perfbuf_setup setup = {.map_fd = maps->perf,
				      .staging_fd = maps->staging,
				      .cpus = maps->cpus,
				      .size = maps->size,
				      .record = on_record,
				      .context = q};

	return perfbuf_open(&q->perf, &setup, d);
}

int queue_open(struct queue **out, const struct queue_maps *maps, const struct queue_sinks *sinks, struct diag *d)
{
	struct queue *q = calloc(1, sizeof(*q));
	int err;

	*out = NULL;
	if (!q)
		return diag_errno(d, ENOMEM, "cannot open the queue");
	q->sinks = *sinks;
	q->size = maps->size;
	err = maps->ring < 0 ? open_perf(q, maps, d) : open_ring(q, maps->ring, d);
	if (err)
		queue_close(q);
	else
		*out = q;
	return err;
}

void queue_close(struct queue *q)
{
	if (!q)
		return;
	perfbuf_close(q->perf);
	unmap_page(q->consumed);
	unmap_page(q->produced);
	ring_buffer__free(q->rb);
	free(q);
}

uint64_t queue_consumed(const struct queue *q)
{
	return q->perf ? perfbuf_consumed(q->perf) : __atomic_load_n(q->consumed, __ATOMIC_ACQUIRE);
}

uint64_t queue_produced(const struct queue *q)
{
	return q->perf ? (uint64_t)monotonic_ns() : __atomic_load_n(q->produced, __ATOMIC_ACQUIRE);
}

/*
 * The records are in the third page and those behind it, each with a header of 8 bytes in front, which begins with its
 * length and two flags, and padded to a multiple of 8 bytes.
 */
static uint64_t ring_unread(const struct queue *q)
{
	const uint8_t *data = mmap(NULL, q->size, PROT_READ, MAP_SHARED, q->ring_fd, 2 * sysconf(_SC_PAGESIZE));
	uint64_t end = queue_produced(q), count = 0;
	uint32_t header;

	if (data == MAP_FAILED)
		return queue_consumed(q) < end;
	for (uint64_t at = queue_consumed(q); at < end;) {
		header = __atomic_load_n((const uint32_t *)(data + at % q->size), __ATOMIC_ACQUIRE);
		count += !(header & BPF_RINGBUF_DISCARD_BIT);
		header &= ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		at += (header + BPF_RINGBUF_HDR_SZ + 7) & ~7u;
	}
	munmap((void *)data, q->size);
	return count;
}

uint64_t queue_unread(struct queue *q)
{
	return q->perf ? perfbuf_unread(q->perf) : ring_unread(q);
}

int queue_fd(const struct queue *q)
{
	return q->perf ? perfbuf_fd(q->perf) : ring_buffer__epoll_fd(q->rb);
}

uint64_t queue_malformed(const struct queue *q)
{
	return q->malformed;
}

int queue_consume(struct queue *q)
{
	q->records = 0;
	if (q->perf)
		perfbuf_consume(q->perf);
	else
		ring_buffer__consume(q->rb);
	return q->records;
}

uint64_t queue_room(const struct queue *q)
{
	uint64_t most = q->size / 4 * 3, used = q->perf ? most : queue_produced(q) - queue_consumed(q);

	return used < most ? most - used : 0;
}

bool queue_is_filled(const struct queue *q, unsigned int part)
{
	return q->perf ? perfbuf_is_filled(q->perf, part) : queue_produced(q) - queue_consumed(q) > q->size / part;
}
