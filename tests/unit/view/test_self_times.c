// SPDX-License-Identifier: BSD-2-Clause
/*
 * Self times, and times without recursion, of random trees of calls. Start and duration are rounded each by itself, as a
 * recorder does, so that a call often seems to end after the one around it.
 */
#include "tests/unit/view/shown.h"

#include <stdlib.h>

#define THREADS 3
#define METHODS 4
#define DEPTH	6
#define CALLS	20000u
#define PARTS	4 /* of a nanosecond */

static struct planned {
	int64_t start, duration; /* rounded, ns */
	unsigned int thread, method;
} call[CALLS + 1000];
static size_t calls;
static int64_t now, total[METHODS], self[METHODS], outermost[METHODS]; /* now: in PARTS */
static unsigned int open[METHODS], count[METHODS];
static int64_t before; /* what a call does before it calls another one, at least, in PARTS */

static int64_t rounded(int64_t parts)
{
	return (parts + PARTS / 2) / PARTS;
}

/* Returns the duration. Calls are planned in the order of their ends. */
static int64_t plan_call(unsigned int thread, unsigned int depth)
{
	unsigned int method = rand() % METHODS;
	int64_t start = now, duration, inside = 0;

	open[method]++;
	now += before + rand() % (2 * PARTS);
	for (int n = depth ? rand() % 4 : 0; n; n--) {
		inside += plan_call(thread, depth - 1);
		if (n > 1)
			now += (3 + rand() % 3) *
			       PARTS; /* what is between two calls is longer than what rounding hides */
	}
	now += depth ? rand() % PARTS : 6 * PARTS + rand() % 100;
	if (now - start < 6 * PARTS)
		now = start + 6 * PARTS;
	duration = rounded(now - start);
	open[method]--;
	total[method] += duration;
	self[method] += duration - inside;
	outermost[method] += open[method] ? 0 : duration;
	count[method]++;
	call[calls++] = (struct planned){rounded(start), duration, thread, method};
	return duration;
}

static void plan(void)
{
	srand(1);
	now = calls = 0;
	memset(total, 0, sizeof(total));
	memset(self, 0, sizeof(self));
	memset(outermost, 0, sizeof(outermost));
	memset(count, 0, sizeof(count));
	while (calls < CALLS) {
		plan_call(rand() % THREADS, DEPTH);
		now += 5 * PARTS;
	}
}

static void show_planned(void)
{
	uint64_t class_key = recording_class(&r, "com/acme/Cart");

	for (size_t i = 0; i < calls; i++) {
		char name[8];

		snprintf(name, sizeof(name), "m%u", call[i].method);
		jfr_method_trace(r.w, &(struct jfr_method_trace){
					      .start = T0 + call[i].start,
					      .duration = call[i].duration,
					      .thread = recording_thread(&r, 1 + call[i].thread),
					      .method = jfr_method(r.w, &(struct jfr_method_constant){
										class_key, name, "()V", 1, false})});
	}
	request.layout.json = true;
	show("method-trace");
}

static void assert_shown(void)
{
	char row[256];

	for (int m = 0; m < METHODS; m++) {
		snprintf(row, sizeof(row),
			 "{\"method\":\"com.acme.Cart.m%d()\",\"calls\":%u,\"totalNs\":%lld,\"outermostNs\":%lld,"
			 "\"selfNs\":%lld,",
			 m, count[m], (long long)total[m], (long long)outermost[m], (long long)self[m]);
		assert_contains(shown(), row);
	}
}

CASE(calls_in_the_order_of_their_ends_have_their_self_times, setup, teardown)
{
	before = 0;
	plan();
	show_planned();
	assert_shown();
}

/*
 * Streams of virtual threads come by their carriers. Of two calls with the same start and duration the order alone tells
 * which is in the other, so here there are none.
 */
CASE(calls_in_any_order_have_the_same_self_times, setup, teardown)
{
	before = PARTS;
	plan();
	for (size_t i = calls - 1; i; i--) {
		size_t other = rand() % (i + 1);
		struct planned kept = call[i];

		call[i] = call[other];
		call[other] = kept;
	}
	show_planned();
	assert_shown();
}
