// SPDX-License-Identifier: BSD-2-Clause
/* The model keeps every wait for ever and adds them up one by one. */
#include "tests/unit/record/joined.h"
#include "user/record/pauses.h"

#define DEEP 40
#define MANY 20000

static struct jvm_model {
	struct frt_wait wait[MANY];
	bool claimed[MANY];
	size_t waits;
	int64_t open[DEEP]; /* starts of open calls */
	size_t depth, visited;
	int64_t from, to; /* of the call that is claimed for */
	bool folding, offered_twice;
	size_t answered, missing;
} *m;

static size_t open_calls(void *context, uint32_t thread, int64_t moments[WAIT_JOIN_MOMENTS])
{
	size_t n = m->depth < WAIT_JOIN_MOMENTS ? m->depth : WAIT_JOIN_MOMENTS;

	memcpy(moments, m->open, n * sizeof(moments[0]));
	return thread == THREAD ? n : 0;
}

static size_t index_of(const struct wait *w)
{
	size_t low = 0, high = m->waits;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if ((int64_t)m->wait[middle].off < w->off)
			low = middle + 1;
		else
			high = middle;
	}
	assert_true(low < m->waits);
	assert_int_equal(m->wait[low].off, w->off);
	return low;
}

static void on_wait(void *context, uint32_t thread, const struct wait *w)
{
	size_t i = index_of(w);

	assert_int_equal(thread, THREAD);
	assert_int_equal(m->wait[i].wake, w->wake);
	assert_int_equal(m->wait[i].on, w->on);
	assert_int_equal(w->stacks.java, i + 1);
	assert_int_equal(m->wait[i].reason, w->reason);
	assert_int_equal(m->wait[i].syscall, w->syscall);
	assert_string_equal(m->wait[i].waker_name, w->waker_name);
	assert_false(m->claimed[i]);
	m->claimed[i] = true;
	m->visited++;
}

static void make(size_t thread_limit, size_t limit)
{
	struct wait_join_setup limits = {
		.open = open_calls, .dropped = on_wait, .thread_limit = thread_limit, .limit = limit};

	assert_int_equal(join_waits(&limits), 0);
}

static int setup_model(void **state)
{
	free(m);
	m = calloc(1, sizeof(*m));
	return !m;
}

static int setup(void **state)
{
	setup_model(state);
	make(0, 0);
	return 0;
}

static void add(int64_t off, int64_t wake, int64_t on)
{
	struct frt_wait *w = &m->wait[m->waits];

	*w = (struct frt_wait){.kind = FRT_WAIT, .thread = THREAD, .off = off, .wake = wake, .on = on};
	w->reason = wake == off ? FRT_WAIT_PREEMPTED : FRT_WAIT_FUTEX + m->waits % 8;
	w->syscall = m->waits % 300;
	strcpy(w->waker_name, m->waits % 2 ? "odd" : "even");
	m->waits++;
	wait_join_wait(join, w, &(struct wait_stack_ids){.java = m->waits});
}

static int64_t overlap(int64_t a, int64_t b, int64_t from, int64_t to)
{
	int64_t low = a > from ? a : from, high = b < to ? b : to;

	return high > low ? high - low : 0;
}

/* The answer is the model's, or there is none. */
static bool check(int64_t from, int64_t to)
{
	struct wait_join_split s = split(from, to);
	int64_t blocked = 0, run_queue = 0, on[FRT_WAIT_REASONS] = {0};

	if (s.blocked == WAIT_JOIN_MISSING) {
		assert_true(s.run_queue == WAIT_JOIN_MISSING);
		m->missing++;
		return false;
	}
	for (size_t i = m->waits; i-- > 0 && (int64_t)m->wait[i].on > from;) {
		on[m->wait[i].reason] += overlap(m->wait[i].off, m->wait[i].wake, from, to);
		blocked += overlap(m->wait[i].off, m->wait[i].wake, from, to);
		run_queue += overlap(m->wait[i].wake, m->wait[i].on, from, to);
	}
	assert_int_equal(s.blocked, blocked);
	assert_int_equal(s.run_queue, run_queue);
	assert_memory_equal(s.blocked_on, on, sizeof(on));
	assert_true(s.blocked + s.run_queue <= to - from);
	m->answered++;
	return true;
}

