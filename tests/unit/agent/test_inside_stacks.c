// SPDX-License-Identifier: BSD-2-Clause
/* --inside: which calls have a stack, and what the throttle learns of those that are taken back. */
#include "tests/unit/agent/in_roots.h"

/* The stack of the last call. The fake thread's stack cannot be walked: 0. */
static uint32_t last_stack(void)
{
	const struct frt_slot *s = slot_find(A);

	return span_at(s, s->head / FRT_RECORD_SIZE - 1).stack;
}

static void begin_with_stacks(void)
{
	((struct frt_config *)control_config(0))->tick_scale = UINT64_MAX; /* a brief call: less than 2^32 ticks */
	stack_depth = 64;
}

static int no_stacks(void **state)
{
	stack_depth = 0;
	return 0;
}

CASE(brief_calls_have_no_stack_until_their_root_is_kept_for_sure, setup, no_stacks)
{
	struct frt_inside *in;
	jlong start;

	begin_with_stacks();
	start = hook_enter(A, NULL, NEVER);
	in = control_inside(slot_find(A));
	call(A, CHILD);
	assert_true(last_stack() == FRT_STACK_UNTAKEN);
	in->start -= 1ull << 49;
	call(A, CHILD);
	assert_true(last_stack() == FRT_STACK_UNTAKEN);
	in->start -= 1ull << 49;
	call(A, CHILD);
	assert_true(last_stack() == 0);
	in->start = start;
	call(A, CHILD);
	assert_true(last_stack() == FRT_STACK_UNTAKEN);
	assert_int_equal(control->stacks_off, 1);
	stack_depth = 0;
	call(A, CHILD);
	assert_true(last_stack() == 0);
	assert_int_equal(control->stacks_off, 1);
}

/* A call that began 2^33 ticks ago. */
static void long_call(jint method)
{
	jlong start = hook_enter(A, NULL, method);
	struct frt_slot *s = slot_find(A);

	s->open[s->depth - 1].start -= 1ull << 33;
	hook_leave(A, NULL, start - (1ll << 33), method);
}

CASE(long_and_failed_calls_and_those_with_values_always_have_a_stack, setup, no_stacks)
{
	begin_with_stacks();
	hook_enter(A, NULL, NEVER);
	long_call(CHILD);
	assert_true(last_stack() == 0);
	hook_thrown(A, NULL, hook_enter(A, NULL, CHILD), CHILD);
	assert_true(last_stack() == 0);
	hook_left(A, NULL, hook_enter(A, NULL, CHILD), CHILD);
	assert_true(last_stack() == 0);
	call(A, CHILD);
	assert_true(last_stack() == FRT_STACK_UNTAKEN);
	assert_int_equal(control->stacks_off, 3);
}

CASE(roots_have_stacks_and_all_calls_in_those_that_are_always_kept, setup, no_stacks)
{
	begin_with_stacks();
	root(A, ALL, 1, false);
	assert_int_equal(control->stacks_off, 2);
	root(A, THROWN, 1, true);
	assert_int_equal(control->stacks_off, 3);
	assert_true(last_stack() == 0);
	((struct frt_config *)control_config(0))->keep = 100;
	root(A, NEVER, 1, false);
	assert_int_equal(control->stacks_off, 5);
}

CASE(a_fiftieth_of_the_needed_time_is_no_brief_call, setup)
{
	const struct frt_inside *in;

	((struct frt_config *)control_config(0))->tick_scale = 2ull << 32;
	set_rule(NEVER, 50000000, FRT_RULE_ROOT);
	root(A, NEVER, 0, false);
	in = control_inside(slot_find(A));
	assert_int_equal(in->brief, 1000000);
	set_rule(NEVER, 500000000, FRT_RULE_ROOT); /* a millisecond is always enough */
	root(A, NEVER, 0, false);
	assert_int_equal(in->brief, 2000000);
	root(A, THROWN, 0, false);
	assert_int_equal(in->brief, 2000000);
}

/* So that the throttle learns of calls which no collector sees. One of a thousand is drawn. */
CASE(calls_that_are_taken_back_are_estimated_by_method, setup)
{
	const struct frt_taken *child, *stray;
	uint64_t all = 0;

	for (int i = 0; i < 40000; i++) {
		jlong start = hook_enter(A, NULL, NEVER);

		calls(A, CHILD, 3);
		call(A, STRAY);
		hook_leave(A, NULL, start, NEVER);
		all += 4;
	}
	child = control_taken(CHILD);
	stray = control_taken(STRAY);
	assert_in_range(all - child->calls - stray->calls, 0, 1100);
	assert_in_range(child->calls, all * .5, all * .95);
	assert_int_equal(child->threads, 1ull << slot_find(A)->thread % 64);
	assert_int_equal(control_taken(NEVER)->calls + control_taken(ALL)->calls, 0);
	control->methods = TIMED;
	inside_begin();
	assert_int_equal(child->calls + stray->calls + child->threads, 0);
}

/* Values, names and marks are no calls. */
CASE(estimate_of_calls_with_values_counts_spans, setup)
{
	jlong start;

	for (int i = 0; i < 2000; i++) {
		start = hook_enter(A, NULL, NEVER);
		call(A, CHILD);
		ring_append(slot_find(A), (uint64_t[]){0, 0, 0, (uint64_t)FRT_FIELD << 32 | 1ull << 48}, sys_tsc());
		hook_leave(A, NULL, start, NEVER);
	}
	assert_int_equal(control_taken(CHILD)->calls, 1024);
}
