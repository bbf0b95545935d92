// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench_writer FILE EVENTS: write MethodTrace events of 1,000 methods with 10,000 stacks in 64 threads to FILE, in
 * chunks of 12 MB, keeping the last 100 MB. Prints "events events-per-second bytes-per-event". The rate is per second
 * of the thread's own CPU time, user and system, so that other work on the machine has little effect.
 */
#include "format/jfr/jfr_write.h"
#include "user/record/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define METHODS	   1000
#define STACKS	   10000
#define THREADS	   64
#define FRAMES	   10
#define CHUNK_SIZE (12u << 20)

static uint64_t methods[METHODS], stacks[STACKS], threads[THREADS], bytes_written;
static struct diag d;

static void check(int err)
{
	if (!err)
		return;
	fprintf(stderr, "bench_writer: %s\n", d.text);
	exit(1);
}

static void make_methods(struct jfr_writer *w)
{
	struct jfr_loader_constant app = {.name = "app"};
	struct jfr_class_constant c = {.name = "com/acme/Cart", .loader = jfr_loader(w, &app)};
	uint64_t class_key = jfr_class(w, &c);
	char name[16];

	for (int i = 0; i < METHODS; i++) {
		struct jfr_method_constant m = {.class_key = class_key, .name = name, .descriptor = "(I)V"};

		snprintf(name, sizeof(name), "m%d", i);
		methods[i] = jfr_method(w, &m);
	}
}

static void make_stacks(struct jfr_writer *w)
{
	for (int i = 0; i < STACKS; i++) {
		struct jfr_frame frames[FRAMES];

		for (int f = 0; f < FRAMES; f++)
			frames[f] =
				(struct jfr_frame){methods[(i * 7 + f) % METHODS], i / METHODS + f, f, JFR_FRAME_JIT};
		stacks[i] = jfr_stack(w, frames, FRAMES, false);
	}
}

static void make_threads(struct jfr_writer *w)
{
	char name[16];

	for (int i = 0; i < THREADS; i++) {
		struct jfr_thread_constant t = {.name = name, .os_id = 1000 + i, .java_id = 30 + i};

		snprintf(name, sizeof(name), "worker-%d", i);
		threads[i] = jfr_thread(w, &t);
	}
}

static void finish(struct jfr_writer *w, struct output *o, int64_t now)
{
	const void *bytes;
	size_t size;

	check(jfr_chunk_finish(w, now, false, &bytes, &size, &d));
	check(output_append(o, bytes, size, &d));
	bytes_written += size;
}

static void write_events(struct jfr_writer *w, struct output *o, int64_t start, uint64_t count)
{
	uint32_t random = 1;
	int64_t now = start;

	check(jfr_chunk_begin(w, now, &d));
	for (uint64_t i = 0; i < count; i++) {
		struct jfr_method_trace e = {.start = now += 90, .thread = threads[i / 128 % THREADS]};

		random = random * 1664525 + 1013904223;
		e.stack = stacks[(random >> 8) % STACKS];
		e.method = methods[(random >> 8) % METHODS];
		e.duration = 200 + (random >> 20);
		jfr_method_trace(w, &e);
		if (i % 128 == 0 && jfr_chunk_size(w) >= CHUNK_SIZE) {
			finish(w, o, now);
			check(jfr_chunk_begin(w, now, &d));
		}
	}
	finish(w, o, now);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct jfr_origin origin = {
		.start_ticks = 1000000000000000, .start_nanos = 1700000000000000000, .locale = "en_US"};
	struct output_limits limits = {.size = 100u << 20};
	uint64_t count = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	struct jfr_writer *w;
	struct output *o;
	double begin;

	if (!count) {
		fprintf(stderr, "usage: bench_writer FILE EVENTS\n");
		return 2;
	}
	check(jfr_writer_new(&w, &origin, &d));
	check(output_open(&o, argv[1], &limits, &d));
	make_methods(w);
	make_stacks(w);
	make_threads(w);
	begin = cpu_seconds();
	write_events(w, o, origin.start_ticks, count);
	printf("%lu %.0f %.1f\n", count, count / (cpu_seconds() - begin), bytes_written / (double)count);
	output_close(o);
	jfr_writer_free(w);
	return 0;
}
