// SPDX-License-Identifier: BSD-2-Clause
/*
 * A record of the queue that is being written: a program was preempted meanwhile. The queue, the sweep and the clock are
 * played by this file.
 */
#include "user/capture/intake.h"
#include "user/capture/kernel_probes.h"
#include "user/capture/roots.h"
#include "user/capture/stream.h"
#include "user/text/monotonic.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"

#include "frtrace.skel.h"

#include <time.h>

#define ROOT (2ull << FRT_ROOT_SLOT_SHIFT | 1)

/* Records of one byte each. The last one is a call of a native method in ROOT. */
static struct {
	uint64_t consumed, produced;
	uint64_t complete;    /* those before it are */
	int64_t completed_at; /* when all of them are */
	int64_t now;
	struct streams *streams;
	unsigned int calls;
} fake;

static struct intake *in;
static struct frt_header header;
static struct segment seg = {.base = (void *)&header};
static struct kernel_probes kernel;
static struct frtrace_bpf bpf;
static struct frtrace_bpf__rodata rodata;
static struct frtrace_bpf__bss bss;
static struct diag d;

WRAP(int, queue_open, struct queue **out, const struct queue_maps *maps, const struct queue_sinks *sinks,
     struct diag *unused)
{
	fake.streams = sinks->streams;
	*out = NULL;
	return 0;
}

WRAP(void, queue_close, struct queue *queue)
{
}

WRAP(int, queue_consume, struct queue *queue)
{
	struct frt_span call = {.start = 10, .duration = 1, .method = 42, .kind = FRT_SPAN};
	uint64_t end = fake.now < fake.completed_at ? fake.complete : fake.produced, n = end - fake.consumed;

	if (n && end == fake.produced)
		roots_take_native(fake.streams->roots, ROOT, 0, &call, NULL);
	fake.consumed = end;
	return n;
}

WRAP(uint64_t, queue_consumed, const struct queue *queue)
{
	return fake.consumed;
}

WRAP(uint64_t, queue_produced, const struct queue *queue)
{
	return fake.produced;
}

WRAP(uint64_t, queue_room, const struct queue *queue)
{
	return 1000 - (fake.produced - fake.consumed);
}

WRAP(uint64_t, queue_unread, struct queue *queue)
{
	return fake.produced - fake.consumed;
}

WRAP(uint64_t, queue_lost_calls, const struct queue *queue)
{
	return 0;
}

WRAP(void, queue_report_losses, struct queue *queue)
{
}

WRAP(void, sweep_begin, const struct segment *segment, struct streams *streams)
{
}

/* It finds the end of the root. */
WRAP(void, sweep, const struct segment *segment, struct streams *streams)
{
	roots_mark(streams->roots, 1, &(struct frt_root){.number = ROOT, .kind = FRT_ROOT, .flags = FRT_ROOT_DROPPED});
}

WRAP(void, sweep_finish, const struct segment *segment, struct streams *streams)
{
}

WRAP(uint32_t, bpf_map__max_entries, const struct bpf_map *map)
{
	return 1 << 20;
}

WRAP(int, bpf_map__fd, const struct bpf_map *map)
{
	return -1;
}

WRAP(int64_t, monotonic_ns, void)
{
	return fake.now;
}

WRAP(int, nanosleep, const struct timespec *time, struct timespec *rest)
{
	fake.now += time->tv_nsec;
	return 0;
}

WRAP(void, kernel_probes_flush, const struct kernel_probes *k, const struct frtrace_bpf *programs)
{
}

WRAP(void, kernel_probes_write_waits, const struct kernel_probes *k, struct frtrace_bpf *programs)
{
}

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	fake.calls += n;
}

static void on_cover(void *context, uint64_t tsc)
{
}

static int setup(void **state)
{
	struct stream_sink sink = {on_spans, on_cover, NULL};
	struct intake_setup setup = {.segment = &seg, .bpf = &bpf, .kernel = &kernel, .sink = &sink, .inside = true};

	memset(&fake, 0, sizeof(fake));
	fake.produced = 10;
	fake.complete = 4;
	bpf.rodata = &rodata;
	bpf.bss = &bss;
	if (intake_new(&in, &setup, &d))
		return -1;
	roots_expect_natives(fake.streams->roots);
	return 0;
}

static int teardown(void **state)
{
	intake_free(in);
	return 0;
}

CASE(the_end_waits_for_records_that_are_being_written, setup, teardown)
{
	fake.completed_at = 1000000000;
	intake_finish(in);
	assert_int_equal(fake.consumed, 10);
	assert_int_equal(fake.calls, 1); /* of an open root */
	assert_int_equal(intake_unread(in), 0);
}

CASE(records_that_are_never_completed_are_counted, setup, teardown)
{
	fake.completed_at = INT64_MAX;
	intake_finish(in);
	assert_int_equal(fake.consumed, 4);
	assert_int_equal(intake_unread(in), 6);
	assert_in_range(fake.now, 1000000000, 10000000000);
}

CASE(calls_behind_an_unfinished_record_find_their_root, setup, teardown)
{
	fake.completed_at = 1;
	intake_sweep(in);
	assert_int_equal(fake.consumed, 4);
	fake.now = 2;
	intake_consume(in);
	assert_int_equal(fake.consumed, 10);
	intake_finish(in);
	assert_int_equal(fake.calls, 0); /* the root was dropped */
	assert_int_equal(roots_counts(fake.streams->roots)->open, 0);
	assert_int_equal(roots_counts(fake.streams->roots)->torn, 0);
}

CASE(histories_are_kept_while_a_root_waits_for_its_tasks, setup, teardown)
{
	struct frt_root mark = {.number = 3ull << FRT_ROOT_SLOT_SHIFT | 1, .kind = FRT_ROOT, .flags = FRT_ROOT_OPEN};

	bss.wait_setup.path = 1;
	roots_mark(fake.streams->roots, 2, &mark);
	mark.flags = FRT_ROOT_UNTIL | FRT_ROOT_TASKS;
	roots_mark(fake.streams->roots, 2, &mark);
	intake_sweep(in);
	assert_int_equal(bss.paths_wanted, 0);
	intake_sweep(in);
	assert_int_equal(bss.paths_wanted, 1);
	mark.flags |= FRT_ROOT_DROPPED;
	roots_mark(fake.streams->roots, 2, &mark);
	intake_sweep(in);
	assert_int_equal(bss.paths_wanted, 0);
	bss.wait_setup.path = 0;
}

/* What the agent may claim is beyond what has landed, whether it has been consumed or not. */
CASE(room_is_given_beyond_what_has_landed, setup, teardown)
{
	assert_int_equal(header.granted[0], 990); /* from the start on */
	fake.completed_at = 1;
	header.landed = 5000;
	intake_consume(in);
	assert_int_equal(header.granted[0], 5994);
	fake.now = 2;
	intake_consume(in);
	assert_int_equal(header.granted[0], 6000);
	header.landed = 0;
}
