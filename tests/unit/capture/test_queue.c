// SPDX-License-Identifier: BSD-2-Clause
/* Records as the kernel hands them out, and such that no program of ours wrote. libbpf is answered here. */
#include "user/capture/queue.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"

#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
	ring_buffer_sample_fn on_sample;
	void *context;
	bool refused;
	int times; /* that the record comes; 0: once */
	int steps;
	void *record;
	size_t size;
	unsigned int pauses, wakers, resources;
	struct {
		uint64_t off, on;
		uint32_t stack;
	} waits[FRT_HELD_WAITS + 1];
	size_t wait_count;
	uint64_t stacks_of; /* the wait whose stacks were taken */
	uint64_t native_sp; /* 0: it had no native part */
} kernel;

static struct queue *q;
static struct queue_maps maps = {.size = 1 << 20}; /* its positions are in a file */
static struct streams streams;
static struct diag d;

WRAP(struct ring_buffer *, ring_buffer__new, int fd, ring_buffer_sample_fn on_sample, void *context,
     const struct ring_buffer_opts *opts)
{
	errno = EPERM;
	kernel.on_sample = on_sample;
	kernel.context = context;
	return kernel.refused ? NULL : (struct ring_buffer *)&kernel;
}

WRAP(int, ring_buffer__consume, struct ring_buffer *rb)
{
	int n = 0;

	do {
		n++;
	} while (!kernel.on_sample(kernel.context, kernel.record, kernel.size) && n < kernel.times);
	return n;
}

WRAP(void, ring_buffer__free, struct ring_buffer *rb)
{
}

static void on_step(void *context)
{
	((int *)context)[0]++;
}

static void on_pause(void *context, const struct frt_pause *p)
{
	kernel.pauses++;
}

static void on_resource(void *context, const struct frt_resource *r)
{
	kernel.resources++;
}

static void on_wait(void *context, const struct frt_wait *w, const struct wait_stack_ids *stacks)
{
	assert_in_range(kernel.wait_count, 0, FRT_HELD_WAITS);
	kernel.waits[kernel.wait_count].off = w->off;
	kernel.waits[kernel.wait_count].on = w->on;
	kernel.waits[kernel.wait_count++].stack = stacks->java;
}

WRAP(void, copied_stacks_take_wait, struct copied_stacks *s, const struct frt_long_wait *w,
     const struct frt_native *native, struct wait_stack_ids *ids)
{
	kernel.stacks_of = w->wait.off;
	kernel.native_sp = native ? native->at.sp : 0;
	ids->java = w->stack[FRT_WAIT_STACK - 1];
}

WRAP(void, copied_stacks_take_waker, struct copied_stacks *s, const struct frt_waker *w)
{
	kernel.wakers++;
}

static int setup(void **state)
{
	struct queue_sinks sinks = {.streams = &streams,
				    .step = on_step,
				    .step_context = &kernel.steps,
				    .waits = {.pause = on_pause,
					      .resource = on_resource,
					      .wait = on_wait,
					      .stacks = (struct copied_stacks *)&kernel}};

	memset(&kernel, 0, sizeof(kernel));
	maps.ring = memfd_create("positions", 0);
	assert_int_equal(ftruncate(maps.ring, 2 * sysconf(_SC_PAGESIZE) + maps.size), 0);
	return queue_open(&q, &maps, &sinks, &d);
}

static int teardown(void **state)
{
	queue_close(q);
	close(maps.ring);
	return 0;
}

static void feed(void *record, size_t size)
{
	kernel.record = record;
	kernel.size = size;
	assert_int_equal(queue_consume(q), 1);
}

CASE(record_goes_to_its_sink, setup, teardown)
{
	struct frt_pause pause = {.kind = FRT_PAUSE};

	feed(&pause, sizeof(pause));
	assert_int_equal(kernel.pauses, 1);
	assert_int_equal(queue_malformed(q), 0);
}

CASE(a_wakers_stack_lies_in_its_record, setup, teardown)
{
	struct {
		struct frt_waker waker;
		uint8_t stack[16];
	} r = {.waker = {.kind = FRT_WAKER, .low_size = 16}};

	feed(&r, sizeof(r));
	assert_int_equal(kernel.wakers, 1);
	r.waker.low_size = 17;
	feed(&r, sizeof(r));
	feed(&r, sizeof(r.waker) - 1);
	r.waker.low_size = 0;
	r.waker.high_size = 1;
	feed(&r, sizeof(r));
	assert_int_equal(kernel.wakers, 1);
	assert_int_equal(queue_malformed(q), 3);
}

