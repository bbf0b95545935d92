// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/holders.h"
#include "tests/lib/test.h"

enum { WAITER = 1, HOLDER, OTHER };

#define AT    10000000 /* ns: when the wait begins, */
#define UNTIL 20000000 /* and when it ends */
#define US    1000
#define LATE  (UNTIL - AT + 40 * US) /* the kernel takes 40 us to wake the thread */

static struct holders h;

static uint32_t note(enum wait_for what, uint32_t thread, uint32_t waker, int64_t start, int64_t duration)
{
	return holders_note(
		&h, &(struct noted_wait){
			    .start = start, .end = start + duration, .thread = thread, .waker = waker, .what = what});
}

/* A wait of WAITER over [start, start + duration), which HOLDER ended at `woken`. */
static void want_over(enum wait_for what, int64_t start, int64_t duration, int64_t woken)
{
	holders_want(&h, &(struct held){.thread = WAITER,
					.holder = HOLDER,
					.what = what,
					.start = start,
					.duration = duration,
					.woken = woken});
}

static void want(enum wait_for what)
{
	want_over(what, 100, 100, INT64_MIN);
}

static int release(void **state)
{
	holders_release(&h);
	return 0;
}

CASE(the_shortest_call_that_covers_most_of_a_wait_counts, .teardown = release)
{
	const struct held *held;

	want(WAIT_FOR_LOCK);
	holders_settle(&h);
	holders_on_call(&h, HOLDER, 11, 0, 300);
	holders_on_call(&h, HOLDER, 12, 0, 400);
	holders_on_call(&h, HOLDER, 13, 120, 70);
	holders_on_call(&h, HOLDER, 14, 130, 20); /* too little of it */
	holders_on_call(&h, HOLDER, 15, 200, 50); /* none of it */
	holders_on_call(&h, OTHER, 16, 100, 60);  /* another thread's */
	held = holders_of_wait(&h, WAITER, 100, 100);
	assert_non_null(held);
	assert_int_equal(held_answer(held).how, HELD_BY);
	assert_int_equal(held_answer(held).method, 13);
	assert_int_equal(held_answer(held).overlap, 70);
	assert_int_equal(held_answer(held).duration, 70);
}

CASE(a_call_counts_only_with_its_part_of_the_wait, .teardown = release)
{
	const struct held *held;

	want(WAIT_FOR_LOCK);
	holders_settle(&h);
	held = holders_of_wait(&h, WAITER, 100, 100);
	assert_int_equal(held_answer(held).how, HELD_UNKNOWN);
	holders_on_call(&h, HOLDER, 11, 195, 4);
	holders_on_call(&h, HOLDER, 12, 50, 90);
	assert_int_equal(held->overlap, 40);
	assert_int_equal(held->best.end - held->best.start, 90);
	assert_int_equal(held_answer(held).how, HELD_UNKNOWN);
	assert_int_equal(held_answer(held).method, 0);
}

CASE(a_lock_is_passed_on_by_who_waited_for_most_of_the_time, .teardown = release)
{
	const struct held *held;

	want(WAIT_FOR_LOCK);
	note(WAIT_FOR_LOCK, HOLDER, OTHER, 20, 79);  /* before */
	note(WAIT_FOR_LOCK, HOLDER, OTHER, 110, 91); /* it has not ended */
	note(WAIT_FOR_LOCK, HOLDER, OTHER, 20, 175); /* to 195 */
	note(WAIT_FOR_LOCK, OTHER, WAITER, 100, 41); /* too little of it */
	note(WAIT_FOR_TASK, OTHER, WAITER, 90, 102); /* for no lock */
	holders_settle(&h);
	held = holders_of_wait(&h, WAITER, 100, 100);
	assert_int_equal(held->holder, OTHER);
	assert_int_equal(held->start, 100);
	assert_int_equal(held->passed, 195);
	holders_on_call(&h, HOLDER, 11, 100, 100);
	holders_on_call(&h, OTHER, 12, 90, 110);
	assert_int_equal(held_answer(held).method, 12);
	assert_int_equal(held_answer(held).overlap, 95);
}

CASE(threads_that_pass_a_lock_on_to_each_other_have_an_end, .teardown = release)
{
	want(WAIT_FOR_LOCK);
	note(WAIT_FOR_LOCK, HOLDER, OTHER, 100, 100);
	note(WAIT_FOR_LOCK, OTHER, HOLDER, 100, 100);
	holders_settle(&h);
	assert_in_range(holders_of_wait(&h, WAITER, 100, 100)->holder, HOLDER, OTHER);
}

