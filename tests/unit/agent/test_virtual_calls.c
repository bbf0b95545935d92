// SPDX-License-Identifier: BSD-2-Clause
/* Open calls of virtual threads. The JVM's answers and the JavaThread with its id are provided here. */
#include "uprobes/agent/virtual_calls.h"
#include "uprobes/agent/thread.h"
#include "tests/lib/new_control.h"

static struct {
	uint64_t env, owner_id;
} java_thread;
static JNIEnv *const env = (JNIEnv *)&java_thread.env;
static struct frt_slot *carrier;
static struct frt_config config;
static uint64_t running;
static bool running_virtual;
static unsigned int asked;

uint64_t thread_running_id(JNIEnv *e, bool *is_virtual)
{
	asked++;
	*is_virtual = running_virtual;
	return running;
}

static int setup(void **state)
{
	if (!new_control())
		return -1;
	config.flags = 0;
	config.layout = (struct frt_layout){.thread_owner_id = FRT_NO_OFFSET};
	virtual_calls_begin(&config);
	running = 77;
	running_virtual = true;
	asked = 0;
	carrier = control_slot(2);
	carrier->thread = 6;
	return 0;
}

static struct frt_virtual_call *find(uint64_t start)
{
	for (uint32_t i = 0; i < FRT_VIRTUAL_CALLS; i++)
		if (virtual_call(i)->start == start)
			return virtual_call(i);
	return NULL;
}

CASE(call_is_kept_until_it_ends, setup)
{
	uint64_t start = virtual_calls_enter(carrier, env, 9);
	struct frt_virtual_call *call = find(start);

	assert_non_null(call);
	assert_true(call->java_id == 77 && call->method == 9 && call->carrier == 6 && !call->open_dump);
	assert_int_equal(control->virtual_used, 1);
	assert_false(virtual_calls_leave(carrier, env, start, 8));
	assert_false(virtual_calls_leave(carrier, env, start + 2, 9));
	assert_true(virtual_calls_leave(carrier, env, start, 9));
	assert_false(virtual_calls_leave(carrier, env, start, 9));
	assert_null(find(start));
}

CASE(next_recording_begins_without_calls, setup)
{
	virtual_calls_enter(carrier, env, 9);
	virtual_calls_begin(&config);
	assert_int_equal(control->virtual_used, 0);
	for (uint32_t i = 0; i < FRT_VIRTUAL_CALLS; i++)
		assert_int_equal(virtual_call(i)->start, 0);
}

/* A layout with the offset of the id in a JavaThread. */
static void know_owner_id(void)
{
	config.layout = (struct frt_layout){.jdk_version = 25, .thread_env = 100, .thread_owner_id = 108};
	virtual_calls_begin(&config);
}

CASE(id_in_the_thread_is_trusted_after_it_has_agreed, setup)
{
	know_owner_id();
	for (uint64_t i = 0; i < 100; i++) {
		running = java_thread.owner_id = 1000 + i;
		assert_int_equal(find(virtual_calls_enter(carrier, env, 9))->java_id, 1000 + i);
	}
	assert_in_range(asked, 8, 50);
}

CASE(calls_of_the_carrier_itself_prove_nothing, setup)
{
	know_owner_id();
	running_virtual = false;
	java_thread.owner_id = running;
	for (uint64_t i = 0; i < 100; i++)
		virtual_calls_enter(carrier, env, 9);
	assert_int_equal(asked, 100);
}

CASE(id_that_was_wrong_once_is_never_trusted, setup)
{
	uint64_t start;

	know_owner_id();
	java_thread.owner_id = 5;
	virtual_calls_enter(carrier, env, 9);
	for (uint64_t i = 0; i < 100; i++) {
		java_thread.owner_id = running;
		start = virtual_calls_enter(carrier, env, 9);
		assert_int_equal(find(start)->java_id, 77);
	}
	assert_int_equal(asked, 101);
}

CASE(call_without_a_free_row_is_not_kept, setup)
{
	uint64_t start[40];
	uint32_t kept = 0;

	know_owner_id();
	java_thread.owner_id = running;
	for (int i = 0; i < 40; i++)
		virtual_calls_leave(carrier, env, virtual_calls_enter(carrier, env, 9), 9);
	for (int i = 0; i < 40; i++) {
		start[i] = virtual_calls_enter(carrier, env, 9);
		kept += find(start[i]) != NULL;
	}
	assert_int_equal(kept, 32);
	for (int i = 40; i-- > 0;)
		assert_true(virtual_calls_leave(carrier, env, start[i], 9));
	for (uint32_t i = 0; i < FRT_VIRTUAL_CALLS; i++)
		assert_int_equal(virtual_call(i)->start, 0);
}

