// SPDX-License-Identifier: BSD-2-Clause
/* Requests that count until their last task has ended: --until=tasks. */
#include "tests/unit/view/shown.h"

static int setup_until(void **state)
{
	static const struct jfr_origin origin = {
		.start_ticks = T0, .start_nanos = NANOS, .locale = "en_US", .kernel = JFR_KERNEL_WAITS, .until = true};

	setup(state);
	jfr_writer_free(r.w);
	assert_int_equal(jfr_writer_new(&r.w, &origin, &diag), 0);
	recording_begin(&r);
	return 0;
}

/* Times in ms from T0; `until`: 0: no task of it has ended later. */
static void call(const char *name, int64_t from, int64_t to, int64_t until)
{
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0 + from * MS,
							 .duration = (to - from) * MS,
							 .thread = recording_thread(&r, 1),
							 .method = recording_method(&r, name),
							 .cpu = (to - from) * MS,
							 .allocated = JFR_MISSING,
							 .request = until ? (until - from) * MS : JFR_MISSING});
}

static const char *after(const char *text, const char *sought)
{
	const char *at = strstr(text, sought);

	assert_non_null(at);
	return at;
}

CASE(requests_are_ranked_by_the_end_of_their_last_task, setup_until, teardown)
{
	call("pay", 0, 50, 0);
	call("serve", 60, 61, 160);
	call("load", 70, 71, 0);
	show("slowest");
	after(after(shown(), "Cart.serve()"), "Cart.pay()");
	assert_contains(shown(), ", 100 ms until its end\n");
	request.layout.json = true;
	show("slowest");
	assert_contains(shown(), "\"allocatedBytes\":null,\"requestNs\":100000000,\"thrown\":0");
	assert_contains(shown(), "\"allocatedBytes\":null,\"requestNs\":null,\"thrown\":0");
}
