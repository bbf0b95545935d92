// SPDX-License-Identifier: BSD-2-Clause
/*
 * What calls have allocated, by counts that this process keeps as a JVM would. The source of the slots is included, because
 * its free lists must start empty in each test, and so must what is counted.
 */
#include "uprobes/agent/allocated.c"
#include "uprobes/agent/ring.c"
#include "uprobes/agent/slot.c"
#include "uprobes/agent/hook.h"
#include "uprobes/agent/mounts.h"
#include "uprobes/agent/timing.h"
#include "tests/unit/agent/hooked.h"

/* A JVM's thread: what it has counted, and its buffer. */
struct jvm_thread {
	uint64_t env[4], count, buffer[4];
};

static struct jvm_thread threads[3] __attribute__((aligned(64)));
static struct frt_config config = {
	.flags = FRT_CONFIG_ALLOCATED,
	.cell_cap = FRT_CELLS_SIZE,
	.allocated = {offsetof(struct jvm_thread, count), offsetof(struct jvm_thread, buffer[0]),
		      offsetof(struct jvm_thread, buffer[2])},
};

static JNIEnv *env_of(int thread)
{
	return (JNIEnv *)&threads[thread];
}

static int setup(void **state)
{
	if (!new_control())
		return -1;
	memset(threads, 0, sizeof(threads));
	memset(allocated_countings, 0, sizeof(allocated_countings));
	control->epoch = 1;
	control->recording[0].founder = 1;
	recordings_shared = false;
	memset(slot_table, 0, sizeof(slot_table));
	memset(free_rings, 0, sizeof(free_rings));
	free_slots.top = 0;
	frtrace_drain_semaphore = 1;
	ring_grow_ticks = 0;
	control_since = 1;
	running.java_id = new_flags = 0;
	mount_unseen = false;
	mounts_begin();
	control->methods = 9;
	timing_begin(0, &config);
	for (uint32_t method = 0; method < 9; method++)
		*control_rule(0, method) = 0;
	allocated_begin(&config, env_of(0));
	return 0;
}

/* In its buffer; a thread has one from its first object on. */
static void allocate(int thread, uint64_t bytes)
{
	struct jvm_thread *t = &threads[thread];

	if (!t->buffer[0])
		t->buffer[0] = t->buffer[2] = 0x700000000;
	t->buffer[2] += bytes;
}

/* A collector takes the buffer. */
static void collect(int thread)
{
	struct jvm_thread *t = &threads[thread];

	t->count += t->buffer[2] - t->buffer[0];
	t->buffer[0] = t->buffer[2] = 0;
}

/* The value of the last call of the slot; -1: it has none. */
static int64_t last_value(int thread)
{
	struct frt_slot *s = slot_find(env_of(thread));
	struct frt_field f;
	int64_t bytes;

	memcpy(&f, ring_at(s) + ((s->head - FRT_RECORD_SIZE) & (ring_size(s) - 1)), sizeof(f));
	if (f.kind != FRT_FIELD)
		return -1;
	assert_int_equal(f.number, FRT_FIELD_ALLOCATED);
	assert_int_equal(f.flags, FRT_FIELD_LAST);
	memcpy(&bytes, f.data, sizeof(bytes));
	return bytes;
}

static int64_t leave(int thread, jlong start)
{
	hook_leave(env_of(thread), NULL, start, 1);
	return last_value(thread);
}

CASE(a_call_has_what_its_thread_allocates_in_it, setup)
{
	jlong outer, inner;

	allocate(0, 100);
	outer = hook_enter(env_of(0), NULL, 1);
	allocate(0, 24);
	inner = hook_enter(env_of(0), NULL, 1);
	allocate(0, 1000);
	collect(0);
	allocate(0, 16);
	threads[0].count += 1 << 20; /* outside of the buffer */
	assert_int_equal(leave(0, inner), 1016 + (1 << 20));
	allocate(0, 8);
	assert_int_equal(leave(0, outer), 24 + 1016 + (1 << 20) + 8);
	assert_int_equal(leave(0, hook_enter(env_of(0), NULL, 1)), 0);
}

CASE(each_of_many_open_calls_has_its_own, setup)
{
	enum { DEPTH = 2000 };
	jlong start[DEPTH];

	for (int i = 0; i < DEPTH; i++) {
		start[i] = hook_enter(env_of(0), NULL, 1);
		allocate(0, 8);
	}
	for (int i = DEPTH; i-- > 0;)
		assert_int_equal(leave(0, start[i]), 8 * (DEPTH - i));
}

/* The calls within it have lost their exits. */
CASE(a_call_that_is_found_again_has_its_own, setup)
{
	jlong outer = hook_enter(env_of(0), NULL, 1);

	allocate(0, 8);
	hook_enter(env_of(0), NULL, 1);
	hook_enter(env_of(0), NULL, 1);
	allocate(0, 8);
	assert_int_equal(leave(0, outer), 16);
	assert_int_equal(leave(0, sys_tsc()), -1); /* began unseen */
}

