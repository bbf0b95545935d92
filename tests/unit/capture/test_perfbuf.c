// SPDX-License-Identifier: BSD-2-Clause
/* Perf buffers as the kernel fills them. libbpf is answered here; buffers and staging areas are memory of this file. */
#include "user/capture/perfbuf.h"
#include "bpf/queue.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"

#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#define CPUS	3
#define OFFLINE 2
#define TIMES	64

static struct cpu {
	struct perf_event_mmap_page *page;
	size_t size;
	int fd;
} cpus[CPUS];

static struct {
	size_t pages_granted, pages_wanted; /* larger buffers are refused */
	int error;
	bool no_cpu; /* none is online */
	int staging_fd;
	struct frt_staging *staging;
} kernel;

static struct {
	uint64_t value[TIMES]; /* the first ones */
	uint64_t last;
	size_t count, stop_after;
	bool unordered;
} got;

static struct perfbuf *p;
static struct diag d;

WRAP(struct perf_buffer *, perf_buffer__new_raw, int map_fd, size_t pages, struct perf_event_attr *attr,
     perf_buffer_event_fn event, void *context, const struct perf_buffer_raw_opts *only)
{
	struct cpu *c = &cpus[only->cpus[0]];

	assert_int_equal(only->cpu_cnt, 1);
	assert_int_equal(only->map_keys[0], only->cpus[0]);
	assert_int_equal(attr->config, PERF_COUNT_SW_BPF_OUTPUT);
	errno = kernel.no_cpu || only->cpus[0] == OFFLINE ? ENODEV : kernel.error;
	if (errno == ENODEV || pages > kernel.pages_granted)
		return NULL;
	c->size = pages * sysconf(_SC_PAGESIZE);
	c->page = aligned_alloc(8, c->size + sysconf(_SC_PAGESIZE));
	memset(c->page, 0, c->size + sysconf(_SC_PAGESIZE));
	c->fd = eventfd(0, 0);
	return (struct perf_buffer *)c;
}

WRAP(int, perf_buffer__buffer, struct perf_buffer *b, int number, void **at, size_t *size)
{
	const struct cpu *c = (const struct cpu *)b;

	assert_int_equal(number, 0);
	*at = c->page;
	*size = c->size; /* libbpf's is without the first page */
	return 0;
}

WRAP(int, perf_buffer__epoll_fd, const struct perf_buffer *b)
{
	return ((const struct cpu *)b)->fd;
}

WRAP(void, perf_buffer__free, struct perf_buffer *b)
{
	struct cpu *c = (struct cpu *)b;

	if (!c)
		return;
	close(c->fd);
	free(c->page);
}

static int on_record(void *context, void *data, size_t size)
{
	assert_in_range(size, sizeof(uint64_t), sizeof(uint64_t) + 7); /* it is padded */
	got.unordered |= *(uint64_t *)data <= got.last;
	got.last = *(uint64_t *)data;
	if (got.count < TIMES)
		got.value[got.count] = got.last;
	got.count++;
	return got.count == got.stop_after ? -EAGAIN : 0;
}

static int perfbuf_try(void)
{
	struct perfbuf_setup setup = {.map_fd = -1,
				      .staging_fd = kernel.staging_fd,
				      .cpus = CPUS,
				      .size = CPUS * kernel.pages_wanted * sysconf(_SC_PAGESIZE),
				      .record = on_record};

	return perfbuf_open(&p, &setup, &d);
}

static int setup(void **state)
{
	size_t size = CPUS * sizeof(struct frt_staging);

	memset(&got, 0, sizeof(got));
	kernel.pages_granted = 32;
	kernel.pages_wanted = 64;
	kernel.error = EPERM;
	kernel.no_cpu = false;
	kernel.staging_fd = memfd_create("staging", 0);
	assert_int_equal(ftruncate(kernel.staging_fd, size), 0);
	kernel.staging = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, kernel.staging_fd, 0);
	assert_ptr_not_equal(kernel.staging, MAP_FAILED);
	return perfbuf_try();
}

static int teardown(void **state)
{
	perfbuf_close(p);
	munmap(kernel.staging, CPUS * sizeof(struct frt_staging));
	close(kernel.staging_fd);
	return 0;
}

