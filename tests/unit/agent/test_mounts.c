// SPDX-License-Identifier: BSD-2-Clause
/*
 * Virtual threads in calls that change their carriers. A JNIEnv is a carrier; all of them are this thread. The source
 * is included for its private table, which is what frtrace:mount will report.
 */
#include "tests/lib/machine/machine.h"
#include "uprobes/agent/mounts.c"
#include "uprobes/agent/hook.h"
#include "tests/unit/agent/hooked.h"

#define A ((JNIEnv *)0x7f12000003c0)
#define B ((JNIEnv *)0x7f12000103c0)
#define C ((JNIEnv *)0x7f12000203c0)
#define V 77

static int setup(void **state)
{
	if (!new_control())
		return -1;
	control->epoch = 1;
	slot_reset_all();
	mounts_begin();
	frtrace_drain_semaphore = 1;
	frtrace_poll_semaphore = 0;
	control_since = 1;
	running.java_id = 0;
	new_flags = FRT_SLOT_CARRIER;
	return 0;
}

static void mount(JNIEnv *env, uint64_t id)
{
	running.java_id = 0;
	mounts_mount(env, NULL, id);
	running.java_id = id;
}

static void unmount(JNIEnv *env)
{
	mounts_unmount(env, NULL, running.java_id);
	running.java_id = 0;
}

static void enter_and_park(JNIEnv *env, uint64_t id, jlong *start)
{
	mount(env, id);
	*start = hook_enter(env, NULL, 1);
	unmount(env);
}

/* End the call, and say whether it was followed. */
static bool leave(JNIEnv *env, jlong start)
{
	struct frt_slot *s = slot_find(env);
	struct frt_span r;

	hook_leave(env, NULL, start, 1);
	memcpy(&r, ring_at(s) + ((s->head - FRT_RECORD_SIZE) & (ring_size(s) - 1)), sizeof(r));
	assert_int_equal(r.start, start);
	assert_int_equal(r.flags & ~FRT_SPAN_FOLLOWED, running.java_id ? FRT_SPAN_VIRTUAL : 0);
	return r.flags & FRT_SPAN_FOLLOWED;
}

static uint32_t key_of(JNIEnv *env)
{
	return slot_find(env)->virtual_key;
}

CASE(a_carrier_shows_its_thread_while_that_is_in_a_call, setup)
{
	jlong outer, inner;

	mount(A, V);
	assert_int_equal(key_of(A), 0);
	outer = hook_enter(A, NULL, 1);
	inner = hook_enter(A, NULL, 1);
	assert_int_equal(key_of(A), frt_virtual_key(V));
	assert_true(leave(A, inner));
	assert_int_equal(key_of(A), frt_virtual_key(V));
	assert_true(leave(A, outer));
	assert_int_equal(key_of(A), 0);
	assert_int_equal(slot_find(A)->depth, 0);
}

CASE(a_parked_thread_is_followed_to_another_carrier, setup)
{
	jlong start, other;

	enter_and_park(A, V, &start);
	assert_int_equal(key_of(A), 0);
	mount(A, 78); /* another thread on the first one */
	other = hook_enter(A, NULL, 1);
	assert_true(leave(A, other));
	mount(B, V);
	assert_int_equal(key_of(B), frt_virtual_key(V));
	assert_int_equal(slot_find(B)->mounts, 1);
	assert_true(leave(B, start));
	assert_int_equal(key_of(B), 0);
}

CASE(a_thread_in_no_call_leaves_nothing_behind, setup)
{
	mount(A, V);
	unmount(A);
	mount(B, V);
	assert_int_equal(key_of(B), 0);
	assert_int_equal(slot_find(B)->mounts, 0);
}

CASE(a_call_that_began_before_the_first_mount_is_not_followed, setup)
{
	jlong outer = sys_tsc(), inner;

	mount(A, V);
	inner = hook_enter(A, NULL, 1);
	assert_true(leave(A, inner));
	inner = hook_enter(A, NULL, 1);
	assert_false(leave(A, outer));
	assert_int_equal(key_of(A), frt_virtual_key(V)); /* the inner call is still open */
	assert_true(leave(A, inner));
}

CASE(a_thread_that_is_mounted_when_its_carrier_is_first_seen_is_followed, setup)
{
	jlong start;

	running.java_id = V;
	start = hook_enter(A, NULL, 1);
	unmount(A);
	mount(B, V);
	assert_true(leave(B, start));
}

CASE(calls_of_a_carrier_itself_are_not_followed, setup)
{
	jlong start = hook_enter(A, NULL, 1);

	assert_int_equal(key_of(A), 0);
	assert_false(leave(A, start));
}

