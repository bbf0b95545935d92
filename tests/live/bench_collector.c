// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench_collector FILE|memory CALLS one|many: feed drain records of CALLS spans through the collector, from the queue's
 * records to finished chunks, with the kernel's times. Prints "calls calls-per-second". The rate is per
 * second of the thread's own CPU time, user and system, so that other work on the machine has little effect.
 *
 * one: a thread calls one method as fast as it can. many: 64 threads, 1,000 methods, 10,000 stacks of 10 frames.
 * Each thread leaves its CPU once in some 250 records. The queue's memory is as large as the kernel's, and is filled
 * anew, outside of the measured time, when it has been read. libbpf is answered here (wrapped by the linker).
 */
#include "bpf/queue.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/wrap.h"
#include "user/jvm/jvm_model.h"
#include "user/capture/holdback.h"
#include "user/capture/queue.h"
#include "user/record/recorder.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define QUEUE	(64u << 20)
#define HALF	8192u /* bytes of spans in a record, half of the largest ring */
#define RECORD	(8 + sizeof(struct frt_batch) + HALF)
#define RECORDS (QUEUE / RECORD)
#define PORTION 256u /* records that one thread writes before the next one does */
#define SPANS	(HALF / FRT_RECORD_SIZE)
#define FRAMES	10
#define MEMORY	(64u << 20)

static struct {
	unsigned int threads, methods, stacks;
} load;

static struct diag d;
static struct segment segment;
static struct clock ticks;
static struct settings settings;
static struct target target;
static uint32_t method[1000], stack[10000];

static void check(int err)
{
	if (!err)
		return;
	fprintf(stderr, "bench_collector: %s\n", d.text);
	exit(1);
}

/* The queue: records as the kernel lays them out. */
static struct {
	char memory[QUEUE];
	size_t next, end;
	ring_buffer_sample_fn on_sample;
	void *context;
	/* of what is written into it */
	uint64_t now, offset[64];
	uint32_t random;
} queue;

WRAP(struct ring_buffer *, ring_buffer__new, int fd, ring_buffer_sample_fn on_sample, void *context,
     const struct ring_buffer_opts *opts)
{
	queue.on_sample = on_sample;
	queue.context = context;
	return (struct ring_buffer *)&queue;
}

WRAP(int, ring_buffer__consume, struct ring_buffer *rb)
{
	int err = 0;

	while (queue.next < queue.end && !err) {
		char *record = queue.memory + queue.next;

		queue.next += 8 + *(uint32_t *)record;
		err = queue.on_sample(queue.context, record + 8, *(uint32_t *)record);
	}
	return 0;
}

WRAP(void, ring_buffer__free, struct ring_buffer *rb)
{
}

WRAP(int, target_describe, const struct target *t, struct target_description *out, struct diag *diag)
{
	*out = (struct target_description){.jvm_name = strdup("OpenJDK")};
	return 0;
}

WRAP(int, jvm_model_version, const struct target *t, char *out, size_t size, struct diag *diag)
{
	return diag_errno(diag, EACCES, "there is no target");
}

static void *write_record(uint32_t size)
{
	char *record = queue.memory + queue.end;

	*(uint32_t *)record = size;
	queue.end += 8 + size;
	return record + 8;
}

static void write_batch(unsigned int thread)
{
	struct frt_batch *batch = write_record(sizeof(*batch) + HALF);
	struct frt_span *s = (struct frt_span *)(batch + 1);

	*batch = (struct frt_batch){.kind = FRT_BATCH, .slot = thread, .offset = queue.offset[thread], .length = HALF};
	queue.offset[thread] += HALF;
	for (unsigned int i = 0; i < SPANS; i++) {
		queue.random = queue.random * 1664525 + 1013904223;
		s[i] = (struct frt_span){.start = queue.now += 40,
					 .duration = 10 + (queue.random >> 24),
					 .method = method[(queue.random >> 8) % load.methods],
					 .stack = load.stacks ? stack[(queue.random >> 8) % load.stacks] : 0,
					 .thread = 1 + thread,
					 .kind = FRT_SPAN};
	}
	queue.now += 300;
}

static void write_wait(unsigned int thread)
{
	struct frt_wait *w = write_record(sizeof(*w));

	*w = (struct frt_wait){.kind = FRT_WAIT,
			       .thread = 1 + thread,
			       .off = queue.now + 10,
			       .wake = queue.now + 1000,
			       .on = queue.now + 2000,
			       .syscall = FRT_NO_SYSCALL,
			       .reason = FRT_WAIT_PREEMPTED};
	queue.now += 3000;
}

