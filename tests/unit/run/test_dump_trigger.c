// SPDX-License-Identifier: BSD-2-Clause
/* Which calls make a dump due, and how often. A tick is a nanosecond. */
#include "user/run/dump_trigger.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"
#include "user/process/tsc.h"

#define S 1000000000ll

static struct bench {
	struct segment segment;
	struct clock clock;
	struct condition_list conditions;
	struct dump_trigger *trigger;
	struct stream_sink sink;
	uint32_t pay, refund;
	size_t passed; /* spans that reached the next sink */
} *b;

static void on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	b->passed += n;
}

static void on_cover(void *context, uint64_t tsc)
{
}

static int setup(void **state)
{
	uint32_t class_id;

	b = calloc(1, sizeof(*b));
	if (!b)
		return -1;
	b->segment = fake_segment_new();
	b->clock = fake_clock();
	class_id = fake_class(&b->segment, "a/Cart", 0, 0);
	b->pay = fake_method(&b->segment, class_id, "pay", "()V", 0);
	b->refund = fake_method(&b->segment, class_id, "refund", "()V", 0);
	return 0;
}

static int teardown(void **state)
{
	dump_trigger_free(b->trigger);
	condition_list_release(&b->conditions);
	fake_segment_free(&b->segment);
	free(b);
	return 0;
}

static void begin(const char *condition)
{
	const struct stream_sink next = {.spans = on_spans, .cover = on_cover};
	struct diag d;

	assert_int_equal(condition_add(&b->conditions, CONDITION_DUMP_WHEN, condition, &d), 0);
	b->trigger = dump_trigger_new(&b->conditions, &b->segment, &b->clock);
	assert_non_null(b->trigger);
	b->sink = dump_trigger_sink(b->trigger, &next);
}

static void call(uint32_t method, uint64_t ns, uint16_t flags)
{
	struct frt_span s = fake_span(1000, method, 1, flags);

	s.duration = ns;
	b->sink.spans(b->sink.context, &s, 1, NULL);
}

CASE(a_slow_call_is_named_once, setup, teardown)
{
	begin("a.Cart::pay >1s");
	call(b->pay, 1 * S, 0);
	call(b->refund, 9 * S, 0);
	assert_null(dump_trigger_due(b->trigger, 1));
	call(b->pay, 2 * S, 0);
	call(b->pay, 3 * S, 0);
	assert_string_equal(dump_trigger_due(b->trigger, 2), "a.Cart::pay >1s: a.Cart.pay() took 2.0 s");
	assert_null(dump_trigger_due(b->trigger, 3 + DUMP_TRIGGER_PAUSE));
	assert_int_equal(b->passed, 4);
}

CASE(only_a_call_that_threw_is_thrown, setup, teardown)
{
	begin("a.Cart thrown");
	call(b->pay, 9 * S, 0);
	assert_null(dump_trigger_due(b->trigger, 1));
	call(b->refund, 5, FRT_SPAN_THROWN);
	assert_string_equal(dump_trigger_due(b->trigger, 1), "a.Cart thrown: a.Cart.refund() threw after 5 ns");
}

CASE(what_happens_in_the_pause_is_dumped_after_it, setup, teardown)
{
	begin("a.Cart::pay >1s");
	call(b->pay, 2 * S, 0);
	assert_non_null(dump_trigger_due(b->trigger, S));
	call(b->pay, 2 * S, 0);
	assert_null(dump_trigger_due(b->trigger, S + DUMP_TRIGGER_PAUSE - 1));
	assert_non_null(dump_trigger_due(b->trigger, S + DUMP_TRIGGER_PAUSE));
}

CASE(the_number_of_dumps_is_bounded, setup, teardown)
{
	int64_t now = 0;

	begin("a.Cart::pay >1s");
	for (unsigned int i = 0; i < DUMP_TRIGGER_MOST; i++) {
		call(b->pay, 2 * S, 0);
		assert_non_null(dump_trigger_due(b->trigger, now += DUMP_TRIGGER_PAUSE));
	}
	call(b->pay, 2 * S, 0);
	assert_null(dump_trigger_due(b->trigger, now += DUMP_TRIGGER_PAUSE));
}

/* A hidden class is named before its row is complete. */
CASE(a_method_that_is_not_known_yet_is_asked_for_again, setup, teardown)
{
	uint32_t class_id;

	begin("b.Late >1s");
	call(b->refund + 1, 2 * S, 0);
	assert_null(dump_trigger_due(b->trigger, 1));
	class_id = fake_class(&b->segment, "b/Late", 0, 0);
	assert_int_equal(fake_method(&b->segment, class_id, "run", "()V", 0), b->refund + 1);
	call(b->refund + 1, 2 * S, 0);
	assert_non_null(dump_trigger_due(b->trigger, 1));
}

static void open_one(uint64_t age)
{
	struct frt_slot *s = fake_slot(&b->segment, 10, 0);

	s->thread = 1;
	s->depth = 1;
	s->open[0] = (struct frt_open_call){.start = tsc_now() - age, .method = b->pay};
}

CASE(an_open_call_is_reported_once, setup, teardown)
{
	begin("a.Cart::pay open>10s");
	call(b->pay, 90 * S, FRT_SPAN_THROWN);
	open_one(5 * S);
	assert_null(dump_trigger_due(b->trigger, 1));
	open_one(20 * S);
	assert_null(dump_trigger_due(b->trigger, 2)); /* it looks once a second */
	assert_contains(dump_trigger_due(b->trigger, 2 * S), "a.Cart.pay() is open for 20");
	assert_null(dump_trigger_due(b->trigger, 3 * S + DUMP_TRIGGER_PAUSE));
}
