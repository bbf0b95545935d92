// SPDX-License-Identifier: BSD-2-Clause
/* The way of a record through a staging area into a perf buffer, with the kernel played by this file. */
#define BPF_MAPS_H
#include "bpf/queue.h"
#include "tests/lib/test.h"

#include <linux/bpf.h>
#include <linux/types.h>
#include <sys/cdefs.h>

#define __noinline __attribute__((noinline))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

static const bool perf_buffers = true;
static int queue, perf_queue, staging, drops;
static __u64 dropped, wake_level, time_ns;
static struct frt_staging area;

static struct {
	int error;
	unsigned int outputs, value[64];
	__u64 at[64];
	void (*nested)(void);
} kernel;

static __u64 now_ns(void)
{
	return ++time_ns;
}

static __u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static void *bpf_map_lookup_elem(const void *map, const __u32 *key)
{
	return map == &staging ? (void *)&area : &dropped;
}

static long bpf_perf_event_output(void *context, void *map, __u64 flags, void *data, __u64 size)
{
	void (*nested)(void) = kernel.nested;

	kernel.nested = NULL;
	if (nested)
		nested();
	if (kernel.error)
		return kernel.error;
	assert_in_range(kernel.outputs, 0, 63);
	memcpy(&kernel.at[kernel.outputs], data, 8);
	memcpy(&kernel.value[kernel.outputs++], (char *)data + 8, 4);
	return 0;
}

/* Not called: perf_buffers is true. */
static void *bpf_ringbuf_reserve(const void *map, __u64 size, __u64 flags)
{
	return NULL;
}

static void bpf_ringbuf_submit(void *record, __u64 flags)
{
}

static void bpf_ringbuf_discard(void *record, __u64 flags)
{
}

static __u64 bpf_ringbuf_query(const void *map, __u64 what)
{
	return 0;
}

#include "bpf/queue_out.bpf.h"

static int setup(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	memset(&area, 0, sizeof(area));
	area.size = 1 << 20;
	dropped = 0;
	return 0;
}

static void submit(__u32 value)
{
	__u32 *record = queue_reserve(40);

	assert_non_null(record);
	*record = value;
	queue_submit(record, WAKE_BY_LEVEL);
}

CASE(record_is_output_at_the_end_with_the_time_of_its_reservation, setup)
{
	__u32 *first = queue_reserve(40);
	__u64 before = time_ns;

	submit(2);
	assert_int_equal(kernel.outputs, 0);
	queue_flush(NULL);
	assert_int_equal(kernel.outputs, 1);
	assert_int_equal(kernel.value[0], 2);
	assert_int_equal(kernel.at[0], before + 1);
	*first = 1;
	queue_submit(first, WAKE_NOW);
	queue_flush(NULL);
	assert_int_equal(kernel.outputs, 2);
	assert_int_equal(kernel.value[1], 1);
	assert_int_equal(kernel.at[1], before);
	assert_int_equal(area.claimed | area.ready, 0);
	queue_flush(NULL);
	assert_int_equal(kernel.outputs, 2);
}

CASE(record_is_claimed_until_it_has_been_output, setup)
{
	__u32 *record = queue_reserve(40);
	struct frt_staged *place = (struct frt_staged *)record - 1;

	assert_int_equal(area.claimed, 1u << place->number);
	assert_int_equal(place->at, time_ns);
	queue_discard(record);
	assert_int_equal(area.claimed, 0);
	assert_int_equal(place->at, 0);
	assert_int_equal(area.produced, 0);
}

CASE(full_buffer_takes_no_record, setup)
{
	area.size = 3 * FRT_STAGED_OUTPUT(40);
	submit(1);
	submit(2); /* a perf buffer is never quite full */
	assert_null(queue_reserve(40));
	queue_flush(NULL);
	assert_null(queue_reserve(40));
	assert_int_equal(area.claimed, 0);
	area.consumed = FRT_STAGED_OUTPUT(40);
	submit(3);
	assert_int_equal(area.produced, 3 * FRT_STAGED_OUTPUT(40));
}

CASE(cpu_without_a_buffer_takes_no_record, setup)
{
	area.size = 0;
	assert_null(queue_reserve(40));
	assert_int_equal(area.produced, 0);
	assert_false(queue_has_room());
}

CASE(places_are_claimed_once, setup)
{
	__u32 *record[FRT_STAGED_PLACES];

	for (unsigned int i = 0; i < FRT_STAGED_PLACES; i++) {
		record[i] = queue_reserve(40);
		assert_non_null(record[i]);
	}
	assert_null(queue_reserve(40));
	assert_non_null(queue_reserve(FRT_STAGED_SMALL));
	assert_null(queue_reserve(FRT_STAGED_SMALL));
	assert_int_equal(area.produced,
			 FRT_STAGED_PLACES * FRT_STAGED_OUTPUT(40) + FRT_STAGED_OUTPUT(FRT_STAGED_SMALL));
	queue_discard(record[1]);
	for (unsigned int i = 0; i < FRT_STAGED_PLACES && !queue_reserve(40); i++)
		;
	assert_int_equal(area.claimed, (2u << FRT_STAGED_PLACES) - 1);
}

static void output_another(void)
{
	submit(9);
	queue_flush(NULL);
}

CASE(program_that_interrupts_an_output_outputs_its_own, setup)
{
	submit(1);
	submit(2);
	kernel.nested = output_another;
	queue_flush(NULL);
	assert_int_equal(kernel.outputs, 3);
	assert_int_equal(kernel.value[0], 9);
	assert_int_equal(kernel.value[1], 1);
	assert_int_equal(kernel.value[2], 2);
	assert_int_equal(area.claimed, 0);
}

CASE(output_that_fails_is_counted, setup)
{
	kernel.error = -16;
	submit(FRT_WAIT);
	submit(FRT_BATCH);
	submit(FRT_PAUSE);
	queue_flush(NULL);
	submit(FRT_NATIVE_CALL);
	submit(FRT_NATIVE_CALL);
	submit(FRT_RECORD_KINDS);
	queue_flush(NULL);
	assert_int_equal(area.lost[FRT_WAIT], 1);
	assert_int_equal(area.lost[FRT_PAUSE], 1);
	assert_int_equal(area.lost[FRT_BATCH], 1);
	assert_int_equal(area.lost[FRT_NATIVE_CALL], 2);
	assert_int_equal(dropped, 1);
	assert_int_equal(area.claimed | area.produced, 0);
	assert_non_null(queue_reserve(40)); /* it may succeed again */
}

/* The program that calls can then count what is lost, and do it again later. */
CASE(cpu_that_was_offline_takes_no_more_records, setup)
{
	kernel.error = -EOPNOTSUPP;
	submit(FRT_NATIVE_CALL);
	submit(FRT_NATIVE_CALL);
	queue_flush(NULL);
	assert_int_equal(area.lost[FRT_NATIVE_CALL], 2);
	assert_null(queue_reserve(40));
	assert_false(queue_has_room());
	assert_int_equal(area.claimed | area.produced, 0);
	area.size = 1 << 20;
	kernel.error = -ENOENT;
	submit(FRT_WAIT);
	queue_flush(NULL);
	assert_null(queue_reserve(40));
}
