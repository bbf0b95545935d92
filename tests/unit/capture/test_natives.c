// SPDX-License-Identifier: BSD-2-Clause
/* Calls of native methods as the kernel reports them: whose they are. Stacks and the clock are played by this file. */
#include "user/capture/natives.c"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"

/* Number 0 has one method, number 1 is shared by two. A stack's id is the method that it is of. */
enum { ALONE, SHARED };
enum { LONE = 11, TWIN_A, TWIN_B };

static struct natives *n;
static struct session session;
static struct frt_span got;
static unsigned int spans;
static uint64_t sent_again;
static uint32_t stack_of_next;

WRAP(uint64_t, clock_tsc, struct clock *c, int64_t ns)
{
	return ns;
}

WRAP(uint64_t, clock_ticks_of_ns, const struct clock *c, uint64_t ns)
{
	return ns;
}

/* Each function has been called once. */
WRAP(struct frt_native_sum *, native_probes_sums, const struct native_probes *p)
{
	struct frt_native_sum *sums = calloc(2, sizeof(*sums));

	for (int i = 0; sums && i < 2; i++)
		sums[i].count = 1;
	return sums;
}

WRAP(int, native_probes_attach, struct native_probes *p, struct diag *d)
{
	fail();
	return 0;
}

WRAP(void, native_probes_forget_stack, const struct native_probes *p, uint64_t identity)
{
	sent_again = identity;
}

WRAP(uint32_t, copied_stacks_take_call, struct copied_stacks *s, struct frt_frame *frames, uint32_t count,
     enum frt_walk_end end)
{
	return stack_of_next;
}

WRAP(bool, copied_stacks_is_call_of, const struct copied_stacks *s, uint32_t id, uint32_t method)
{
	return id == method;
}

static void on_spans(void *context, const struct frt_span *s, size_t count, const struct stream_vthread *v)
{
	got = *s;
	spans++;
}

static void on_cover(void *context, uint64_t tsc)
{
}

static int setup(void **state)
{
	static const uint32_t ids[] = {LONE, TWIN_A, TWIN_B};

	session = (struct session){.segment = fake_segment_new(),
				   .call_stacks = (struct copied_stacks *)&session,
				   .sink = {on_spans, on_cover, NULL},
				   .natives = calloc(1, sizeof(*n))};
	n = session.natives;
	n->session = &session;
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(vec_reserve(&n->method, &n->method_capacity, n->methods + 1), 0);
		n->method[n->methods++] = (struct native_method){.id = ids[i]};
	}
	assert_int_equal(vec_reserve(&n->function, &n->function_capacity, 2), 0);
	n->function[ALONE] = n->function[SHARED] = (struct function){0};
	n->functions = 2;
	function_add_method(&n->function[ALONE], 0);
	function_add_method(&n->function[SHARED], 1);
	function_add_method(&n->function[SHARED], 2);
	spans = sent_again = 0;
	return 0;
}

static int teardown(void **state)
{
	natives_free(&session);
	fake_segment_free(&session.segment);
	return 0;
}

/* The frames of a stack come with some calls only. */
static void call(uint32_t function, uint64_t stack, uint32_t frames)
{
	struct frt_native_stack r = {.call = {.kind = FRT_NATIVE_CALL,
					      .thread = 1,
					      .function = function,
					      .start = 100,
					      .end = 200,
					      .stack = stack,
					      .frames = frames}};

	assert_true(natives_take(&session, &r.call, frames ? sizeof(r) : sizeof(r.call)));
}

CASE(stack_tells_whose_call_of_a_shared_function_it_is, setup, teardown)
{
	stack_of_next = TWIN_B;
	call(SHARED, 1000, 3);
	assert_int_equal(got.method, TWIN_B);
	stack_of_next = TWIN_A;
	call(SHARED, 1001, 3);
	assert_int_equal(got.method, TWIN_A);
	call(SHARED, 1000, 0);
	assert_int_equal(got.method, TWIN_B);
	assert_int_equal(got.stack, TWIN_B);
	assert_int_equal(natives_counts(n).lost + natives_counts(n).strange, 0);
}

CASE(two_stacks_of_one_place_do_not_evict_each_other, setup, teardown)
{
	for (uint32_t i = 0; i < 2; i++) {
		stack_of_next = TWIN_A + i;
		call(SHARED, 1000 + i * RECENT_PLACES, 3);
	}
	call(SHARED, 1000, 0);
	assert_int_equal(got.method, TWIN_A);
	call(SHARED, 1000 + RECENT_PLACES, 0);
	assert_int_equal(got.method, TWIN_B);
	assert_int_equal(sent_again, 0);
}

CASE(call_without_its_stack_is_nobodys_if_its_function_is_shared, setup, teardown)
{
	call(SHARED, 1000, 0);
	assert_int_equal(spans, 0);
	assert_int_equal(sent_again, 1000);
	assert_int_equal(natives_counts(n).lost, 1);
	call(ALONE, 1001, 0);
	assert_int_equal(spans, 1);
	assert_int_equal(got.method, LONE);
	assert_int_equal(got.stack, FRT_STACK_LOST);
	assert_int_equal(sent_again, 1001);
	assert_int_equal(natives_counts(n).lost, 1);
}

CASE(stack_that_could_not_be_taken_tells_nothing, setup, teardown)
{
	stack_of_next = 0;
	call(SHARED, 1000, 3);
	assert_int_equal(spans, 0);
	assert_int_equal(sent_again, 1000);
	assert_int_equal(natives_counts(n).lost, 1);
}

CASE(call_of_another_method_is_strange, setup, teardown)
{
	stack_of_next = LONE;
	call(SHARED, 1000, 3);
	assert_int_equal(spans, 0);
	assert_int_equal(natives_counts(n).strange, 1);
	assert_int_equal(natives_counts(n).lost, 0);
}

CASE(calls_of_a_thread_that_nobody_told_of_are_counted, setup, teardown)
{
	struct frt_native_call r = {.kind = FRT_NATIVE_CALL, .thread = FRT_NATIVE_KEY | 1, .function = ALONE, .end = 1};

	assert_true(natives_take(&session, &r, sizeof(r)));
	assert_int_equal(natives_counts(n).unnamed, 1);
	assert_non_null(native_rows_add_thread(&session.segment.natives, r.thread));
	assert_true(natives_take(&session, &r, sizeof(r)));
	assert_int_equal(natives_counts(n).unnamed, 1);
	assert_int_equal(spans, 2);
	native_rows_release(&session.segment.natives);
}

/* A method that has become known since could get an uprobe, which nobody would remove before the process ends. */
CASE(sums_are_read_at_the_end_and_no_probe_is_put, setup, teardown)
{
	natives_finish(&session, NULL);
	assert_null(native_rows_sum(&session.segment.natives, LONE));
	n->probes = (struct native_probes *)&session; /* not looked at */
	natives_finish(&session, NULL);
	n->probes = NULL;
	assert_int_equal(native_rows_sum(&session.segment.natives, LONE)->count, 1);
	assert_null(native_rows_sum(&session.segment.natives, TWIN_A));
	assert_true(session.segment.ticks_per_ns == 1);
	native_rows_release(&session.segment.natives);
}