static void claim(int64_t from, int64_t to)
{
	wait_join_claim(join, THREAD, from, to, on_wait, NULL);
	for (size_t i = m->waits; i-- > 0 && m->waits - i < 60;)
		if (overlap(m->wait[i].off, m->wait[i].on, from, to))
			assert_true(m->claimed[i]);
}

CASE(a_call_without_waits_ran_all_the_time, setup, teardown)
{
	expect(100, 200, 0, 0);
	assert_int_equal(split(100, 200).pause, 0);
}

CASE(waits_are_split_at_the_waking, setup, teardown)
{
	add(100, 150, 160);
	expect(90, 200, 50, 10);
	expect(90, 100, 0, 0);
	expect(160, 170, 0, 0);
}

CASE(a_call_that_cuts_a_wait_has_its_part, setup, teardown)
{
	add(100, 150, 160);
	expect(120, 155, 30, 5);
	expect(152, 158, 0, 6);
}

CASE(times_that_make_no_sense_stay_within_their_wait, setup, teardown)
{
	struct wait_join_split s;

	put(THREAD, 100, 500, 200, FRT_WAIT_FUTEX, 0);
	expect(0, 1000, 100, 0);
	put(THREAD, 150, 0, 300, FRT_WAIT_FUTEX, 0);
	s = split(0, 1000);
	assert_int_equal(s.blocked + s.run_queue, 200);
}

CASE(nested_calls_each_have_what_lies_in_them, setup, teardown)
{
	add(110, 120, 121);
	add(130, 150, 152);
	add(170, 180, 180);
	assert_true(check(125, 160));
	assert_true(check(105, 165));
	assert_true(check(100, 200));
	claim(125, 160);
	assert_int_equal(m->visited, 1);
	claim(105, 165);
	assert_int_equal(m->visited, 2);
	claim(100, 200);
	assert_int_equal(m->visited, 3);
	claim(100, 200);
	assert_int_equal(m->visited, 3);
}

static int64_t longest(int64_t from, int64_t to)
{
	return wait_join_claim(join, THREAD, from, to, on_wait, NULL);
}

CASE(the_longest_wait_of_a_call_may_be_a_nested_ones, setup, teardown)
{
	add(110, 120, 121);
	add(130, 150, 152);
	add(170, 180, 180);
	assert_int_equal(longest(125, 160), 22);
	assert_int_equal(longest(165, 190), 10);
	assert_int_equal(longest(105, 195), 22);
	assert_int_equal(longest(100, 200), 22);
	assert_int_equal(longest(200, 300), 0);
}

CASE(the_longest_wait_of_a_call_survives_coalescing, setup_model, teardown)
{
	make(64, 64);
	m->open[m->depth++] = 50;
	for (int64_t i = 1; i <= 5000; i++)
		add(100 * i, 100 * i + 10, 100 * i + (i == 7 ? 99 : 20));
	assert_int_equal(longest(100 * 4990, 600000), 20);
	assert_int_equal(longest(50, 600000), 99);
	assert_int_equal(m->visited, 5000);
}

static void random_calls(size_t rounds, size_t deep)
{
	int64_t now = 1000;

	for (size_t i = 0; i < rounds && m->waits < MANY - 4; i++) {
		now += 1 + rand() % 50;
		switch (rand() % 5) {
		case 0:
			if (m->depth < deep)
				m->open[m->depth++] = now;
			break;
		case 1:
			if (m->depth > 1 || (m->depth && rand() % 100 == 0)) {
				int64_t from = m->open[--m->depth];

				assert_true(check(from, now) || m->depth >= WAIT_JOIN_MOMENTS);
				if (rand() % 2)
					claim(from, now);
			}
			break;
		default: {
			int64_t wake = now + rand() % 3 * (rand() % 40), on = wake + rand() % 20;

			add(now, wake, on);
			now = on;
		}
		}
	}
	while (m->depth)
		assert_true(check(m->open[--m->depth], now) || m->depth >= WAIT_JOIN_MOMENTS);
}

CASE(random_nested_calls_are_as_the_model_has_them, setup, teardown)
{
	random_calls(20000, DEEP);
	assert_int_equal(m->missing, 0);
	assert_true(m->answered > 1000);
}

CASE(open_calls_are_known_though_memory_is_bounded, setup_model, teardown)
{
	make(64, 64);
	random_calls(20000, WAIT_JOIN_MOMENTS);
	assert_true(wait_join_kept(join) <= 64);
	assert_int_equal(m->missing, 0);
	assert_true(m->answered > 1000);
}