/* Nobody holds a queue: who filled it counts, even if it waited itself until then. A call that is over does not say so. */
CASE(what_is_no_lock_is_not_passed_on, .teardown = release)
{
	want_over(WAIT_FOR_OTHER, AT, LATE, UNTIL);
	note(WAIT_FOR_LOCK, HOLDER, OTHER, AT, UNTIL - AT - 5);
	holders_settle(&h);
	holders_on_call(&h, WAITER, 10, 0, 2 * UNTIL);
	holders_on_call(&h, HOLDER, 11, UNTIL - 10 * US, 9 * US);
	assert_int_equal(h.held[0].holder, HOLDER);
	assert_int_equal(held_answer(&h.held[0]).how, HELD_UNKNOWN);
	holders_on_call(&h, HOLDER, 12, 1, UNTIL);
	holders_on_call(&h, HOLDER, 13, 0, UNTIL + 2);
	assert_int_equal(held_answer(&h.held[0]).how, HELD_IN);
	assert_int_equal(held_answer(&h.held[0]).method, 12);
	assert_int_equal(held_answer(&h.held[0]).overlap, UNTIL - AT);
}

CASE(a_noted_wait_is_wanted_by_its_number, .teardown = release)
{
	uint32_t first = note(WAIT_FOR_LOCK, WAITER, HOLDER, 100, 100);
	uint32_t second = note(WAIT_FOR_LOCK, OTHER, HOLDER, 100, 100);

	assert_int_equal(note(WAIT_FOR_LOCK, WAITER, 0, 300, 100), 0); /* nobody is known to have ended it */
	holders_want_number(&h, 0);
	holders_want_number(&h, second);
	holders_settle(&h);
	assert_int_equal(first, 1);
	assert_int_equal(h.wanted, 1);
	assert_null(holders_of_wait(&h, WAITER, 100, 100)); /* of another thread at the same time */
	assert_int_equal(holders_of_wait(&h, OTHER, 100, 100)->holder, HOLDER);
	assert_ptr_equal(holders_of_number(&h, second), holders_of_wait(&h, OTHER, 100, 100));
	assert_null(holders_of_number(&h, first));
	assert_null(holders_of_number(&h, 0));
}

/* ---- a task: the call that ended just before the wait did, and what makes it another's */

struct task_call {
	uint32_t thread, method;
	int64_t start, end;
};

struct task_row {
	const char *name;
	struct task_call call[4]; /* in the order of their ends, as in a file */
	struct task_call wait[2]; /* `method`: its waker */
	enum held_how how;
	uint32_t method;
	enum { ALL_KNOWN, THE_WAIT, THE_OTHERS } unknown; /* whose wake-up */
};

#define REQUEST {WAITER, 10, AT - 100 * US, UNTIL + 100 * US}
#define TASK	{HOLDER, 11, AT - 50 * US, UNTIL - 20 * US}

