// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench_export FILE CALLS: write a recording of CALLS calls of 10 methods in 16 threads: pairs of a call and one inside
 * it. One pair in 20 waits for another thread. For scripts/bench-export.
 */
#include "format/jfr/jfr_write.h"

#include <stdio.h>
#include <stdlib.h>

#define METHODS	    10
#define THREADS	    16
#define STACKS	    100
#define FRAMES	    30
#define CHUNK_SIZE  (12u << 20)
#define START_NANOS 1700000000000000000ll
#define START_TICKS 1000000000000ll
#define LENGTH	    60000 /* ns of an outer call, and of the time between two */

static uint64_t methods[METHODS], threads[THREADS], stacks[STACKS];
static struct diag d;

static void make_constants(struct jfr_writer *w)
{
	uint64_t class_key = jfr_class(w, &(struct jfr_class_constant){.name = "com/acme/Cart"});
	struct jfr_frame frames[FRAMES];
	char name[32];

	for (int i = 0; i < METHODS; i++) {
		snprintf(name, sizeof(name), "step%d", i);
		methods[i] = jfr_method(w, &(struct jfr_method_constant){class_key, name, "(I)V", 1, false});
	}
	for (int i = 0; i < THREADS; i++) {
		snprintf(name, sizeof(name), "http-nio-8080-exec-%d", i);
		threads[i] =
			jfr_thread(w, &(struct jfr_thread_constant){
					      .name = name, .group = "main", .os_id = 4000 + i, .java_id = 20 + i});
	}
	for (int i = 0; i < STACKS; i++) {
		for (int f = 0; f < FRAMES; f++)
			frames[f] = (struct jfr_frame){methods[(i + f) % METHODS], i + f, f, JFR_FRAME_JIT};
		stacks[i] = jfr_stack(w, frames, FRAMES, false);
	}
}

static void put_pair(struct jfr_writer *w, uint64_t n)
{
	int thread = n % THREADS;
	int64_t start = START_TICKS + (int64_t)(n / THREADS) * 2 * LENGTH + rand() % 1000;
	int64_t waited = n % 20 ? 0 : LENGTH / 2;
	struct jfr_method_trace inner = {.start = start + 5000,
					 .duration = LENGTH - 10000,
					 .thread = threads[thread],
					 .stack = stacks[n % STACKS],
					 .method = methods[n % METHODS],
					 .cpu = LENGTH - 10000 - waited,
					 .blocked = waited};
	struct jfr_method_trace outer = inner;

	outer.start = start;
	outer.duration += 10000;
	outer.cpu += 10000;
	outer.method = methods[(n + 1) % METHODS];
	jfr_method_trace(w, &inner);
	jfr_method_trace(w, &outer);
	if (waited)
		jfr_thread_wait(w, &(struct jfr_thread_wait){.start = start + 10000,
							     .duration = waited,
							     .thread = threads[thread],
							     .waker = threads[(thread + 1) % THREADS],
							     .reason = "futex",
							     .system_call = "futex"});
}

static void finish_chunk(struct jfr_writer *w, int64_t now, bool last, FILE *to)
{
	const void *bytes;
	size_t size;

	if (jfr_chunk_finish(w, now, last, &bytes, &size, &d) || fwrite(bytes, 1, size, to) != size)
		exit(1);
}

int main(int argc, char **argv)
{
	struct jfr_origin origin = {
		.start_ticks = START_TICKS, .start_nanos = START_NANOS, .locale = "en_US", .kernel = JFR_KERNEL_WAITS};
	FILE *to = argc == 3 ? fopen(argv[1], "w") : NULL;
	struct jfr_writer *w;
	int64_t now = START_TICKS;

	if (!to || jfr_writer_new(&w, &origin, &d) || jfr_chunk_begin(w, now, &d))
		return 1;
	make_constants(w);
	jfr_clock(w, &(struct jfr_clock){START_TICKS, 1, START_TICKS, START_NANOS, 40});
	for (uint64_t n = 0, pairs = strtoull(argv[2], NULL, 10) / 2; n < pairs; n++) {
		put_pair(w, n);
		if (jfr_chunk_size(w) < CHUNK_SIZE)
			continue;
		now = START_TICKS + (int64_t)(n / THREADS) * 2 * LENGTH;
		finish_chunk(w, now, false, to);
		if (jfr_chunk_begin(w, now, &d))
			return 1;
		make_constants(w);
	}
	finish_chunk(w, now + LENGTH, true, to);
	jfr_writer_free(w);
	return fclose(to) ? 1 : 0;
}