CASE(calls_deeper_than_the_slot_shows_are_right_or_missing, setup_model, teardown)
{
	make(64, 64);
	random_calls(20000, DEEP);
	assert_true(wait_join_kept(join) <= 64);
	assert_true(m->answered > 1000);
}

CASE(what_was_coalesced_is_not_guessed, setup_model, teardown)
{
	make(64, 64);
	m->open[m->depth++] = 1000;
	for (int64_t at = 1000; at < 101000; at += 100)
		add(at + 10, at + 50, at + 60);
	assert_true(check(1000, 101000));  /* open all the time */
	assert_false(check(1300, 101000)); /* a call that nobody had told of */
	assert_false(check(1000, 5000));
	assert_true(check(100900, 101000)); /* young */
	claim(1000, 101000);
	assert_int_equal(m->visited, 1000); /* the old ones when they were coalesced */
}

CASE(what_no_open_call_can_ask_for_is_forgotten, setup_model, teardown)
{
	make(64, 64);
	for (int64_t at = 1000; at < 101000; at += 100)
		add(at + 10, at + 50, at + 60);
	assert_false(check(0, 101000));
	assert_false(check(1300, 101000));
	assert_true(check(100900, 101000));
	assert_int_equal(m->visited, 0);
}

CASE(losses_make_what_began_before_unknown, setup, teardown)
{
	add(100, 150, 160);
	wait_join_lost(join, 500);
	assert_false(check(90, 600));
	assert_true(split(90, 600).pause == WAIT_JOIN_MISSING);
	add(600, 610, 610);
	assert_true(check(500, 700));
}

CASE(threads_are_told_apart_and_the_younger_one_stays, setup, teardown)
{
	const uint32_t young = THREAD + FRT_MAX_THREADS;

	add(100, 150, 160);
	assert_int_equal(split_of(THREAD + 1, 0, 1000).blocked, 0);
	put(young, 300, 320, 330, FRT_WAIT_FUTEX, 0);
	assert_int_equal(split_of(young, 0, 1000).blocked, 20);
	assert_true(split(0, 1000).blocked == WAIT_JOIN_MISSING);
	add(400, 410, 420); /* of the old one: not taken for the young one's */
	assert_int_equal(split_of(young, 0, 1000).blocked, 20);
}

static void pause_of(int64_t begin, int64_t end)
{
	wait_join_pause(join, &(struct frt_pause){.begin = begin, .end = end});
}

static int64_t pauses_in(int64_t from, int64_t to)
{
	struct wait_join_split s = split_of(FRT_NO_THREAD, from, to);

	assert_true(s.blocked == WAIT_JOIN_MISSING);
	return s.pause;
}

CASE(pauses_in_each_other_count_once, setup, teardown)
{
	pause_of(110, 150);
	pause_of(100, 160);
	pause_of(200, 210);
	pause_of(205, 220);
	assert_int_equal(pauses_in(0, 1000), 80);
	assert_int_equal(pauses_in(120, 130), 10);
	assert_int_equal(pauses_in(150, 205), 15);
	assert_int_equal(split(0, 1000).pause, 0); /* the thread has run all the time */
}

/* Retransformation at the end of a recording: the VM thread lets the thread go before it reports the end. */
CASE(waits_in_pauses_of_frtrace_are_not_the_programs, setup, teardown)
{
	const struct frt_pause own = {.begin = 100, .end = 200, .flags = FRT_PAUSE_COMMAND, .name = "RedefineClasses"};
	struct frt_pause other = {.begin = 300, .end = 400, .flags = FRT_PAUSE_COMMAND, .name = "G1CollectFull"};
	struct wait_join_split s;

	assert_true(pauses_is_own(&own));
	assert_false(pauses_is_own(&other));
	put(THREAD, 110, 190, 195, FRT_WAIT_SAFEPOINT, 0);
	wait_join_pause(join, &own);
	put(THREAD, 310, 390, 395, FRT_WAIT_SAFEPOINT, 0);
	wait_join_pause(join, &other);
	other = (struct frt_pause){.begin = 500, .end = 600, .name = "RedefineClasses"}; /* another tool's */
	assert_false(pauses_is_own(&other));
	put(THREAD, 510, 590, 595, FRT_WAIT_SAFEPOINT, 0);
	wait_join_pause(join, &other);
	s = split(0, 1000);
	assert_int_equal(s.blocked_on[FRT_WAIT_TRACER], 80);
	assert_int_equal(s.blocked_on[FRT_WAIT_SAFEPOINT], 160);
	assert_int_equal(s.pause, 255);
}