static const struct task_row task_rows[] = {
	{"the_task_had_just_ended", {TASK, REQUEST}, {}, HELD_AFTER, 11, ALL_KNOWN},
	{"the_task_ended_with_the_wait", {{HOLDER, 11, AT, UNTIL}, REQUEST}, {}, HELD_AFTER, 11, ALL_KNOWN},
	{"of_calls_in_each_other_the_outer_one",
	 {{HOLDER, 12, AT, UNTIL - 21 * US}, TASK, REQUEST},
	 {},
	 HELD_AFTER,
	 11,
	 ALL_KNOWN},
	{"the_ends_are_rounded", {TASK, {HOLDER, 12, AT, UNTIL - 20 * US + 1}, REQUEST}, {}, HELD_AFTER, 11, ALL_KNOWN},
	{"of_several_calls_the_last_one",
	 {{HOLDER, 12, AT, UNTIL - 90 * US}, {HOLDER, 11, UNTIL - 80 * US, UNTIL - 20 * US}, REQUEST},
	 {},
	 HELD_AFTER,
	 11,
	 ALL_KNOWN},
	{"the_outermost_call_is_the_request",
	 {TASK, {WAITER, 9, AT - US, UNTIL + US}, REQUEST},
	 {},
	 HELD_AFTER,
	 11,
	 ALL_KNOWN},
	{"the_next_task_began_at_once",
	 {TASK, REQUEST, {HOLDER, 12, UNTIL + 2 * US, 2 * UNTIL}},
	 {},
	 HELD_AFTER,
	 11,
	 ALL_KNOWN},
	{"an_endless_loop_of_the_worker_is_no_task",
	 {TASK, REQUEST, {HOLDER, 12, 0, 2 * UNTIL}},
	 {},
	 HELD_AFTER,
	 11,
	 ALL_KNOWN},
	{"it_had_woken_another_thread_before_that_call",
	 {TASK, REQUEST},
	 {{OTHER, HOLDER, 0, UNTIL - 21 * US}},
	 HELD_AFTER,
	 11,
	 ALL_KNOWN},
	{"another_thread_woke_one_meanwhile",
	 {TASK, REQUEST},
	 {{WAITER, OTHER, 0, UNTIL - 10 * US}},
	 HELD_AFTER,
	 11,
	 ALL_KNOWN},
	{"the_call_began_before_the_request",
	 {{HOLDER, 11, AT - 101 * US, UNTIL - 20 * US}, REQUEST},
	 {},
	 HELD_UNKNOWN,
	 0,
	 ALL_KNOWN},
	{"no_call_is_known_to_wait", {TASK}, {}, HELD_UNKNOWN, 0, ALL_KNOWN},
	{"the_call_ended_long_before", {{HOLDER, 11, AT, UNTIL - 201 * US}, REQUEST}, {}, HELD_UNKNOWN, 0, ALL_KNOWN},
	{"it_has_woken_another_thread_since",
	 {TASK, REQUEST},
	 {{OTHER, HOLDER, 0, UNTIL - 19 * US}},
	 HELD_UNKNOWN,
	 0,
	 ALL_KNOWN},
	{"it_came_back_from_a_wait_since",
	 {TASK, REQUEST},
	 {{HOLDER, OTHER, UNTIL - 19 * US, UNTIL - 10 * US}},
	 HELD_UNKNOWN,
	 0,
	 ALL_KNOWN},
	{"another_call_began_since",
	 {TASK, REQUEST, {HOLDER, 12, UNTIL - 15 * US, UNTIL + US}},
	 {},
	 HELD_IN,
	 12,
	 ALL_KNOWN},
	{"whether_another_call_began_since_is_unknown",
	 {TASK, {HOLDER, 12, UNTIL - 500, UNTIL + US}, REQUEST},
	 {},
	 HELD_UNKNOWN,
	 0,
	 ALL_KNOWN},
	{"the_task_is_open", {REQUEST, {HOLDER, 11, AT, UNTIL + 2 * US}}, {}, HELD_IN, 11, ALL_KNOWN},
	{"what_is_open_since_before_the_request_is_no_task",
	 {REQUEST, {HOLDER, 11, 0, 2 * UNTIL}},
	 {},
	 HELD_UNKNOWN,
	 0,
	 ALL_KNOWN},
	{"another_thread_ended_a_call", {{OTHER, 11, AT, UNTIL - 20 * US}, REQUEST}, {}, HELD_UNKNOWN, 0, ALL_KNOWN},
	{"a_call_after_the_wait", {REQUEST, {HOLDER, 11, UNTIL + US, UNTIL + 2 * US}}, {}, HELD_UNKNOWN, 0, ALL_KNOWN},
	{"when_it_was_woken_is_unknown", {TASK, REQUEST}, {}, HELD_UNKNOWN, 0, THE_WAIT},
	{"when_it_woke_another_thread_is_unknown",
	 {TASK, REQUEST},
	 {{OTHER, HOLDER, 0, UNTIL + 150 * US}},
	 HELD_UNKNOWN,
	 0,
	 THE_OTHERS},
	{"it_woke_another_thread_later", {TASK, REQUEST}, {{OTHER, HOLDER, 0, UNTIL + 1}}, HELD_AFTER, 11, ALL_KNOWN},
};

static void on_wait(uint32_t thread, uint32_t waker, int64_t start, int64_t end, int64_t woken)
{
	holders_on_wait(
		&h, &(struct noted_wait){.start = start, .end = end, .woken = woken, .thread = thread, .waker = waker});
}

CASES(a_task, task_rows, .teardown = release)
{
	struct held_answer answer;

	want_over(WAIT_FOR_TASK, AT, LATE, row->unknown == THE_WAIT ? INT64_MIN : UNTIL);
	want_over(WAIT_FOR_TASK, 3 * UNTIL, UNTIL, 4 * UNTIL); /* another one, of no call */
	holders_settle(&h);
	for (const struct task_call *w = row->wait; w < row->wait + 2 && w->thread; w++)
		on_wait(w->thread, w->method, w->start, w->end, row->unknown == THE_OTHERS ? INT64_MIN : w->end);
	on_wait(WAITER, HOLDER, AT, AT + LATE, UNTIL); /* itself */
	for (const struct task_call *c = row->call; c < row->call + 4 && c->thread; c++)
		holders_on_call(&h, c->thread, c->method, c->start, c->end - c->start);
	answer = held_answer(holders_of_wait(&h, WAITER, AT, LATE));
	assert_int_equal(answer.how, row->how);
	assert_int_equal(answer.method, row->method);
	assert_int_equal(held_answer(holders_of_wait(&h, WAITER, 3 * UNTIL, UNTIL)).how, HELD_UNKNOWN);
}

CASE(nothing_is_known_of_a_wait_that_is_not_wanted)
{
	assert_int_equal(held_answer(NULL).how, HELD_UNKNOWN);
}