CASE(the_text_of_a_resource_lies_in_its_record, setup, teardown)
{
	struct frt_named_resource r = {.resource = {.kind = FRT_RESOURCE, .size = sizeof(r.text)}};

	feed(&r, sizeof(r));
	assert_int_equal(kernel.resources, 1);
	r.resource.size++;
	feed(&r, sizeof(r));
	feed(&r, sizeof(r.resource) - 1);
	assert_int_equal(kernel.resources, 1);
	r.resource.size = 0;
	feed(&r, sizeof(r.resource));
	assert_int_equal(kernel.resources, 2);
	assert_int_equal(queue_malformed(q), 2);
}

/* A ring of waits: the last three places and the first one. */
CASE(waits_of_a_ring_arrive_in_order_behind_what_was_forgotten, setup, teardown)
{
	struct frt_all_briefs r = {
		.briefs = {.kind = FRT_BRIEFS, .first = FRT_BRIEF_PLACES - 3, .count = 4, .lost = 50}};

	for (uint64_t i = 0; i < 4; i++)
		r.wait[(FRT_BRIEF_PLACES - 3 + i) % FRT_BRIEF_PLACES] =
			(struct frt_brief){.off = (i + 1) * 100, .blocked = 10, .ready = 5};
	feed(&r, sizeof(r));
	assert_int_equal(kernel.wait_count, 5);
	assert_int_equal(kernel.waits[0].off, 50);
	assert_int_equal(kernel.waits[0].on, 100);
	for (size_t i = 1; i < 5; i++) {
		assert_int_equal(kernel.waits[i].off, i * 100);
		assert_int_equal(kernel.waits[i].on, i * 100 + 15);
	}
	assert_int_equal(queue_malformed(q), 0);
}

CASE(briefs_beyond_their_record_are_refused, setup, teardown)
{
	struct frt_few_briefs r = {.briefs = {.kind = FRT_BRIEFS, .count = FRT_FEW_BRIEFS + 1}};

	feed(&r, sizeof(r));
	r.briefs.count = 1;
	r.briefs.first = FRT_FEW_BRIEFS;
	feed(&r, sizeof(r));
	r.briefs.first = 0;
	feed(&r, sizeof(r) - 1);
	assert_int_equal(kernel.wait_count, 0);
	assert_int_equal(queue_malformed(q), 3);
}

/* Waits 100, 200 ... as the kernel holds them back. */
static struct frt_long_waits held(uint16_t count, uint16_t long_wait)
{
	struct frt_long_waits r = {.waits = {.kind = FRT_WAITS, .count = count, .long_wait = long_wait}};

	for (uint64_t i = 0; i < FRT_HELD_WAITS; i++)
		r.waits.wait[i] = (struct frt_wait){.kind = FRT_WAIT, .off = (i + 1) * 100};
	if (long_wait && long_wait <= FRT_HELD_WAITS)
		r.with_stacks.wait = r.waits.wait[long_wait - 1];
	r.with_stacks.stack[FRT_WAIT_STACK - 1] = 42;
	return r;
}

CASE(held_waits_arrive_one_by_one_in_order, setup, teardown)
{
	struct frt_long_waits r = held(3, 0);

	feed(&r, sizeof(r.waits));
	assert_int_equal(kernel.wait_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(kernel.waits[i].off, (i + 1) * 100);
		assert_int_equal(kernel.waits[i].stack, 0);
	}
	assert_int_equal(queue_malformed(q), 0);
}

CASE(long_one_of_held_waits_keeps_its_stacks_and_its_place, setup, teardown)
{
	struct frt_long_waits r = held(FRT_HELD_WAITS, 2);

	feed(&r, sizeof(r));
	assert_int_equal(kernel.wait_count, FRT_HELD_WAITS);
	assert_int_equal(kernel.stacks_of, 200);
	assert_int_equal(kernel.native_sp, 0);
	for (size_t i = 0; i < FRT_HELD_WAITS; i++) {
		assert_int_equal(kernel.waits[i].off, (i + 1) * 100);
		assert_int_equal(kernel.waits[i].stack, i == 1 ? 42 : 0);
	}
}

CASE(native_part_of_a_stack_follows_it, setup, teardown)
{
	struct frt_native_wait one = {.wait.wait.kind = FRT_WAIT, .native.at.sp = 4096};
	struct frt_native_waits r = {.waits = held(3, 2), .native.at.sp = 8192};

	feed(&one, sizeof(one) - 1);
	assert_int_equal(kernel.native_sp, 0);
	feed(&one, sizeof(one));
	assert_int_equal(kernel.native_sp, 4096);
	feed(&r, sizeof(r));
	assert_int_equal(kernel.native_sp, 8192);
	assert_int_equal(kernel.stacks_of, 200);
	assert_int_equal(kernel.wait_count, 5);
	assert_int_equal(queue_malformed(q), 0);
}

