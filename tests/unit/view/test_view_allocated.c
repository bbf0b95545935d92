// SPDX-License-Identifier: BSD-2-Clause
/* What views show of the bytes that calls have allocated. */
#include "tests/unit/view/shown.h"

static int setup_allocated(void **state)
{
	static const struct jfr_origin origin = {.start_ticks = T0,
						 .start_nanos = NANOS,
						 .locale = "en_US",
						 .kernel = JFR_KERNEL_WAITS,
						 .allocated = true};

	setup(state);
	jfr_writer_free(r.w);
	assert_int_equal(jfr_writer_new(&r.w, &origin, &diag), 0);
	recording_begin(&r);
	return 0;
}

/* Times in ms from T0. */
static void call(const char *name, int64_t from, int64_t to, int64_t allocated)
{
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0 + from * MS,
							 .duration = (to - from) * MS,
							 .thread = recording_thread(&r, 1),
							 .method = recording_method(&r, name),
							 .cpu = (to - from) * MS,
							 .allocated = allocated});
}

/* serve calls load twice and pay, which calls a native method. */
static void shop_calls(void)
{
	call("load", 10, 20, 1000);
	call("load", 30, 44, 3000);
	call("native", 60, 70, JFR_MISSING);
	call("pay", 50, 80, 20 << 20);
	call("serve", 0, 100, 30 << 20);
}

CASE(trees_have_the_bytes_of_each_part_and_its_own, setup_allocated, teardown)
{
	shop_calls();
	show("tree");
	assert_contains(
		shown(),
		"     total      self       cpu      runq   blocked     alloc own alloc\n"
		"    100 ms   46.0 ms    100 ms      0 ns      0 ns   30.0 MB   10.0 MB  com.acme.Cart.serve()\n");
	assert_contains(shown(), "20.0 MB         -    com.acme.Cart.pay()\n");
	assert_contains(shown(), "         -         -      com.acme.Cart.native()\n");
	assert_contains(shown(), "4,000 B   4,000 B    2 × com.acme.Cart.load()\n");
	request.layout.json = true;
	show("tree");
	assert_contains(shown(), "\"allocatedBytes\":31457280,\"selfAllocatedBytes\":10481760,");
	assert_contains(shown(), "\"allocatedBytes\":20971520,\"selfAllocatedBytes\":null,");
}

CASE(slow_calls_and_methods_have_them, setup_allocated, teardown)
{
	shop_calls();
	show("slowest");
	assert_contains(shown(), "\"worker-1\"");
	assert_contains(shown(), ", 30.0 MB allocated\n");
	request.layout.json = true;
	show("slowest");
	assert_contains(shown(), "\"allocatedBytes\":31457280,\"requestNs\":null,\"thrown\":0");
	show("method-trace");
	assert_contains(shown(), "\"allocatedBytes\":4000}");
	assert_contains(shown(), "\"allocatedBytes\":null}");
}

CASE(timed_methods_have_their_sum, setup_allocated, teardown)
{
	jfr_method_timing(r.w, &(struct jfr_method_timing){.start = T0,
							   .method = recording_method(&r, "pay"),
							   .invocations = 2,
							   .allocated = 123456789});
	jfr_method_timing(r.w, &(struct jfr_method_timing){.start = T0,
							   .method = recording_method(&r, "read"),
							   .invocations = 1,
							   .allocated = JFR_MISSING});
	show("method-timing");
	assert_contains(shown(), "Allocated");
	assert_contains(shown(), "117.7 MB");
	assert_contains(shown(), "N/A");
}

/* Recordings without them look as they always did. */
CASE(without_them_nothing_is_said, setup, teardown)
{
	shop_calls();
	show("tree");
	assert_lacks(shown(), "alloc");
	show("slowest");
	assert_lacks(shown(), "alloc");
	show("method-trace");
	assert_lacks(shown(), "Allocated");
}
