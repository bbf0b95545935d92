// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/intake.h"
#include "user/capture/holdback.h"
#include "user/capture/kernel_probes.h"
#include "user/capture/open_calls.h"
#include "user/capture/queue.h"
#include "user/capture/roots.h"
#include "user/capture/stream.h"
#include "user/text/monotonic.h"

#include "frtrace.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

struct intake {
	const struct segment *segment;
	struct frtrace_bpf *bpf;
	struct kernel_probes *kernel;
	struct streams streams;
	struct holdback *holdback; /* for swept spans; NULL when spans are not joined with waits */
	struct queue *queue;
	uint64_t unread;
	int64_t release_due;		/* of the waits that the kernel holds back; CLOCK_MONOTONIC, ns */
	uint64_t open_before, open_now; /* start of the latest call that was open at the last sweep, and at this one */
	bool slow;			/* a call is open that was so at the last sweep */
	uint64_t waiting;		/* roots_waiting() at the last sweep */
};

#define RELEASE_NS 1000000000LL /* if there are no spans */
#define REST_NS	   2000000000LL /* for records that are being written at the end */
#define REST_LOOK  1000000L	/* ns between two looks at them */

/* With room for `size` bytes, or as many as the ring buffer has. */
static int open_queue(struct queue **out, const struct frtrace_bpf *bpf, size_t size, const struct queue_sinks *sinks,
		      struct diag *d)
{
	struct queue_maps maps = {.ring = bpf->rodata->perf_buffers ? -1 : bpf_map__fd(bpf->maps.queue),
				  .perf = bpf_map__fd(bpf->maps.perf_queue),
				  .staging = bpf_map__fd(bpf->maps.staging),
				  .cpus = bpf_map__max_entries(bpf->maps.staging),
				  .size = size};

	return queue_open(out, &maps, sinks, d);
}

int intake_try(const struct frtrace_bpf *bpf, struct diag *d)
{
	const struct queue_sinks nobody = {.streams = NULL};
	struct queue *q;
	int err = open_queue(&q, bpf, 0, &nobody, d);

	queue_close(q);
	return err;
}

void intake_touch(const struct frtrace_bpf *bpf)
{
	const struct queue_sinks nobody = {.streams = NULL};
	DECLARE_LIBBPF_OPTS(bpf_test_run_opts, options);
	int fd = bpf_program__fd(bpf->progs.queue_touch);
	struct diag none;
	struct queue *q;

	if (fd < 0 || bpf->rodata->perf_buffers || open_queue(&q, bpf, 0, &nobody, &none))
		return;
	while (!bpf_prog_test_run_opts(fd, &options) && !options.retval)
		;
	queue_consume(q);
	queue_close(q);
}

/*
 * Tell the agent how much the queue takes. What has landed is read first, so that all of it is in the queue by then, or has
 * been: what is claimed beyond that finds the room that there is now. The rest of the queue is for records of waits, for
 * threads that do not wait, and for those that have waited for too long.
 */
static void give_room(void *intake)
{
	const struct intake *in = intake;
	struct frt_header *h = segment_header(in->segment);
	uint64_t landed = __atomic_load_n(&h->landed, __ATOMIC_ACQUIRE);

	__atomic_store_n(&h->granted[in->segment->recording], landed + queue_room(in->queue), __ATOMIC_RELEASE);
}

static int open_own_queue(struct intake *in, const struct intake_setup *setup, struct diag *d)
{
	struct queue_sinks sinks = {.streams = &in->streams,
				    .waits = setup->waits,
				    .owner = in->kernel->count ? kernel_probes_map_slot : NULL,
				    .owner_context = in->kernel,
				    .step = give_room,
				    .step_context = in,
				    .take = setup->take,
				    .take_context = setup->take_context,
				    .unobserved_lost = (uint64_t *)&in->bpf->bss->unobserved_lost,
				    .waits_lost = (uint64_t *)&in->bpf->bss->waits_lost};

	return open_queue(&in->queue, in->bpf, bpf_map__max_entries(in->bpf->maps.queue), &sinks, d);
}