CASE(a_thread_that_has_ended_is_forgotten, setup)
{
	mount(A, V);
	hook_enter(A, NULL, 1); /* a StackOverflowError swallows its exit */
	mounts_end(A, NULL, V);
	assert_int_equal(key_of(A), 0);
	running.java_id = 0;
	mount(B, V);
	assert_int_equal(key_of(B), 0);
}

CASE(threads_that_find_no_room_are_not_followed, setup)
{
	enum { MANY = 40000 };
	static jlong start[MANY];
	unsigned int followed = 0;

	for (uint64_t i = 0; i < MANY; i++)
		enter_and_park(A, 1000 + i, &start[i]);
	for (uint64_t i = 0; i < MANY; i++) {
		mount(B, 1000 + i);
		followed += leave(B, start[i]);
		unmount(B);
	}
	assert_in_range(followed, MANY / 2, ROWS);
	enter_and_park(A, V, &start[0]);
	mount(B, V);
	assert_true(leave(B, start[0]));
}

CASE(the_next_recording_knows_no_threads, setup)
{
	jlong start;

	enter_and_park(A, V, &start);
	mounts_begin();
	mount(B, V);
	assert_false(leave(B, start));
}

static const struct parked *parked_thread(uint64_t id)
{
	int64_t at = mounts_find(id);

	assert_true(at >= 0);
	return &rows[at];
}

CASE(the_first_that_makes_it_ready_is_the_waker, setup)
{
	uint64_t before = sys_tsc(), ready;
	jlong start;

	enter_and_park(A, V, &start);
	assert_int_equal(parked_thread(V)->ready, 0);
	new_flags = 0; /* a platform thread in no call */
	mounts_ready(C, NULL, V);
	ready = parked_thread(V)->ready;
	assert_in_range(ready, before, sys_tsc());
	assert_true(parked_thread(V)->off < ready);
	assert_int_equal(parked_thread(V)->waker, slot_find(C)->thread);
	mounts_ready(A, NULL, V);
	assert_int_equal(parked_thread(V)->ready, ready);
	assert_int_equal(parked_thread(V)->waker, slot_find(C)->thread);
	new_flags = FRT_SLOT_CARRIER;
	mount(B, V);
	unmount(B);
	assert_int_equal(parked_thread(V)->ready, 0); /* the next park */
}

CASE(a_virtual_thread_is_a_waker_by_its_key, setup)
{
	jlong start;

	enter_and_park(A, V, &start);
	mount(A, 78);
	mounts_ready(A, NULL, V);
	assert_int_equal(parked_thread(V)->waker, frt_virtual_key(78));
}

CASE(without_a_place_for_its_slot_a_waker_is_unknown, setup)
{
	jlong start;

	enter_and_park(A, V, &start);
	control->slots_missing = 1;
	mounts_ready(C, NULL, V);
	assert_true(parked_thread(V)->ready && !parked_thread(V)->waker);
	assert_int_equal(control->slots_missing, 1);
}

CASE(the_reason_holds_until_the_wait_is_over, setup)
{
	mount(A, V);
	hook_enter(A, NULL, 1);
	mounts_waits(A, NULL, FRT_WAIT_SLEEP);
	unmount(A);
	assert_int_equal(parked_thread(V)->reason, FRT_WAIT_SLEEP);
	mount(B, V); /* woken early, and goes on sleeping */
	unmount(B);
	assert_int_equal(parked_thread(V)->reason, FRT_WAIT_SLEEP);
	mount(B, V);
	mounts_waited(B, NULL, 0, FRT_WAIT_SLEEP);
	unmount(B);
	assert_int_equal(parked_thread(V)->reason, 0);
}

CASE(the_stack_of_a_park_that_kept_the_carrier_is_dropped, setup)
{
	mount(A, V);
	hook_enter(A, NULL, 1);
	slot_find(A)->carrier.stack = 9;
	mounts_waited(A, NULL, 0, FRT_WAIT_PARKED);
	unmount(A);
	assert_int_equal(parked_thread(V)->stack, 0);
}

CASE(a_poll_has_a_number_until_it_is_over, setup)
{
	uint32_t first;

	frtrace_poll_semaphore = 1;
	mount(A, V);
	hook_enter(A, NULL, 1);
	mounts_polls(A, NULL, 9, 0);
	first = slot_find(A)->carrier.polled;
	assert_int_not_equal(first, 0);
	unmount(A);
	assert_int_equal(parked_thread(V)->polled, first);
	mount(B, V);
	assert_int_equal(slot_find(B)->carrier.polled, first);
	mounts_polled(B, NULL, 0, 0);
	unmount(B);
	assert_int_equal(parked_thread(V)->polled, 0);
	mount(A, V);
	mounts_polls(A, NULL, 9, 0);
	assert_true(slot_find(A)->carrier.polled > first);
}