static void ring_write(struct cpu *c, const void *from, size_t size)
{
	uint8_t *ring = (uint8_t *)c->page + sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < size; i++)
		ring[c->page->data_head++ % c->size] = ((const uint8_t *)from)[i];
	assert_true(c->page->data_head - c->page->data_tail <= c->size);
}

/* A record with its time as value. */
static void output(int cpu, uint64_t at)
{
	struct {
		uint64_t at, value;
		uint32_t padding;
	} __attribute__((packed)) record = {at, at, 0};
	uint32_t length = sizeof(record);
	struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .size = sizeof(h) + sizeof(length) + length};

	assert_int_equal(h.size, FRT_STAGED_OUTPUT(sizeof(record.value)));
	ring_write(&cpus[cpu], &h, sizeof(h));
	ring_write(&cpus[cpu], &length, sizeof(length));
	ring_write(&cpus[cpu], &record, length);
}

static struct frt_staged *place(int cpu, uint32_t number)
{
	return (struct frt_staged *)(kernel.staging[cpu].places + number * FRT_STAGED_SMALL);
}

static void claim(int cpu, uint32_t number, uint64_t at)
{
	kernel.staging[cpu].claimed |= 1u << number;
	place(cpu, number)->at = at;
}

static void release(int cpu, uint32_t number)
{
	place(cpu, number)->at = 0;
	kernel.staging[cpu].claimed &= ~(1u << number);
}

#define assert_got(...)                                             \
	do {                                                        \
		const uint64_t want[] = {__VA_ARGS__};              \
		assert_int_equal(got.count, sizeof(want) / 8);      \
		assert_memory_equal(got.value, want, sizeof(want)); \
	} while (0)

static uint64_t in_use(int cpu)
{
	return cpus[cpu].page->data_head - cpus[cpu].page->data_tail;
}

CASE(records_of_all_cpus_come_in_the_order_of_their_times, setup, teardown)
{
	output(0, 30);
	output(1, 10);
	output(1, 40);
	output(0, 50);
	output(1, 60);
	perfbuf_consume(p);
	assert_got(10, 30, 40, 50, 60);
	assert_int_equal(in_use(0) + in_use(1), 0);
	assert_true(perfbuf_consumed(p) > 60);
	perfbuf_consume(p);
	assert_int_equal(got.count, 5);
}

/* Its program was preempted by others on the same CPU. */
CASE(record_that_was_output_late_comes_in_its_turn, setup, teardown)
{
	output(0, 20);
	output(0, 30);
	output(0, 10);
	output(1, 15);
	perfbuf_consume(p);
	assert_got(10, 15, 20, 30);
	assert_int_equal(in_use(0), 0);
}

CASE(record_that_is_being_written_holds_up_later_ones, setup, teardown)
{
	output(0, 10);
	output(0, 30);
	claim(1, FRT_STAGED_PLACES, 20);
	perfbuf_consume(p);
	assert_got(10);
	assert_int_equal(perfbuf_consumed(p), 20);
	assert_int_equal(in_use(0), FRT_STAGED_OUTPUT(8));
	assert_int_equal(perfbuf_unread(p), 2);
	perfbuf_consume(p);
	assert_int_equal(got.count, 1);
	output(1, 20);
	release(1, FRT_STAGED_PLACES);
	perfbuf_consume(p);
	assert_got(10, 20, 30);
	assert_int_equal(perfbuf_unread(p), 0);
	assert_int_equal(in_use(0) + in_use(1), 0);
}

/* The one in front keeps its room, and that of those behind it which have been passed on. */
CASE(nothing_comes_twice_if_a_later_record_stands_in_front, setup, teardown)
{
	claim(1, 3, 20);
	output(0, 30);
	output(0, 10);
	perfbuf_consume(p);
	assert_got(10);
	assert_int_equal(in_use(0), 2 * FRT_STAGED_OUTPUT(8));
	claim(1, 3, 25);
	perfbuf_consume(p);
	assert_int_equal(got.count, 1);
	release(1, 3);
	perfbuf_consume(p);
	assert_got(10, 30);
	assert_int_equal(in_use(0), 0);
	assert_int_equal(kernel.staging[0].consumed, 2 * FRT_STAGED_OUTPUT(8));
}