int intake_new(struct intake **out, const struct intake_setup *setup, struct diag *d)
{
	struct intake *in = calloc(1, sizeof(*in));
	struct stream_sink sink = *setup->sink;
	int err;

	*out = NULL;
	if (!in)
		return diag_errno(d, ENOMEM, "cannot make room for spans");
	in->segment = setup->segment;
	in->bpf = setup->bpf;
	in->kernel = setup->kernel;
	if (setup->waits.wait) {
		in->holdback = holdback_new(&sink);
		if (!in->holdback) {
			free(in);
			return diag_errno(d, ENOMEM, "cannot make room for spans");
		}
		sink = holdback_sink(in->holdback);
	}
	streams_init(&in->streams, &sink);
	in->streams.rates = setup->rates;
	in->streams.allocated = setup->allocated;
	if (setup->inside && !(in->streams.roots = roots_new(&sink, ROOTS_LIMIT))) {
		intake_free(in);
		return diag_errno(d, ENOMEM, "cannot make room for spans");
	}
	sweep_begin(in->segment, &in->streams);
	err = open_own_queue(in, setup, d);
	if (err) {
		intake_free(in);
		return err;
	}
	give_room(in);
	*out = in;
	return 0;
}

void intake_free(struct intake *in)
{
	if (!in)
		return;
	holdback_free(in->holdback);
	queue_close(in->queue);
	roots_free(in->streams.roots);
	streams_release(&in->streams);
	free(in);
}

void intake_begin(struct intake *in)
{
	in->streams.not_ours = FRT_SPAN_NOT(in->segment->recording);
	in->streams.recording = in->segment->recording;
	in->streams.since = segment_recording(in->segment)->since;
}

int intake_fd(const struct intake *in)
{
	return queue_fd(in->queue);
}

int intake_consume(struct intake *in)
{
	int records = queue_consume(in->queue);

	give_room(in);
	if (in->holdback)
		holdback_release(in->holdback, queue_consumed(in->queue));
	if (in->streams.roots)
		roots_release(in->streams.roots, queue_consumed(in->queue));
	return records;
}

bool intake_is_filling(const struct intake *in)
{
	return queue_is_filled(in->queue, 32);
}

bool intake_is_pressed(const struct intake *in)
{
	return queue_is_filled(in->queue, 2);
}

/* Returns false if a record before that position is still being written. */
static bool consume_up_to(struct intake *in, uint64_t end)
{
	while (queue_consumed(in->queue) < end && intake_consume(in))
		;
	return queue_consumed(in->queue) >= end;
}

/* Threads with open calls continue to fill it. */
void intake_drain(struct intake *in)
{
	consume_up_to(in, queue_produced(in->queue));
}

/* The same, but wait for records that are being written: a program at a uprobe may be preempted, for a time slice or more. */
static void consume_rest(struct intake *in)
{
	const struct timespec look = {.tv_nsec = REST_LOOK};
	uint64_t end = queue_produced(in->queue);
	int64_t until = monotonic_ns() + REST_NS;
	bool done = consume_up_to(in, end);

	while (!done && monotonic_ns() < until) {
		nanosleep(&look, NULL);
		done = consume_up_to(in, end);
	}
	if (!done)
		in->unread = queue_unread(in->queue);
}

bool intake_has_pending(const struct intake *in)
{
	return in->holdback && holdback_has_some(in->holdback);
}

void intake_release_waits(struct intake *in)
{
	kernel_probes_release_waits(in->kernel, in->bpf);
}

/* Spans that have been swept need waits that the kernel still holds back. */
static void intake_release_own_waits(struct intake *in)
{
	int64_t now = monotonic_ns();

	if (!intake_has_pending(in) && now < in->release_due)
		return;
	intake_release_waits(in);
	in->release_due = now + RELEASE_NS;
}