/* The question costs more than all the rest. While the test does not run, there is time for more questions. */
CASE(jvm_is_not_asked_for_the_thread_too_often, setup)
{
	uint64_t start, calls = 0;

	do {
		start = virtual_calls_enter(carrier, env, 9);
		calls++;
	} while (asked == calls && calls < 100000);
	assert_in_range(asked, 1000, 99999);
	assert_null(find(start));
	assert_true(virtual_calls_leave(carrier, env, start, 9));
}

CASE(call_from_before_the_id_was_trusted_ends_afterwards, setup)
{
	uint64_t start;

	know_owner_id();
	java_thread.owner_id = running;
	start = virtual_calls_enter(carrier, env, 8);
	for (int i = 0; i < 40; i++)
		virtual_calls_leave(carrier, env, virtual_calls_enter(carrier, env, 9), 9);
	assert_in_range(asked, 8, 39);
	assert_true(virtual_calls_leave(carrier, env, start, 8));
}

/* ---- threads that are followed; the id is known by the hook at the mount */

static void followed(void)
{
	config.flags = FRT_CONFIG_MOUNTS;
	virtual_calls_begin(&config);
	carrier->flags = FRT_SLOT_CARRIER;
}

static void mount(struct frt_slot *s, uint64_t java_id)
{
	s->carrier = (struct frt_carrier){.java_id = java_id, .hooked = virtual_calls_followed};
	running = java_id;
}

static bool is_method_9(const void *context, uint32_t method, uint64_t start)
{
	return method == 9;
}

CASE(calls_of_a_followed_thread_are_found_without_a_question, setup)
{
	struct frt_slot *other = control_slot(3);
	uint64_t outer, inner;
	uint32_t of_9;

	followed();
	mount(carrier, 77);
	outer = virtual_calls_enter(carrier, env, 9);
	inner = virtual_calls_enter(carrier, env, 8);
	assert_int_equal(virtual_calls_count(carrier, env, is_method_9, NULL, &of_9), 2);
	assert_int_equal(of_9, 1);
	mount(carrier, 78);
	assert_int_equal(virtual_calls_count(carrier, env, is_method_9, NULL, &of_9), 0);
	other->flags = FRT_SLOT_CARRIER;
	mount(other, 77);
	assert_true(virtual_calls_leave(other, env, inner, 8));
	assert_int_equal(virtual_calls_count(other, env, is_method_9, NULL, &of_9), 1);
	assert_true(virtual_calls_leave(other, env, outer, 9));
	assert_int_equal(virtual_calls_count(other, env, is_method_9, NULL, &of_9), 0);
	assert_int_equal(asked, 0);
}

CASE(call_from_before_the_first_mount_is_one_of_its_thread, setup)
{
	uint64_t outer, inner;
	uint32_t of_9;

	followed();
	outer = virtual_calls_enter(carrier, env, 9); /* the JVM says who runs */
	assert_int_equal(asked, 1);
	mount(carrier, 77);
	inner = virtual_calls_enter(carrier, env, 9);
	assert_int_equal(virtual_calls_count(carrier, env, is_method_9, NULL, &of_9), 2);
	assert_true(virtual_calls_leave(carrier, env, inner, 9));
	assert_true(virtual_calls_leave(carrier, env, outer, 9));
	assert_int_equal(asked, 1);
	inner = virtual_calls_enter(carrier, env, 9);
	carrier->carrier.hooked = 0;
	assert_true(virtual_calls_leave(carrier, env, inner, 9));
	assert_int_equal(asked, 2);
}

CASE(mount_of_an_earlier_recording_says_nothing, setup)
{
	uint64_t start;

	followed();
	mount(carrier, 77);
	running = 78;
	followed(); /* again */
	start = virtual_calls_enter(carrier, env, 9);
	assert_int_equal(find(start)->java_id, 78);
	config.flags = 0;
	virtual_calls_begin(&config);
	running = 79;
	start = virtual_calls_enter(carrier, env, 9);
	assert_int_equal(find(start)->java_id, 79);
}