CASE(who_waits_for_the_jvm_in_a_pause_waits_for_its_end_but_not_who_waits_for_a_compiler, setup, teardown)
{
	struct wait_join_split s;

	wait_join_pause(join, &(struct frt_pause){.what = FRT_PAUSE_GC, .begin = 100, .end = 300});
	put(THREAD, 110, 190, 190, FRT_WAIT_JVM, 0); /* Threads_lock, Heap_lock */
	put(THREAD, 200, 290, 290, FRT_WAIT_JIT, 0);
	put(THREAD, 400, 450, 450, FRT_WAIT_JVM, 0);
	s = split(0, 1000);
	assert_int_equal(s.blocked_on[FRT_WAIT_GC], 80);
	assert_int_equal(s.blocked_on[FRT_WAIT_JIT], 90);
	assert_int_equal(s.blocked_on[FRT_WAIT_JVM], 50);
}

CASE(old_pauses_are_coalesced, setup, teardown)
{
	for (int64_t i = 0; i < 100000; i++)
		pause_of(100 * i, 100 * i + 10);
	assert_int_equal(pauses_in(-5, 100 * 100000), 1000000);
	assert_int_equal(pauses_in(100 * 99990, 100 * 100000), 100);
	assert_true(pauses_in(1000, 2000) == WAIT_JOIN_MISSING);
	assert_true(split(1000, 2000).pause == WAIT_JOIN_MISSING);
	add(100, 500, 600); /* pauses of 50 ns lie in it, but when is not known any more */
	assert_int_equal(split(-5, 100 * 100000).pause, 500);
}

static void usage_of(int64_t at, uint32_t syscalls, uint64_t time, uint32_t major, uint32_t minor)
{
	wait_join_usage(join, &(struct frt_thread_usage){.thread = THREAD,
							 .at = at,
							 .syscalls = syscalls,
							 .syscall_ns = time,
							 .major_faults = major,
							 .minor_faults = minor});
}

static void expect_usage(int64_t from, int64_t to, int64_t syscalls, int64_t time, int64_t major, int64_t minor)
{
	struct wait_join_split s = split(from, to);

	assert_int_equal(s.syscalls, syscalls);
	assert_int_equal(s.syscall_ns, time);
	assert_int_equal(s.major_faults, major);
	assert_int_equal(s.minor_faults, minor);
}

CASE(system_calls_and_faults_are_counted, setup, teardown)
{
	usage_of(100, 2, 40, 0, 1);
	usage_of(120, 0, 0, 1, 3);
	usage_of(200, 5, 1000, 0, 0);
	expect_usage(0, 1000, 7, 1040, 1, 4);
	expect_usage(100, 200, 2, 40, 1, 4);
	expect_usage(101, 200, 0, 0, 1, 3);
	expect_usage(121, 201, 5, 1000, 0, 0);
	expect_usage(200, 300, 5, 1000, 0, 0);
	expect_usage(201, 300, 0, 0, 0, 0);
}

/* Nested calls of many usages, with little room: what is known is right, and what is still open is known. */
CASE(usage_is_coalesced_between_the_starts_of_open_calls, setup_model, teardown)
{
	make(64, 64);
	m->open[m->depth++] = 50;
	for (int64_t i = 1; i <= 5000; i++) {
		if (i == 2000)
			m->open[m->depth++] = 100 * i;
		usage_of(100 * i + 50, 0, 0, 0, 1);
		usage_of(100 * i + 60, 1, 7, 1, 2);
	}
	expect_usage(200000, 500100, 3001, 3001 * 7, 3001, 3001 * 3);
	expect_usage(50, 500100, 5000, 5000 * 7, 5000, 5000 * 3);
	expect_usage(100000, 500100, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING);
}

static void unobserved(uint32_t thread, uint32_t flags)
{
	wait_join_unobserved(join, &(struct frt_slot_owner){.thread = thread, .flags = flags});
}

