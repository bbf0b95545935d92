// SPDX-License-Identifier: BSD-2-Clause
/* Which methods are throttled: a table of decisions, and seconds of a segment made by hand, in which a tick is a nanosecond. */
#include "user/record/throttle.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"

#define SECOND 1000000000LL

static const struct decision {
	const char *name;
	double share, cpus;
	unsigned int threads;
	struct {
		double cpus;
		unsigned int threads;
	} method[6];
	const char *drops; /* numbers of the methods, the busiest first */
} decisions[] = {
	{"nothing is called", .25, 4, 0, {{0, 0}}, ""},
	{"one below the limit stays", .25, 4, 1, {{.24, 1}}, ""},
	{"one at the limit stays", .25, 4, 1, {{.25, 1}}, ""},
	{"one above it drops", .25, 4, 1, {{.26, 1}}, "0"},
	{"a thread that is not known counts as one", .25, 4, 0, {{.26, 0}, {.2, 0}}, "0"},
	{"four threads have four CPUs", .25, 4, 4, {{.9, 4}}, ""},
	{"but not more than there are", .25, 2, 4, {{.9, 4}}, "0"},
	{"a quota of half a CPU is half a limit", .25, .5, 1, {{.13, 1}}, "0"},
	{"another share", .01, 4, 1, {{.009, 1}, {.0005, 1}}, ""},
	{"more than a CPU may be allowed", 20, 4, 1, {{19, 1}}, ""},
	{"the slow one stays", .25, 4, 2, {{.0001, 1}, {.7, 1}}, "1"},
	{"each of its own threads", .25, 8, 8, {{.26, 1}, {1.7, 7}}, "0"},
	{"the sum decides, the busiest drops", .25, 4, 1, {{.1, 1}, {.12, 1}, {.08, 1}}, "1"},
	{"until it is not more", .25, 4, 1, {{.2, 1}, {.1, 1}, {.22, 1}, {.14, 1}}, "20"},
	{"those that drop by themselves are not in the sum", .25, 4, 1, {{.24, 1}, {.9, 1}}, "1"},
	{"by themselves and by the sum", .25, 4, 1, {{.2, 1}, {.3, 1}, {.1, 1}}, "10"},
};

CASE(each_decision_is_right)
{
	for (size_t i = 0; i < sizeof(decisions) / sizeof(decisions[0]); i++) {
		const struct decision *want = &decisions[i];
		struct throttle_limit limit = {want->share, want->cpus, want->threads};
		struct throttle_load load[6] = {{0}};
		char drops[8] = "";
		size_t n;

		for (uint32_t m = 0; m < 6; m++)
			load[m] = (struct throttle_load){
				.method = m, .threads = want->method[m].threads, .cpus = want->method[m].cpus};
		n = throttle_choose(load, 6, &limit);
		for (size_t k = 0; k < n; k++)
			drops[k] = '0' + load[k].method;
		for (size_t k = 0; k < 6; k++)
			assert_int_equal(load[k].drop, k < n);
		if (strcmp(drops, want->drops))
			fail_msg("%s: '%s' drop, not '%s'", want->name, drops, want->drops);
	}
}

CASE(thousands_below_the_limit_drop_by_their_sum)
{
	enum { METHODS = 5000, DROPS = 2500 }; /* .0001 each: .5 in all; .25 may stay */
	struct throttle_limit limit = {.2501, 4, 1};
	struct throttle_load *load = calloc(METHODS, sizeof(*load));

	for (uint32_t m = 0; m < METHODS; m++)
		load[m] = (struct throttle_load){.method = m, .threads = 1, .cpus = .0001};
	assert_in_range(throttle_choose(load, METHODS, &limit), DROPS - 2, DROPS);
	free(load);
}

static struct bench {
	struct segment segment;
	struct clock clock;
	struct throttle *brake;
	struct throttle_finding found;
	int64_t now;
	uint64_t *rules;
} *b;

static struct diag d;

static int setup(void **state)
{
	struct throttle_setup s = {.share = .25, .cpus = 2, .unhook_ns = 200};
	uint32_t class_id;

	b = calloc(1, sizeof(*b));
	b->segment = fake_segment_new();
	b->clock = fake_clock();
	b->now = 5000 * SECOND;
	b->rules = (uint64_t *)(b->segment.base + FRT_RULES_AT);
	segment_header(&b->segment)->hook_ticks = 15; /* 20 ns with the way to them */
	class_id = fake_class(&b->segment, "a/A", 0, FRT_CLASS_REWRITTEN);
	for (int i = 0; i < 3; i++)
		fake_method(&b->segment, class_id, "m", "()V", FRT_METHOD_HOOKED);
	s.segment = &b->segment;
	s.clock = &b->clock;
	throttle_new(&b->brake, &s, &d);
	throttle_check(b->brake, b->now, &b->found);
	return !b->brake;
}

static int teardown(void **state)
{
	throttle_free(b->brake);
	fake_segment_free(&b->segment);
	free(b);
	return 0;
}

/* A thread, whose recorded calls cost 20 ns, 50 ns and what frtrace does with them. */
static struct frt_slot *thread(uint32_t serial)
{
	struct frt_slot *s = fake_slot(&b->segment, 10, 0);

