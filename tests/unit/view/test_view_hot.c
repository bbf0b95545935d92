// SPDX-License-Identifier: BSD-2-Clause
/* What the CPU time of calls was spent in, by samples. */
#include "tests/unit/view/shown.h"

static int setup_samples(void **state)
{
	static const struct jfr_origin origin = {.start_ticks = T0,
						 .start_nanos = NANOS,
						 .locale = "en_US",
						 .kernel = JFR_KERNEL_WAITS,
						 .samples = true};

	setup(state);
	jfr_writer_free(r.w);
	assert_int_equal(jfr_writer_new(&r.w, &origin, &diag), 0);
	recording_begin(&r);
	return 0;
}

/* Times in ms from T0. The innermost method comes first; NULL: unknown. */
static void sample(uint64_t thread, const char *top, const char *caller, int64_t at)
{
	struct jfr_frame frames[] = {{.line = 1}, {.line = 2}};
	uint64_t stack = 0;

	if (top) {
		frames[0].method = recording_method(&r, top);
		frames[1].method = recording_method(&r, caller);
		stack = jfr_stack(r.w, frames, 2, false);
	}
	jfr_execution_sample(r.w, &(struct jfr_execution_sample){.start = T0 + at * MS,
								 .thread = recording_thread(&r, thread),
								 .stack = stack,
								 .state = JFR_STATE_RUNNABLE});
}

static void call(uint64_t thread, const char *name, int64_t from, int64_t to)
{
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0 + from * MS,
							 .duration = (to - from) * MS,
							 .thread = recording_thread(&r, thread),
							 .method = recording_method(&r, name)});
}

static void some_samples(void)
{
	sample(1, "hash", "serve", 11);
	sample(1, "hash", "serve", 12);
	sample(1, "copy", "hash", 13);
	sample(1, NULL, NULL, 14);
	sample(2, "other", "serve", 12); /* of a thread in no call */
	sample(1, "other", "serve", 30); /* after the call */
	sample(1, "short", "pay", 41);
	call(1, "serve", 10, 20);
	call(1, "pay", 40, 42);
}

CASE(samples_are_added_up_by_method, setup_samples, teardown)
{
	request.layout.json = true;
	some_samples();
	show("hot");
	assert_contains(shown(), "{\"method\":\"com.acme.Cart.hash()\",\"self\":2,\"total\":3}");
	assert_contains(shown(), "{\"method\":\"com.acme.Cart.copy()\",\"self\":1,\"total\":1}");
	assert_contains(shown(), "{\"method\":\"com.acme.Cart.serve()\",\"self\":0,\"total\":2}");
	assert_contains(shown(), "{\"method\":\"com.acme.Cart.short()\",\"self\":1,\"total\":1}");
	assert_contains(shown(), "{\"method\":\"(unknown)\",\"self\":1,\"total\":1}");
	assert_lacks(shown(), "other");
}

CASE(only_calls_that_are_asked_for_count, setup_samples, teardown)
{
	filter.slower_ns = 5 * MS;
	some_samples();
	show("hot");
	assert_contains(shown(), "com.acme.Cart.hash()        2  50 %");
	assert_lacks(shown(), "short");
}

CASE(a_slow_call_says_what_ran_on_its_cpu, setup_samples, teardown)
{
	for (int i = 0; i < 5; i++)
		sample(1, "hash", "serve", 11 + i);
	sample(1, "copy", "hash", 16);
	sample(1, "copy", "hash", 17);
	sample(1, NULL, NULL, 18);
	sample(1, "send", "serve", 19);
	sample(1, "other", "serve", 30);
	sample(2, "other", "serve", 12);
	sample(1, "short", "pay", 41);
	call(1, "serve", 10, 20);
	call(1, "pay", 40, 42);
	show("slowest");
	assert_contains(
		shown(),
		"        9 samples: 56 % com.acme.Cart.hash(), 22 % com.acme.Cart.copy(), 11 % unknown, 11 % others\n");
	assert_contains(shown(), "        1 sample: 100 % com.acme.Cart.short()\n");
	assert_lacks(shown(), "other()");
}

/* Samples stand below the innermost call; what is less than 1 % of a tree's does not. */
CASE(a_tree_says_what_ran_in_each_of_its_calls, setup_samples, teardown)
{
	for (int i = 0; i < 90; i++)
		sample(1, i % 3 ? "hash" : "copy", "pay", 41);
	for (int i = 0; i < 60; i++)
		sample(1, "round", "serve", 11);
	sample(1, "send", "last", 59);
	call(1, "pay", 40, 50);
	call(1, "last", 58, 60);
	call(1, "serve", 10, 100);
	show("tree");
	assert_contains(shown(), "60 samples: 100 % com.acme.Cart.round()\n");
	assert_contains(shown(), "90 samples: 67 % com.acme.Cart.hash(), 33 % com.acme.Cart.copy()\n");
	assert_lacks(shown(), "1 sample");
	request.layout.json = true;
	show("tree");
	assert_contains(shown(), "\"samples\":{\"com.acme.Cart.hash()\":60,\"com.acme.Cart.copy()\":30}");
	assert_contains(shown(), "\"samples\":{\"com.acme.Cart.send()\":1}");
}

CASE(a_file_without_samples_says_so, setup, teardown)
{
	call(1, "serve", 10, 20);
	show("hot");
	assert_contains(shown(), "No events found");
}

/* As a forged file may have them. */
CASE(samples_of_many_methods_are_all_counted, setup_samples, teardown)
{
	enum { METHODS = 20000, MOST = 17 };
	char name[16];

	call(1, "serve", 10, 200);
	for (int i = 0; i < METHODS + MOST; i++) {
		snprintf(name, sizeof(name), "m%d", i < METHODS ? i : MOST);
		sample(1, name, "serve", 20);
	}
	show("slowest");
	assert_contains(shown(), "20,017 samples: 0 % com.acme.Cart.m17()");
	assert_contains(shown(), "100 % others");
}
