// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads that wait for room in the queue (--lossless). The source is included, because what it remembers of recordings
 * must be new in each case. The test is the collector.
 */
#include "uprobes/agent/sys.h"

static void sleep_counted(unsigned int us);
#define sys_sleep_us sleep_counted
#include "uprobes/agent/ring.c"
#undef sys_sleep_us
#include "tests/lib/new_control.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define FOREVER UINT64_MAX
#define CLAIM	((1u << FRT_RING_FIRST_LOG2) / 2 + FRT_BATCH_OVERHEAD)

static struct frt_slot *slot;
static struct frt_thread *thread;
static int collector = -1;		/* a descriptor that has its lock, or -1 */
static uint64_t slept_us, end_after_us; /* of threads that wait; the collector ends after so long, 0: it does not */

static void collector_ends(void)
{
	if (collector >= 0)
		close(collector);
	collector = -1;
}

/* Descriptors of one open file share their locks, so the collector opens it again. */
static void collector_locks(uint32_t recording)
{
	struct flock l = {.l_type = F_WRLCK, .l_start = FRT_LOCK_RECORDING(recording), .l_len = 1};
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", control_fd());
	collector = open(path, O_RDWR | O_CLOEXEC);
	assert_true(collector >= 0);
	assert_int_equal(fcntl(collector, F_OFD_SETLK, &l), 0);
}

static int setup(void **state)
{
	collector_ends();
	if (!new_control())
		return -1;
	memset(free_rings, 0, sizeof(free_rings));
	memset(queue_waits, 0, sizeof(queue_waits));
	waited_for = 0;
	frtrace_drain_semaphore = 1;
	slept_us = end_after_us = 0;
	control->ring_cap = 1 << 20;
	slot = control_slot(0);
	slot->thread = 7;
	thread = (struct frt_thread *)control_at(FRT_THREADS_AT) + 7;
	*thread = (struct frt_thread){.serial = 7, .patient = 1};
	collector_locks(0);
	return ring_first(slot, 0) ? 0 : -1;
}

static void sleep_counted(uint32_t us)
{
	sys_sleep_us(us);
	slept_us += us;
	if (end_after_us && slept_us >= end_after_us)
		collector_ends();
}

static void drain(void)
{
	ring_drain(slot, sys_tsc());
}

CASE(without_a_limit_nothing_is_claimed, setup)
{
	drain();
	assert_int_equal(control->claimed, 0);
	ring_wait(0, FOREVER);
	ring_wait(0, 0);
	drain();
	assert_int_equal(control->claimed, 0);
	assert_int_equal(control->held_up, 0);
}

CASE(each_claim_lands_and_none_waits_while_there_is_room, setup)
{
	ring_wait(0, FOREVER);
	control->granted[0] = 3 * CLAIM;
	for (uint64_t n = 1; n <= 3; n++) {
		drain();
		assert_int_equal(control->claimed, n * CLAIM);
		assert_int_equal(control->landed, n * CLAIM);
	}
	assert_int_equal(control->held_up, 0);
	assert_int_equal(slot->drained, slot->head);
}

static void *give_room_by_bytes(void *unused)
{
	while (!__atomic_load_n(&control->claimed, __ATOMIC_ACQUIRE))
		sys_sleep_us(100);
	for (uint64_t room = 1; room <= CLAIM; room++)
		store_release(&control->granted[0], room);
	return NULL;
}

CASE(thread_waits_until_there_is_room_for_all_of_it, setup)
{
	pthread_t t;

	ring_wait(0, FOREVER);
	assert_int_equal(pthread_create(&t, NULL, give_room_by_bytes, NULL), 0);
	drain();
	assert_int_equal(control->granted[0], CLAIM); /* not before */
	assert_int_equal(control->landed, CLAIM);
	assert_int_equal(pthread_join(t, NULL), 0);
}

CASE(wait_in_vain_is_not_repeated_before_the_collector_moves, setup)
{
	ring_wait(0, 1);
	drain();
	assert_int_equal(control->held_up, 1);
	assert_true(control->held_up_ticks > 0);
	drain();
	assert_int_equal(control->held_up, 1);
	control->granted[0] = 1; /* too little, but a sign of life */
	drain();
	assert_int_equal(control->held_up, 2);
	assert_int_equal(control->landed, 3 * CLAIM);
}

CASE(threads_of_the_jvm_and_carriers_do_not_wait, setup)
{
	ring_wait(0, FOREVER);
	thread->patient = 0;
	drain();
	thread->patient = 1;
	slot->flags = FRT_SLOT_CARRIER;
	drain();
	slot->flags = 0;
	thread->serial = 7 + FRT_MAX_THREADS; /* the row is another thread's by now */
	drain();
	assert_int_equal(control->held_up, 0);
	assert_int_equal(control->landed, 3 * CLAIM);
}

CASE(nobody_waits_for_a_dead_collector, setup)
{
	ring_wait(0, FOREVER);
	collector_ends();
	drain(); /* finds out */
	assert_int_equal(control->held_up, 1);
	drain();
	assert_int_equal(control->held_up, 1);
}

/* A thread looks for the collector each 20 ms that it has slept. Those that wait beside it go on with it. */
CASE(wait_ends_20_ms_after_the_collector, setup)
{
	ring_wait(0, FOREVER);
	end_after_us = 50000;
	drain();
	assert_int_equal(control->held_up, 1);
	assert_true(slept_us >= end_after_us && slept_us <= end_after_us + WAIT_LOOK_US + WAIT_MOST_US);
	slept_us = 0;
	for (int i = 0; i < 100; i++)
		drain();
	assert_int_equal(slept_us, 0);
}

CASE(nobody_waits_where_nobody_listens, setup)
{
	ring_wait(0, FOREVER);
	frtrace_drain_semaphore = 0;
	drain();
	assert_int_equal(control->held_up, 0);
}

CASE(each_recording_has_room_of_its_own, setup)
{
	ring_wait(0, 1);
	ring_wait(2, 1);
	control->granted[0] = 1 << 20;
	drain();
	assert_int_equal(control->held_up, 1);
	ring_wait(2, 0);
	drain();
	assert_int_equal(control->held_up, 1);
}

static void *end_the_wait(void *unused)
{
	while (!__atomic_load_n(&control->claimed, __ATOMIC_ACQUIRE))
		sys_sleep_us(100);
	ring_wait(0, 0);
	return NULL;
}

CASE(end_of_the_recording_ends_waits, setup)
{
	pthread_t t;

	ring_wait(0, FOREVER);
	assert_int_equal(pthread_create(&t, NULL, end_the_wait, NULL), 0);
	drain();
	assert_int_equal(control->landed, CLAIM);
	assert_int_equal(pthread_join(t, NULL), 0);
}
