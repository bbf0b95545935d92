// SPDX-License-Identifier: BSD-2-Clause
/* Which call is the outermost one of an event. The source is included; the open calls of virtual threads are provided here. */
#include "uprobes/agent/sys.h"
#include "tests/lib/test.h"
#include "uprobes/agent/fields/fields_nesting.c"

#define EVENT_METHOD 7
#define OTHER_METHOD 8
#define SINCE	     1000

uint64_t recordings_since[FRT_RECORDINGS] = {SINCE};

static uint32_t kept, of_event; /* of a virtual thread, in the table */

uint32_t virtual_calls_count(const struct frt_slot *s, JNIEnv *env,
			     bool (*counts)(const void *context, uint32_t method, uint64_t start), const void *context,
			     uint32_t *count)
{
	*count = of_event;
	return kept;
}

static struct frt_slot slot;
static struct live_plan *plan;
static struct {
	struct plan_header header;
	struct plan_field field[2];
} bytes;
static const struct plan_field *const asked = &bytes.field[0], *const always = &bytes.field[1];

static int setup(void **state)
{
	static struct live_plan p;

	slot = (struct frt_slot){.depth = 0};
	bytes.header.fields = 2;
	bytes.field[0].outermost = 3;
	p.plan = (struct plan){&bytes, sizeof(bytes)};
	plan = &p;
	kept = of_event = 0;
	if (!fields_nesting_begin(plan))
		return -1;
	fields_nesting_note(plan, asked, EVENT_METHOD);
	fields_nesting_note(plan, always, OTHER_METHOD);
	fields_nesting_note(plan, asked, FRT_NO_METHOD);
	return 0;
}

static int teardown(void **state)
{
	fields_nesting_end(plan);
	return 0;
}

static void open_one(uint32_t method, uint64_t start)
{
	if (slot.depth < FRT_OPEN_CALLS)
		slot.open[slot.depth] = (struct frt_open_call){.method = method, .start = start};
	slot.depth++;
}

static enum plan_nesting ended(void)
{
	return fields_nesting_ask(NULL, plan, asked, &slot, false);
}

static enum plan_nesting begun(void)
{
	return fields_nesting_ask(NULL, plan, asked, &slot, true);
}

CASE(call_in_another_call_of_the_event_is_an_inner_one, setup, teardown)
{
	assert_int_equal(ended(), PLAN_IS_OUTERMOST);
	open_one(OTHER_METHOD, SINCE);
	assert_int_equal(ended(), PLAN_IS_OUTERMOST);
	open_one(EVENT_METHOD, SINCE + 1);
	assert_int_equal(begun(), PLAN_IS_OUTERMOST); /* it is the one that begins */
	assert_int_equal(ended(), PLAN_INNER);
	open_one(EVENT_METHOD, SINCE + 2);
	assert_int_equal(begun(), PLAN_INNER);
	assert_int_equal(fields_nesting_ask(NULL, plan, always, &slot, false), PLAN_IS_OUTERMOST);
}

CASE(call_that_began_before_the_recording_does_not_count, setup, teardown)
{
	open_one(EVENT_METHOD, SINCE - 1);
	assert_int_equal(ended(), PLAN_IS_OUTERMOST);
}

CASE(what_is_not_kept_of_many_open_calls_is_not_known, setup, teardown)
{
	for (uint32_t i = 0; i < FRT_OPEN_CALLS; i++)
		open_one(OTHER_METHOD, SINCE);
	assert_int_equal(ended(), PLAN_IS_OUTERMOST);
	open_one(OTHER_METHOD, SINCE);
	assert_int_equal(ended(), PLAN_NESTING_UNKNOWN);
	assert_int_equal(begun(), PLAN_IS_OUTERMOST);
	slot.open[0].method = EVENT_METHOD;
	assert_int_equal(ended(), PLAN_INNER);
	assert_int_equal(begun(), PLAN_INNER);
}

CASE(virtual_threads_calls_are_those_of_the_table, setup, teardown)
{
	slot.flags = FRT_SLOT_CARRIER;
	assert_int_equal(ended(), PLAN_NESTING_UNKNOWN); /* who runs is not known */
	slot.carrier = (struct frt_carrier){.java_id = 5, .depth = 0, .followed = true};
	assert_int_equal(ended(), PLAN_IS_OUTERMOST);
	slot.carrier.depth = kept = 2;
	assert_int_equal(ended(), PLAN_IS_OUTERMOST);
	kept = 1; /* the other one is not in the table */
	assert_int_equal(ended(), PLAN_NESTING_UNKNOWN);
	of_event = 1;
	assert_int_equal(ended(), PLAN_INNER);
	slot.carrier.depth = 1;
	assert_int_equal(begun(), PLAN_IS_OUTERMOST);
	kept = of_event = 2;
	assert_int_equal(begun(), PLAN_INNER);
}
