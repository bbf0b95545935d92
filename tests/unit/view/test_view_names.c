// SPDX-License-Identifier: BSD-2-Clause
/* How views name virtual threads, and the place of several waits. */
#include "tests/unit/view/shown.h"

static uint64_t virtual_thread(int64_t id, const char *name)
{
	return jfr_thread(r.w, &(struct jfr_thread_constant){.name = name, .java_id = id, .is_virtual = true});
}

/* Most of them have no name. */
CASE(virtual_threads_have_a_row_for_each_kind_and_a_name_each, setup, teardown)
{
	uint64_t woken = virtual_thread(9, "");
	struct jfr_method_trace call = {.start = T0, .duration = 100 * MS, .blocked = MS, .thread = woken};

	for (int64_t i = 0; i < 10; i++) {
		char name[] = "order-0";
		struct jfr_thread_wait wait = {
			.start = T0 + i * MS, .duration = 100 * US, .thread = woken, .reason = "parked"};

		name[6] += i;
		wait.waker = virtual_thread(30 + i, i % 2 ? "" : name);
		jfr_thread_wait(r.w, &wait);
	}
	call.method = recording_method(&r, "checkout");
	jfr_method_trace(r.w, &call);
	assert_contains(show("waits"), "\norder-*       5 500 us  100 us  100 us\nthread #*     5 500 us ");
	assert_contains(show("slowest"), " \"thread #9\"\n");
}

CASE(of_waits_at_one_place_the_stack_is_shown_once, setup, teardown)
{
	uint64_t thread = recording_thread(&r, 1);
	struct jfr_method_trace call = {.start = T0, .duration = 100 * MS, .blocked = 54 * MS, .thread = thread};
	struct jfr_thread_wait wait = {.start = T0, .duration = 20 * MS, .thread = thread, .reason = "futex"};

	call.method = recording_method(&r, "checkout");
	wait.stack = recording_stack(&r, recording_method(&r, "lock"), 7);
	for (int i = 0; i < 3; i++) {
		wait.reason = i == 1 ? "pipe" : "futex";
		jfr_thread_wait(r.w, &wait);
		wait.start += 30 * MS;
		wait.duration -= 2 * MS;
	}
	jfr_method_trace(r.w, &call);
	assert_contains(show("slowest"), "        20.0ms futex\n            com.acme.Cart.lock():7\n"
					 "        18.0ms pipe\n            com.acme.Cart.lock():7\n"
					 "        16.0ms futex at the same place\n");
}