	s->thread = serial;
	s->record_ticks = 50;
	return s;
}

static void calls(struct frt_slot *s, uint32_t method, uint64_t n)
{
	struct call_rates *r = throttle_rates(b->brake);

	s->entered += n;
	s->exited += n;
	s->recorded += n;
	call_rates_add(r, method, s->thread);
	r->of[method].calls += n - 1;
}

/* Calls that are not recorded. */
static void hooks(struct frt_slot *s, uint64_t n)
{
	s->entered += n;
	s->exited += n;
}

static bool after(int64_t ns)
{
	return throttle_check(b->brake, b->now += ns, &b->found);
}

static bool is_throttled(uint32_t method)
{
	return b->rules[method] == (FRT_RULE_UNTRACED | FRT_RULE_TIMED);
}

CASE(hot_method_is_throttled_and_the_slow_one_is_not, setup, teardown)
{
	struct frt_slot *s = thread(1), *t = thread(2);

	calls(s, 1, 4000000);
	calls(t, 2, 20);
	assert_true(after(SECOND));
	assert_int_equal(b->found.methods, 1);
	assert_true(b->found.all_cpus > b->found.load[0].cpus); /* with what is left alone */
	assert_int_equal(b->found.load[0].method, 1);
	assert_in_range(b->found.load[0].calls, 3999999, 4000001);
	assert_in_range(b->found.load[0].cpus * 1000, 280, 4000000 / 1e6 * 200);
	assert_true(is_throttled(1));
	assert_false(is_throttled(2));
	assert_int_equal(throttle_methods(b->brake), 1);
	assert_int_equal(throttle_method(b->brake, 0), 1);
}

/* Calls that were recorded and dropped with their root, which the collector never sees. */
static void taken(struct frt_slot *s, uint32_t method, uint64_t n)
{
	struct frt_taken *t = (struct frt_taken *)segment_taken(&b->segment, method);

	segment_recording(&b->segment)->inside = 1;
	s->entered += n;
	s->exited += n;
	s->recorded += n;
	t->calls += n;
	t->threads |= CALL_RATE_THREAD(s->thread);
}

CASE(calls_that_roots_take_back_count, setup, teardown)
{
	struct frt_slot *s = thread(1);

	taken(s, 1, 4000000);
	calls(s, 2, 20);
	assert_true(after(SECOND));
	assert_int_equal(b->found.methods, 1);
	assert_int_equal(b->found.load[0].method, 1);
	assert_in_range(b->found.load[0].calls, 3999999, 4000001);
	assert_true(is_throttled(1));
	assert_false(is_throttled(2));
}

CASE(methods_that_several_threads_take_back_have_their_limit, setup, teardown)
{
	for (uint32_t i = 1; i < 10; i++)
		taken(thread(i), 1, 400000); /* .36 of a CPU, of two */
	assert_false(after(SECOND));
	assert_int_equal(throttle_methods(b->brake), 0);
}

CASE(nothing_happens_before_a_second_is_over, setup, teardown)
{
	struct frt_slot *s = thread(1);

	for (int i = 0; i < 19; i++) {
		calls(s, 1, 1000000);
		assert_false(after(SECOND / 20));
	}
	assert_true(after(SECOND / 20));
	assert_true(is_throttled(1));
}

CASE(burst_counts_over_the_whole_second, setup, teardown)
{
	struct frt_slot *s = thread(1);

	for (int i = 0; i < 10; i++) {
		calls(s, 1, 1000000);
		assert_false(after(SECOND));
	}
	calls(s, 1, 9000000); /* frtrace itself did not run for nine seconds */
	assert_false(after(9 * SECOND));
	assert_int_equal(throttle_methods(b->brake), 0);
}

CASE(throttled_methods_stay_throttled, setup, teardown)
{
	struct frt_slot *s = thread(1);

	calls(s, 1, 9000000);
	assert_true(after(SECOND));
	for (int i = 0; i < 5; i++)
		assert_false(after(SECOND));
	b->rules[1] = 0; /* the agent, when somebody retransforms the class */
	assert_false(after(1));
	assert_true(is_throttled(1));
	calls(s, 1, 9000000); /* that were on their way */
	assert_false(after(SECOND));
	assert_int_equal(throttle_methods(b->brake), 1);
}

/* Calls of a throttled method, which are only counted and timed. */
static void timed(uint32_t method, uint64_t n, uint64_t ticks)
{
	struct frt_sum *sum = (struct frt_sum *)(b->segment.base + FRT_SHARED_AT) + method;

	sum->count += n;
	sum->total += n * ticks;
}

static bool is_unhooked(uint32_t method)
{
	return b->rules[method] == (FRT_RULE_UNTRACED | FRT_RULE_TIMED | FRT_RULE_UNHOOKED);
}

static void throttle_two_methods(void)
{
	struct frt_slot *s = thread(1), *t = thread(2);

	calls(s, 1, 9000000);
	calls(t, 2, 9000000);
	assert_true(after(SECOND));
	assert_int_equal(b->found.methods, 2);
	assert_int_equal(b->found.unhooks, 0);
}