/* A collector is at work on the buffer of a thread that was held up here. */
CASE(what_cannot_be_read_whole_is_unknown, setup)
{
	jlong start = hook_enter(env_of(0), NULL, 1);

	allocate(0, 8);
	threads[0].buffer[0] = 0;
	assert_int_equal(leave(0, start), -1);
	start = hook_enter(env_of(0), NULL, 1);
	collect(0);
	assert_int_equal(leave(0, start), -1);
	start = hook_enter(env_of(0), NULL, 1);
	threads[0].count -= 1 << 30;
	assert_int_equal(leave(0, start), -1);
}

/* A collector has added what the buffer holds, and has not taken the buffer yet. */
CASE(a_buffer_that_a_collector_has_counted_is_not_counted_twice, setup)
{
	jlong start;

	allocate(0, 1256);
	allocated_collection_begins();
	threads[0].count += 1256;
	start = hook_enter(env_of(0), NULL, 1);
	threads[0].buffer[0] = threads[0].buffer[2] = 0;
	allocated_collection_ends();
	allocate(0, 1456);
	assert_int_equal(leave(0, start), -1);
	allocated_collection_begins();
	collect(0);
	start = hook_enter(env_of(0), NULL, 1); /* the collector is done with this thread */
	allocated_collection_ends();
	allocate(0, 24);
	assert_int_equal(leave(0, start), 24);
}

CASE(places_that_are_unreadable_are_not_read, setup)
{
	struct frt_config other = config;

	other.allocated.count = 1 << 20;
	allocated_begin(&other, env_of(0));
	assert_int_equal(leave(0, hook_enter(env_of(0), NULL, 1)), -1);
	other = config;
	other.flags = 0;
	allocated_begin(&other, env_of(0));
	assert_int_equal(leave(0, hook_enter(env_of(0), NULL, 1)), -1);
}

static void mount(int carrier, uint64_t id)
{
	running.java_id = 0;
	mounts_mount(env_of(carrier), NULL, id);
	running.java_id = id;
}

static void unmount(int carrier)
{
	mounts_unmount(env_of(carrier), NULL, running.java_id);
	running.java_id = 0;
}

CASE(a_virtual_thread_takes_its_count_along, setup)
{
	jlong outer, other;

	new_flags = FRT_SLOT_CARRIER;
	allocate(0, 5000);
	allocate(1, 70000);
	mount(0, 77);
	outer = hook_enter(env_of(0), NULL, 1);
	allocate(0, 24);
	unmount(0);
	mount(0, 88); /* another one on the same carrier */
	other = hook_enter(env_of(0), NULL, 1);
	allocate(0, 1 << 20);
	assert_int_equal(leave(0, other), 1 << 20);
	unmount(0);
	collect(1);
	mount(1, 77);
	allocate(1, 16);
	unmount(1);
	allocate(1, 512);
	mount(1, 77);
	allocate(1, 8);
	assert_int_equal(leave(1, outer), 48);
}

/* It came to its carrier before that was known. */
CASE(an_unseen_virtual_thread_has_no_value, setup)
{
	jlong start;

	new_flags = FRT_SLOT_CARRIER;
	mount_unseen = true;
	running.java_id = 77;
	start = hook_enter(env_of(0), NULL, 1);
	allocate(0, 24);
	assert_int_equal(leave(0, start), -1);
	running.java_id = 0;
	start = hook_enter(env_of(0), NULL, 1); /* of the carrier itself: it had no row */
	allocate(0, 24);
	assert_int_equal(leave(0, start), -1);
}

static struct frt_cell *cell(uint32_t method)
{
	return timing_cell(slot_find(env_of(0)), method);
}

CASE(a_timed_method_has_the_sum_of_its_calls, setup)
{
	struct frt_slot *s;

	*control_rule(0, 1) = 1ull << 40 << FRT_RULE_SHIFT | FRT_RULE_TIMED;
	for (int i = 0; i < 100; i++) {
		jlong start = hook_enter(env_of(0), NULL, 1);

		allocate(0, 8 * i);
		hook_leave(env_of(0), NULL, start, 1);
	}
	s = slot_find(env_of(0));
	assert_int_equal(s->recorded, 0);
	assert_int_equal(cell(1)->count, 100);
	assert_int_equal(timing_nested(s, cell(1))->allocated, 8 * 4950);
	assert_int_equal(cell(1)->unknown & FRT_UNKNOWN_ALLOCATED, 0);
	hook_leave(env_of(0), NULL, sys_tsc(), 1);
	assert_true(cell(1)->unknown & FRT_UNKNOWN_ALLOCATED);
}