static void queue_fill(void)
{
	queue.next = queue.end = 0;
	for (size_t i = 0; i < RECORDS - RECORDS / PORTION - 1; i++) {
		unsigned int thread = i / PORTION % load.threads;

		if (i % PORTION == 0)
			write_wait(thread);
		write_batch(thread);
	}
}

static void make_segment(void)
{
	uint32_t class_id;
	char name[32];

	segment = fake_segment_new();
	class_id = fake_class(&segment, "com/acme/Cart", fake_loader(&segment, "com/acme/Loader", "app"),
			      FRT_CLASS_REWRITTEN);
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "m%u", i);
		method[i] = fake_method(&segment, class_id, name, "(I)V", FRT_METHOD_HOOKED);
	}
	for (unsigned int i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "worker-%u", i);
		fake_thread(&segment, 1 + i, name, "main");
	}
}

static void make_stacks(void)
{
	for (unsigned int i = 0; i < load.stacks; i++) {
		struct frt_frame frames[FRAMES];

		for (unsigned int f = 0; f < FRAMES; f++)
			frames[f] = (struct frt_frame){
				.kind = FRT_FRAME_NAMED, .code = method[(i * 7 + f) % 1000], .at = 1 + i / 1000};
		stack[i] = fake_stack(&segment, frames, FRAMES, FRT_WALK_BOTTOM, 0);
	}
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Consume as the main loop does. */
static void consume(struct queue *q, struct holdback *h, struct recorder *r)
{
	while (queue.next < queue.end) {
		recorder_read_stacks(r, false);
		queue_consume(q);
		holdback_release(h, UINT64_MAX);
		check(recorder_tick(r, &d));
	}
}

static void run(struct recorder *r, uint64_t calls)
{
	struct stream_sink to = recorder_sink(r);
	struct holdback *h = holdback_new(&to);
	struct stream_sink held = holdback_sink(h);
	struct streams *streams = calloc(1, sizeof(*streams));
	struct queue_sinks sinks = {.streams = streams, .waits = breakdown_sink(recorder_breakdown(r))};
	struct queue_maps maps = {.ring = memfd_create("positions", 0)};
	struct queue *q;
	uint64_t first;
	double spent = 0;

	streams_init(streams, &held);
	streams->rates = calloc(1, sizeof(*streams->rates));
	check(queue_open(&q, &maps, &sinks, &d));
	check(recorder_tick(r, &d));
	make_stacks();
	queue_fill(); /* not measured: the first chunk's pages are fresh */
	consume(q, h, r);
	calls += first = recorder_counts(r)->events;
	while (recorder_counts(r)->events < calls) {
		queue_fill();
		spent -= cpu_seconds();
		consume(q, h, r);
		spent += cpu_seconds();
	}
	calls = recorder_counts(r)->events - first;
	check(recorder_cut(r, &d));
	printf("%llu %.0f\n", (unsigned long long)calls, (double)calls / spent);
	queue_close(q);
	streams_release(streams);
	free(streams->rates);
	free(streams);
	holdback_free(h);
}

static int open_output(struct output **out, const char *path)
{
	struct output_limits limits = {.size = strcmp(path, "memory") ? 64ull << 30 : MEMORY};

	return limits.size == MEMORY ? output_open_memory(out, NULL, &limits, &d) : output_open(out, path, &limits, &d);
}

int main(int argc, char **argv)
{
	uint64_t calls = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
	struct recorder_setup setup = {.settings = &settings,
				       .target = &target,
				       .segment = &segment,
				       .clock = &ticks,
				       .kernel = JFR_KERNEL_WAITS};
	struct recorder *r;

	if (!calls) {
		fprintf(stderr, "usage: bench_collector FILE|memory CALLS one|many\n");
		return 2;
	}
	load.threads = strcmp(argv[3], "many") ? 1 : 64;
	load.methods = strcmp(argv[3], "many") ? 1 : 1000;
	load.stacks = strcmp(argv[3], "many") ? 0 : 10000;
	make_segment();
	queue.now = 1ull << 46;
	ticks.pair[1] = (struct clock_pair){1ULL << 62, 1LL << 62, 3};
	ticks.pairs = 2;
	check(settings_init(&settings, &d));
	settings.max_size = 64ull << 30;
	check(filter_list_add(settings.filters, "com.acme.Cart", FILTER_TRACE, &d));
	check(open_output(&setup.output, argv[1]));
	check(recorder_new(&r, &setup, &d));
	run(r, calls);
	recorder_free(r);
	output_close(setup.output);
	settings_release(&settings);
	fake_segment_free(&segment);
	return 0;
}