/* The descriptors 7 and 7 + POLLS share a place. */
CASE(a_poller_that_gets_a_descriptor_is_asked_once, setup)
{
	uint64_t poll;

	frtrace_poll_semaphore = 1;
	mount(A, V);
	mounts_polls(A, NULL, 7, 0); /* in no call */
	assert_int_equal(mounts_registers(B, NULL, 7, 0), 0);
	hook_enter(A, NULL, 1);
	mounts_polls(A, NULL, 7, 0);
	assert_int_equal(mounts_registers(B, NULL, 7 + POLLS, 0), 0);
	poll = mounts_registers(B, NULL, 7, 0);
	assert_int_equal((uint32_t)poll, 7);
	assert_int_equal(poll >> 32, slot_find(A)->carrier.polled);
	mounts_registered(B, NULL, poll, 0);
	assert_int_equal(mounts_registers(B, NULL, 7, 0), 0);
	frtrace_poll_semaphore = 0;
	mounts_polls(A, NULL, 7, 0);
	assert_int_equal(mounts_registers(B, NULL, 7, 0), 0);
}

CASE(a_platform_thread_mounts_nothing, setup)
{
	new_flags = 0;
	mount(A, V);
	hook_enter(A, NULL, 1);
	assert_int_equal(key_of(A), 0);
	assert_int_equal(slot_find(A)->depth, 1);
}

CASE(without_a_recording_no_slot_is_taken, setup)
{
	control_since = UINT64_MAX;
	mount(A, V);
	mounts_ready(A, NULL, V);
	assert_null(slot_find(A));
}

/* A record of OTEP 4947, and the variable of this thread, which stands for all carriers. */
static __thread const void *variable __attribute__((tls_model("local-exec")));
static uint64_t word;

static void publish(void)
{
	word = (uint64_t)&variable - sys_thread_pointer();
	control->recording[0].context = (struct frt_context){.word = (uint64_t)&word, .value = word};
	variable = NULL;
}

/* Has a call that ends now ids of a trace? */
static bool is_traced(JNIEnv *env)
{
	struct frt_field f;
	bool traced;

	hook_leave(env, NULL, hook_enter(env, NULL, 1), 1); /* names the thread */
	traced = trace_context_read(slot_find(env), running.java_id ? FRT_SPAN_VIRTUAL : 0, &f);
	assert_true(!traced || (f.number == FRT_FIELD_TRACE && f.data[0] == 1 && f.data[23] == 24));
	return traced;
}

CASE(a_trace_is_a_virtual_threads_if_there_was_none_when_it_came, setup)
{
	static const uint8_t record[28] = {1, [23] = 24, [24] = 1};

	publish();
	mount(A, V);
	assert_false(is_traced(A));
	variable = record;
	assert_true(is_traced(A));
	unmount(A);
	mount(A, 78); /* the record is still there */
	assert_false(is_traced(A));
	variable = NULL;
	variable = record; /* its own, which nobody can know */
	assert_false(is_traced(A));
	variable = NULL;
	unmount(A);
	mount(A, V);
	variable = record;
	assert_true(is_traced(A));
}

CASE(a_trace_of_a_carrier_is_nobodys, setup)
{
	static const uint8_t record[28] = {1, [23] = 24, [24] = 1};

	publish();
	running.java_id = V;
	variable = record;
	assert_false(is_traced(A)); /* it was there before its carrier was seen */
	mount(B, V);
	variable = NULL;
	unmount(B);
	variable = record;
	assert_false(is_traced(B)); /* the carrier itself */
	variable = NULL;
	mount(B, V);
	variable = record;
	assert_true(is_traced(B));
	running.java_id = 78; /* one whose mount was not seen */
	assert_false(is_traced(B));
}

CASE(another_variable_is_not_the_one_that_was_null, setup)
{
	static const uint8_t record[28] = {1, [23] = 24, [24] = 1};
	uint64_t other;

	publish();
	mount(A, V);
	variable = record;
	other = word;
	control->recording[0].context.word = (uint64_t)&other;
	assert_false(is_traced(A));
	control->recording[0].context.word = 0;
	assert_false(is_traced(A));
	publish();
	variable = record;
	assert_true(is_traced(A));
}