/* 20 ns a call: 5 % of a CPU are 2.5 million calls a second. */
CASE(throttled_methods_that_are_short_and_hot_lose_their_hooks, setup, teardown)
{
	throttle_two_methods();
	timed(1, 2600000, 199);
	timed(2, 2600000, 201);
	assert_true(after(SECOND));
	assert_int_equal(b->found.unhooks, 1);
	assert_int_equal(b->found.unhook[0].method, 1);
	assert_int_equal(b->found.unhook[0].calls, 2600000);
	assert_in_range(b->found.unhook[0].mean_ns, 198, 199);
	assert_in_range(b->found.unhook[0].cpus * 1000, 51, 53);
	assert_true(is_unhooked(1));
	assert_true(is_throttled(2));
	assert_int_equal(throttle_unhooked(b->brake), 1);
	b->rules[1] = 0; /* the agent, when somebody retransforms the class */
	timed(1, 5200000, 10);
	assert_false(after(SECOND));
	assert_true(is_unhooked(1));
	assert_int_equal(throttle_unhooked(b->brake), 1);
}

CASE(throttled_methods_that_are_called_less_keep_their_hooks, setup, teardown)
{
	throttle_two_methods();
	timed(1, 2400000, 5);
	assert_false(after(SECOND));
	timed(1, 2400000, 5); /* of this second alone */
	assert_false(after(SECOND));
	assert_true(is_throttled(1));
}

CASE(methods_of_M_keep_their_hooks, setup, teardown)
{
	b->rules[1] = FRT_RULE_TIMED;
	throttle_two_methods();
	timed(1, 9000000, 5);
	timed(2, 9000000, 5);
	assert_true(after(SECOND));
	assert_int_equal(b->found.unhooks, 1);
	assert_int_equal(b->found.unhook[0].method, 2);
	assert_true(is_throttled(1));
}

/* A million calls that stay take 2 % of a CPU. */
CASE(hooks_that_go_are_not_reported_as_hooks_that_stay, setup, teardown)
{
	struct frt_slot *s;

	throttle_two_methods();
	s = (struct frt_slot *)segment_slot(&b->segment, 0);
	hooks(s, 30000000);
	timed(1, 29000000, 5);
	assert_true(after(SECOND));
	assert_int_equal(b->found.unhooks, 1);
	assert_int_equal(b->found.hook_calls, 0);
	hooks(s, 30000000);
	assert_true(after(SECOND));
	assert_int_equal(b->found.unhooks, 0);
	assert_in_range(b->found.hook_calls, 29999999, 30000001);
}

CASE(methods_that_are_not_throttled_keep_their_hooks, setup, teardown)
{
	thread(1);
	timed(1, 90000000, 5);
	assert_false(after(SECOND));
	assert_int_equal(throttle_unhooked(b->brake), 0);
}

CASE(idle_callers_do_not_raise_the_limit, setup, teardown)
{
	struct frt_slot *s = thread(1);

	for (uint32_t i = 2; i < 10; i++)
		calls(thread(i), 1, 100);
	calls(s, 1, 3200000);
	assert_true(after(SECOND));
	assert_true(is_throttled(1));
}

CASE(busy_callers_do, setup, teardown)
{
	for (uint32_t i = 1; i < 10; i++)
		calls(thread(i), 1, 400000); /* .36 of a CPU, of two */
	assert_false(after(SECOND));
	assert_int_equal(throttle_methods(b->brake), 0);
}

CASE(calls_that_are_not_recorded_throttle_nothing_but_are_reported_once, setup, teardown)
{
	struct frt_slot *s = thread(1);

	hooks(s, 20000000);
	calls(s, 1, 100);
	assert_true(after(SECOND));
	assert_int_equal(b->found.methods, 0);
	assert_in_range(b->found.hook_calls, 19999999, 20000001);
	assert_in_range(b->found.hook_cpus * 100, 39, 41);
	assert_false(is_throttled(1));
	hooks(s, 20000000);
	assert_false(after(SECOND));
}

CASE(slots_of_an_earlier_recording_do_not_count, setup, teardown)
{
	struct frt_slot *s = thread(1);

	hooks(s, 90000000);
	s->recorded = 90000000;
	s->epoch = 0;
	assert_false(after(SECOND));
	s->epoch = 1; /* used anew: its counters begin at 0 */
	s->exited = s->recorded = 0;
	calls(s, 1, 1000);
	assert_false(after(SECOND));
}

CASE(forged_numbers_do_no_harm, setup, teardown)
{
	struct frt_slot *s = thread(UINT32_MAX);

	segment_header(&b->segment)->methods = UINT32_MAX;
	segment_header(&b->segment)->hook_ticks = UINT32_MAX;
	s->recorded = UINT64_MAX;
	s->record_ticks = UINT64_MAX;
	call_rates_add(throttle_rates(b->brake), UINT32_MAX, UINT32_MAX);
	call_rates_add(throttle_rates(b->brake), 0, 0);
	after(SECOND);
	s->recorded = 0;
	after(SECOND);
	assert_in_range(throttle_methods(b->brake), 0, 1);
}