CASE(held_waits_beyond_the_record_are_malformed, setup, teardown)
{
	struct frt_long_waits many = held(FRT_HELD_WAITS + 1, 0), odd = held(1, FRT_HELD_WAITS + 1), cut = held(1, 1);

	feed(&many, sizeof(many));
	feed(&cut, sizeof(cut.waits) - 1);
	assert_int_equal(kernel.wait_count, 0);
	assert_int_equal(queue_malformed(q), 2);
	feed(&odd, sizeof(odd));
	feed(&cut, sizeof(cut.waits));
	assert_int_equal(kernel.wait_count, 2);
	assert_int_equal(kernel.stacks_of, 0);
}

CASE(malformed_records_are_counted, setup, teardown)
{
	struct frt_batch batch = {.kind = FRT_BATCH, .length = 1};
	struct frt_pause pause = {.kind = FRT_PAUSE};
	uint32_t kind = 4711;

	feed(&pause, sizeof(pause) - 1);
	feed(&batch, sizeof(batch));
	feed(&kind, sizeof(kind));
	feed(&kind, sizeof(kind) - 1);
	assert_int_equal(queue_malformed(q), 4);
	assert_int_equal(kernel.pauses, 0);
}

static void write_position(long page, uint64_t position)
{
	assert_int_equal(pwrite(maps.ring, &position, sizeof(position), page * sysconf(_SC_PAGESIZE)),
			 sizeof(position));
}

CASE(each_step_is_told_until_the_budget_is_used_up, setup, teardown)
{
	struct frt_pause pause = {.kind = FRT_PAUSE};

	kernel.record = &pause;
	kernel.size = sizeof(pause);
	kernel.times = QUEUE_STEP - 1;
	assert_int_equal(queue_consume(q), QUEUE_STEP - 1);
	assert_int_equal(kernel.steps, 0);
	kernel.times = INT32_MAX;
	assert_int_equal(queue_consume(q), QUEUE_BUDGET);
	assert_int_equal(kernel.steps, QUEUE_BUDGET / QUEUE_STEP);
}

CASE(positions_tell_how_full_it_is, setup, teardown)
{
	write_position(0, 1000);
	write_position(1, 1000 + maps.size / 2);
	assert_int_equal(queue_consumed(q), 1000);
	assert_int_equal(queue_produced(q), 1000 + maps.size / 2);
	assert_true(queue_is_filled(q, 4));
	assert_false(queue_is_filled(q, 2));
	assert_int_equal(queue_room(q), maps.size / 4); /* of three quarters */
	write_position(1, 1000 + maps.size);
	assert_int_equal(queue_room(q), 0);
	write_position(1, 1000);
	assert_int_equal(queue_room(q), maps.size / 4 * 3);
}

CASE(unread_records_are_counted_with_those_being_written, setup, teardown)
{
	const uint32_t lengths[] = {40 | BPF_RINGBUF_BUSY_BIT, 8, 16 | BPF_RINGBUF_DISCARD_BIT, 9};
	uint64_t at = maps.size - 8; /* the first one begins at the end */

	write_position(0, at);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(pwrite(maps.ring, &lengths[i], 4, 2 * sysconf(_SC_PAGESIZE) + at % maps.size), 4);
		at += i == 0 ? 48 : i == 1 ? 16 : 24;
	}
	write_position(1, at);
	assert_int_equal(queue_unread(q), 3);
	write_position(0, at);
	assert_int_equal(queue_unread(q), 0);
}

CASE(buffer_that_cannot_be_mapped_keeps_its_cause, setup, teardown)
{
	struct queue *none = q;
	int fd;

	kernel.refused = true;
	assert_int_equal(queue_open(&none, &maps, &(struct queue_sinks){.streams = &streams}, &d), -EPERM);
	assert_null(none);
	assert_string_equal(d.text, "cannot map the BPF ring buffer: Operation not permitted");
	kernel.refused = false;
	fd = eventfd(0, 0);
	assert_int_equal(queue_open(&none, &(struct queue_maps){.ring = fd}, &(struct queue_sinks){0}, &d), -ENODEV);
	assert_string_equal(d.text, "cannot map the positions of the BPF ring buffer: No such device");
	close(fd);
}