CASE(records_that_were_not_taken_are_counted_by_kind, setup, teardown)
{
	kernel.staging[0].lost[FRT_WAIT] = 2;
	kernel.staging[1].lost[FRT_WAIT] = 3;
	kernel.staging[1].lost[FRT_NATIVE_CALL] = 5;
	assert_int_equal(perfbuf_lost(p, FRT_WAIT), 5);
	assert_int_equal(perfbuf_lost(p, FRT_NATIVE_CALL), 5);
	assert_int_equal(perfbuf_lost(p, FRT_BATCH), 0);
}

CASE(record_without_a_time_yet_holds_up_all, setup, teardown)
{
	output(0, 10);
	claim(1, 0, 0);
	perfbuf_consume(p);
	assert_int_equal(got.count, 0);
	assert_int_equal(perfbuf_consumed(p), 0);
	release(1, 0);
	perfbuf_consume(p);
	assert_got(10);
}

CASE(receiver_may_stop_and_gets_the_rest_later, setup, teardown)
{
	for (uint64_t i = 0; i < 6; i++)
		output(i % 2, 10 + i);
	got.stop_after = 2;
	perfbuf_consume(p);
	assert_got(10, 11);
	assert_int_equal(perfbuf_consumed(p), 0);
	output(0, 20); /* after the first pass */
	got.stop_after = 0;
	perfbuf_consume(p);
	assert_got(10, 11, 12, 13, 14, 15, 20);
	assert_true(perfbuf_consumed(p) > 20);
}

CASE(ring_is_used_again_from_its_start, setup, teardown)
{
	for (uint64_t i = 1; i <= 3 * cpus[0].size / FRT_STAGED_OUTPUT(8); i++) {
		output(0, i);
		perfbuf_consume(p);
		assert_got(i);
		got.count = 0;
	}
	assert_true(cpus[0].page->data_tail > 2 * cpus[0].size);
	assert_int_equal(kernel.staging[0].consumed, cpus[0].page->data_tail);
}

/* The programs reckon with what they output. */
CASE(record_of_the_kernels_own_is_skipped_and_reckoned_with, setup, teardown)
{
	struct {
		struct perf_event_header h;
		uint64_t id, lost;
	} lost = {.h = {.type = PERF_RECORD_LOST, .size = sizeof(lost)}};

	ring_write(&cpus[1], &lost, sizeof(lost));
	output(1, 10);
	perfbuf_consume(p);
	assert_got(10);
	assert_int_equal(kernel.staging[1].produced, sizeof(lost));
	assert_int_equal(kernel.staging[1].consumed, sizeof(lost) + FRT_STAGED_OUTPUT(8));
}

CASE(pass_takes_so_many_records_and_the_next_one_the_rest, setup, teardown)
{
	const uint64_t many = 100000;

	perfbuf_close(p);
	kernel.pages_granted = kernel.pages_wanted = 1024;
	assert_int_equal(perfbuf_try(), 0);
	for (uint64_t i = 1; i <= many; i++)
		output(0, 2 * i);
	output(1, 1);
	output(1, 2 * many - 1);
	perfbuf_consume(p);
	assert_int_equal(got.count, many + 2);
	assert_false(got.unordered);
	assert_int_equal(in_use(0) + in_use(1), 0);
}

CASE(fullest_buffer_counts, setup, teardown)
{
	while (in_use(1) <= cpus[1].size / 4)
		output(1, 10);
	assert_true(perfbuf_is_filled(p, 4));
	assert_false(perfbuf_is_filled(p, 2));
}

CASE(buffers_are_as_large_as_the_kernel_grants, setup, teardown)
{
	perfbuf_close(p);
	kernel.pages_granted = 64;
	assert_int_equal(perfbuf_try(), 0);
	assert_int_equal(kernel.staging[0].size, 64 * sysconf(_SC_PAGESIZE));
	assert_int_equal(kernel.staging[OFFLINE].size, 0);
	perfbuf_close(p);
	kernel.pages_granted = 16;
	assert_int_equal(perfbuf_try(), -EPERM);
	assert_null(p);
	assert_string_equal(d.text, "cannot open perf buffers: Operation not permitted");
	kernel.pages_granted = 32;
	kernel.no_cpu = true;
	assert_int_equal(perfbuf_try(), -ENODEV);
}
