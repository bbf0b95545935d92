// SPDX-License-Identifier: BSD-2-Clause
/* Calls that several recordings follow at the same time. */
#include "tests/unit/agent/hook_calls.h"
#include "user/segment/segment.h"

/* Recording 0 has begun the epoch; 1 has joined. */
static void second_joins(void)
{
	for (uint32_t r = 0; r < 2; r++) {
		control->recording[r].state = FRT_ACTIVE;
		control->recording[r].number = r + 1;
	}
	for (uint32_t method = 0; method < 100; method++)
		*control_rule(1, method) = FRT_RULE_UNTRACED;
	control->joined++;
	recordings_shared = true;
	recordings_epoch = recordings_since[0] = 1;
	control_since = UINT64_MAX;
	recordings_since[1] = sys_tsc();
}

/* What the collector of a recording sees. */
static struct segment_totals totals_of(uint32_t recording)
{
	struct segment seg = {.fd = -1, .base = (char *)control, .recording = recording};
	struct segment_totals t;

	segment_totals(&seg, &t);
	return t;
}

CASE(each_recording_gets_its_own_calls, setup)
{
	jlong early = hook_enter(env, NULL, 5);
	struct frt_slot *s;

	call(3);
	second_joins();
	*control_rule(0, 4) = FRT_RULE_UNTRACED; /* 3 is the first one's, 4 the second one's, 5 both ones' */
	*control_rule(1, 4) = *control_rule(1, 5) = 0;
	s = call(3);
	assert_int_equal(last(s, 0).flags, FRT_SPAN_NOT(1) | FRT_SPAN_NOT(2) | FRT_SPAN_NOT(3));
	call(4);
	assert_int_equal(last(s, 0).flags, FRT_SPAN_NOT(0) | FRT_SPAN_NOT(2) | FRT_SPAN_NOT(3));
	call(5);
	assert_int_equal(last(s, 0).flags, FRT_SPAN_NOT(2) | FRT_SPAN_NOT(3));
	assert_int_equal(totals_of(0).open, 1);
	hook_leave(env, NULL, early, 5); /* it began before the second one */
	assert_int_equal(last(s, 0).flags, FRT_SPAN_NOT(1) | FRT_SPAN_NOT(2) | FRT_SPAN_NOT(3));
	assert_int_equal(totals_of(0).entered, 4);
	assert_int_equal(totals_of(0).exited, 4);
	assert_int_equal(totals_of(1).entered, 2);
	assert_int_equal(totals_of(1).exited, 2);
	assert_int_equal(totals_of(1).recorded, 2);
	recordings_since[0] = UINT64_MAX; /* the first one ends */
	call(5);
	assert_int_equal(totals_of(0).exited, 4);
	assert_int_equal(totals_of(1).exited, 3);
	assert_int_equal(s->depth, 0);
}

CASE(thresholds_are_each_recordings_own, setup)
{
	struct frt_slot *s;

	second_joins();
	*control_rule(0, 5) = 1ull << 50 << FRT_RULE_SHIFT;
	*control_rule(1, 5) = FRT_RULE_THROWN;
	s = call(5);
	assert_int_equal(s->head, 0);
	hook_thrown(env, NULL, hook_enter(env, NULL, 5), 5);
	assert_int_equal(last(s, 0).flags, FRT_SPAN_THROWN | FRT_SPAN_NOT(0) | FRT_SPAN_NOT(2) | FRT_SPAN_NOT(3));
	assert_int_equal(totals_of(0).exited, 2);
	assert_int_equal(totals_of(0).recorded, 0);
	assert_int_equal(totals_of(1).exited, 2);
	assert_int_equal(totals_of(1).recorded, 1);
	assert_int_equal(totals_of(1).thrown, 1);
}

/* Also those deeper than the slot keeps, whose methods it does not know. */
CASE(lost_exits_are_each_recordings_own, setup)
{
	jlong first;

	second_joins();
	*control_rule(1, 4) = *control_rule(1, 5) = 0;
	first = hook_enter(env, NULL, 5);
	for (unsigned int i = 0; i < 2 * FRT_OPEN_CALLS; i++)
		hook_enter(env, NULL, 3);
	for (int i = 0; i < 10; i++)
		hook_enter(env, NULL, 4);
	hook_thrown(env, NULL, first, 5);
	assert_int_equal(totals_of(0).lost_exits, 2 * FRT_OPEN_CALLS + 10);
	assert_int_equal(totals_of(1).lost_exits, 10);
	assert_int_equal(totals_of(0).open + totals_of(1).open, 0);
	hook_enter(env, NULL, 4);
	hook_enter(env, NULL, 3);
	slot_release(env);
	assert_int_equal(totals_of(0).lost_exits, 2 * FRT_OPEN_CALLS + 12);
	assert_int_equal(totals_of(1).lost_exits, 11);
	slot_jvm_ends(env);
	assert_int_equal(totals_of(0).open, 2);
	assert_int_equal(totals_of(1).open, 1);
}

CASE(row_that_is_used_again_begins_with_nothing, setup)
{
	second_joins();
	*control_rule(1, 5) = FRT_RULE_TIMED;
	call(5);
	assert_int_equal(totals_of(1).exited, 1);
	control->recording[1].number = 9;
	control->joined++;
	recordings_since[1] = sys_tsc();
	assert_int_equal(totals_of(1).exited, 0);
	call(5);
	assert_int_equal(totals_of(1).exited, 1);
	assert_int_equal(totals_of(0).exited, 2);
}