CASE(nothing_is_known_of_a_thread_that_the_kernel_does_not_see, setup, teardown)
{
	struct wait_join_split s;

	unobserved(THREAD, FRT_OWNER_NO_WAITS);
	s = split(100, 200);
	assert_true(s.blocked == WAIT_JOIN_MISSING && s.run_queue == WAIT_JOIN_MISSING);
	assert_int_equal(s.syscalls, 0);
	unobserved(THREAD, FRT_OWNER_NO_USAGE);
	expect_usage(100, 200, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING, WAIT_JOIN_MISSING);
	assert_int_equal(split(100, 200).pause, 0);
	assert_int_equal(split_of(THREAD + 1, 100, 200).blocked, 0);
	wait_join_unobserved(join, NULL);
	assert_true(split_of(THREAD + 1, 100, 200).blocked == WAIT_JOIN_MISSING);
}

static void wait_of_thread(uint32_t thread, int64_t off, int64_t on)
{
	put(thread, off, on, on, FRT_WAIT_PARKED, 0);
}

static int64_t blocked_of(uint32_t thread, int64_t from, int64_t to)
{
	return split_of(thread, from, to).blocked;
}

CASE(a_virtual_thread_is_not_the_platform_thread_with_its_number, setup, teardown)
{
	struct wait_join_split s;

	wait_of_thread(5, 100, 110);
	wait_of_thread(frt_virtual_key(5), 200, 220);
	s = split_of(frt_virtual_key(5), 0, 1000);
	assert_int_equal(s.blocked, 20);
	assert_int_equal(s.blocked_on[FRT_WAIT_PARKED], 20);
	assert_true(s.syscalls == WAIT_JOIN_MISSING); /* the kernel counts for the carrier */
	assert_int_equal(blocked_of(5, 0, 1000), 10);
	assert_int_equal(blocked_of(frt_virtual_key(6), 0, 1000), 0);
	wait_of_thread(frt_virtual_key(5 + FRT_MAX_THREADS), 300, 310); /* takes its place */
	assert_true(blocked_of(frt_virtual_key(5), 0, 1000) == WAIT_JOIN_MISSING);
	assert_int_equal(blocked_of(5, 0, 1000), 10);
}

/* Each of many virtual threads waits a few times, at a rate at which the limit keeps those of some seconds. */
CASE(virtual_threads_make_room_for_later_ones, setup_model, teardown)
{
	enum { LIMIT = 4096, MANY_THREADS = 12000, WAITS = 20 };
	const int64_t ms = 1000000;
	size_t known = 0;

	make(0, LIMIT);
	for (int64_t i = 1; i <= MANY_THREADS; i++) {
		int64_t begin = i * 50 * ms, blocked;

		for (int64_t w = 0; w < WAITS; w++)
			wait_of_thread(frt_virtual_key(i), begin + w * ms, begin + w * ms + 1000);
		blocked = blocked_of(frt_virtual_key(i), begin - 1, begin + WAITS * ms);
		assert_true(blocked == WAIT_JOIN_MISSING || blocked == WAITS * 1000);
		known += blocked >= 0;
	}
	assert_true(wait_join_kept(join) <= LIMIT);
	assert_int_equal(known, MANY_THREADS);
	assert_true(blocked_of(frt_virtual_key(1), 50 * ms - 1, 51 * ms) == WAIT_JOIN_MISSING); /* dropped */
}

/* All at once, so that there is nothing to drop. */
CASE(virtual_threads_without_room_are_missing, setup_model, teardown)
{
	enum { LIMIT = 1024, MANY_THREADS = 2000 };
	size_t known = 0;

	make(0, LIMIT);
	wait_of_thread(5, 100, 110);
	for (int64_t i = 1; i <= MANY_THREADS; i++)
		wait_of_thread(frt_virtual_key(i), 1000 + i, 2000 + i);
	for (int64_t i = 1; i <= MANY_THREADS; i++) {
		int64_t blocked = blocked_of(frt_virtual_key(i), 500, 5000);

		assert_true(blocked == WAIT_JOIN_MISSING || blocked == 1000);
		known += blocked == 1000;
	}
	assert_in_range(known, LIMIT / 16, LIMIT / 8);
	assert_int_equal(blocked_of(5, 0, 1000), 10); /* others lose nothing */
}

CASE(memory_of_all_threads_is_bounded, setup_model, teardown)
{
	make(1024, 4096);
	for (int64_t i = 0; i < 200; i++)
		for (uint32_t t = 1; t <= 20; t++)
			for (int64_t k = 0; k < 20; k++) {
				int64_t at = 10000 * i + 100 * k;

				put(t, at, at + 10, at + 11, FRT_WAIT_FUTEX, 0);
			}
	assert_true(wait_join_kept(join) <= 4096);
}
