// SPDX-License-Identifier: BSD-2-Clause
/* Records as the kernel hands them out, and such that no program of ours wrote. libbpf is answered here. */
#include "user/capture/ringbuf.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct ring_buffer *__wrap_ring_buffer__new(int fd, ring_buffer_sample_fn on_sample, void *context,
					    const struct ring_buffer_opts *opts);
int __wrap_ring_buffer__consume(struct ring_buffer *rb);
void __wrap_ring_buffer__free(struct ring_buffer *rb);

static struct {
	ring_buffer_sample_fn on_sample;
	void *context;
	bool refused;
	void *record;
	size_t size;
	unsigned int pauses;
} kernel;

static struct ringbuf *q;
static struct streams streams;
static struct diag d;

struct ring_buffer *__wrap_ring_buffer__new(int fd, ring_buffer_sample_fn on_sample, void *context,
					    const struct ring_buffer_opts *opts)
{
	errno = EPERM;
	kernel.on_sample = on_sample;
	kernel.context = context;
	return kernel.refused ? NULL : (struct ring_buffer *)&kernel;
}

int __wrap_ring_buffer__consume(struct ring_buffer *rb)
{
	kernel.on_sample(kernel.context, kernel.record, kernel.size);
	return 1;
}

void __wrap_ring_buffer__free(struct ring_buffer *rb)
{
}

static void on_pause(void *context, const struct frt_pause *p)
{
	kernel.pauses++;
}

static int setup(void **state)
{
	struct ringbuf_sinks sinks = {.streams = &streams, .waits = {.pause = on_pause}};

	memset(&kernel, 0, sizeof(kernel));
	return ringbuf_open(&q, -1, &sinks, &d);
}

static int teardown(void **state)
{
	ringbuf_close(q);
	return 0;
}

static void feed(void *record, size_t size)
{
	kernel.record = record;
	kernel.size = size;
	assert_int_equal(ringbuf_consume(q), 1);
}

static void record_goes_to_its_sink(void **state)
{
	struct frt_pause pause = {.kind = FRT_PAUSE};

	feed(&pause, sizeof(pause));
	assert_int_equal(kernel.pauses, 1);
	assert_int_equal(ringbuf_malformed(q), 0);
}

static void malformed_records_are_counted(void **state)
{
	struct frt_batch batch = {.kind = FRT_BATCH, .length = 1};
	struct frt_pause pause = {.kind = FRT_PAUSE};
	uint32_t kind = 4711;

	feed(&pause, sizeof(pause) - 1);
	feed(&batch, sizeof(batch));
	feed(&kind, sizeof(kind));
	feed(&kind, sizeof(kind) - 1);
	assert_int_equal(ringbuf_malformed(q), 4);
	assert_int_equal(kernel.pauses, 0);
}

static void buffer_that_cannot_be_mapped_keeps_its_cause(void **state)
{
	struct ringbuf *none = q;

	kernel.refused = true;
	assert_int_equal(ringbuf_open(&none, -1, &(struct ringbuf_sinks){.streams = &streams}, &d), -EPERM);
	assert_null(none);
	assert_string_equal(d.text, "cannot map the BPF ring buffer: Operation not permitted");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(record_goes_to_its_sink),
		TEST(malformed_records_are_counted),
		TEST(buffer_that_cannot_be_mapped_keeps_its_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