static void intake_note_open(void *context, const struct open_call *call)
{
	struct intake *in = context;

	in->slow |= call->start <= in->open_before;
	in->open_now = call->start > in->open_now ? call->start : in->open_now;
}

/* Does a root wait for its tasks that did so at the last sweep? */
static bool intake_root_waits(struct intake *in)
{
	uint64_t before = in->waiting;

	in->waiting = in->streams.roots ? roots_waiting(in->streams.roots) : 0;
	return in->waiting && in->waiting == before;
}

/* A call that is open at two sweeps may become a slow one, so its path will be asked for. With its tasks, so may a root. */
static void intake_watch_calls(struct intake *in)
{
	if (!in->bpf->bss->wait_setup.path)
		return;
	in->slow = intake_root_waits(in);
	in->open_now = 0;
	open_calls_each(in->segment, NULL, intake_note_open, in);
	in->open_before = in->open_now;
	in->bpf->bss->paths_wanted = in->slow;
}

/* Swept spans wait only for what the queue contains at the end of the sweep. */
static void intake_settle(struct intake *in)
{
	kernel_probes_flush(in->kernel, in->bpf);
	intake_release_own_waits(in);
	holdback_end(in->holdback, queue_produced(in->queue));
	while (intake_has_pending(in) && intake_consume(in))
		;
}

void intake_sweep(struct intake *in)
{
	queue_report_losses(in->queue);
	if (in->holdback)
		holdback_begin(in->holdback);
	if (in->streams.roots)
		roots_begin_sweep(in->streams.roots);
	sweep(in->segment, &in->streams);
	intake_watch_calls(in);
	if (in->streams.roots)
		roots_end_sweep(in->streams.roots, queue_produced(in->queue));
	if (in->holdback)
		intake_settle(in);
	if (in->streams.roots && roots_have_ended(in->streams.roots))
		intake_drain(in);
}

void intake_catch_up(struct intake *in)
{
	intake_drain(in); /* ring contents behind unread records are not swept */
	intake_sweep(in);
	intake_drain(in);
}

void intake_take_waits(struct intake *in)
{
	kernel_probes_write_waits(in->kernel, in->bpf);
	intake_drain(in);
}

void intake_finish(struct intake *in)
{
	kernel_probes_flush(in->kernel, in->bpf);
	kernel_probes_write_waits(in->kernel, in->bpf); /* detaching the programs later may take seconds */
	consume_rest(in);
	queue_report_losses(in->queue);
	if (in->holdback)
		holdback_release(in->holdback, UINT64_MAX);
	sweep_finish(in->segment, &in->streams);
	if (in->streams.roots)
		roots_finish(in->streams.roots);
}

const struct streams *intake_streams(const struct intake *in)
{
	return &in->streams;
}

struct streams *intake_feed(struct intake *in)
{
	return &in->streams;
}

uint64_t intake_malformed(const struct intake *in)
{
	return queue_malformed(in->queue);
}

uint64_t intake_unread(const struct intake *in)
{
	return in->unread + queue_lost_calls(in->queue);
}

uint64_t intake_waits_lost(const struct intake *in)
{
	return in->bpf->bss->waits_lost + queue_lost_waits(in->queue);
}

void intake_drops(const struct intake *in, uint64_t drops[FRT_DROP_REASONS])
{
	int cpus = libbpf_num_possible_cpus();
	uint64_t *values = cpus > 0 ? calloc(cpus, sizeof(*values)) : NULL;

	for (uint32_t key = 0; key < FRT_DROP_REASONS; key++) {
		drops[key] = 0;
		if (!values || bpf_map_lookup_elem(bpf_map__fd(in->bpf->maps.drops), &key, values))
			continue;
		for (int i = 0; i < cpus; i++)
			drops[key] += values[i];
	}
	free(values);
}
