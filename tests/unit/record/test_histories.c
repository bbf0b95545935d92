// SPDX-License-Identifier: BSD-2-Clause
/*
 * A short history may make parts of a critical path unknown, and must not change the others. Each path is computed twice: with
 * room for all waits in struct wait_join, and with little room.
 */
#include "tests/lib/test.h"
#include "user/record/critical_path.h"
#include "user/record/wait_join.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 5u /* with numbers from 1 */
#define WAITS	600
#define ROUNDS	200
#define LITTLE	64
#define LEAST	16
#define LENGTH	4096

struct histories {
	struct wait_join *join;
	int64_t open[2]; /* starts of calls of thread 1 */
};

static struct path_segment whole[LENGTH], part[LENGTH];

static unsigned int below(unsigned int n)
{
	return (unsigned int)random() % n;
}

static size_t open_calls(void *context, uint32_t thread, int64_t moments[WAIT_JOIN_MOMENTS])
{
	const struct histories *h = context;

	moments[0] = h->open[0];
	moments[1] = h->open[1];
	return thread == 1 ? 2 : 0;
}

static void dropped(void *context, uint32_t thread, const struct wait *w)
{
}

static void histories_new(struct histories *h, size_t limit)
{
	const struct wait_join_setup setup = {
		.open = open_calls, .dropped = dropped, .context = h, .thread_limit = limit, .limit = limit};
	struct diag d;

	assert_int_equal(wait_join_new(&h->join, &setup, &d), 0);
}

static struct path_gap before(void *context, uint64_t thread, int64_t at)
{
	const struct histories *h = context;
	struct path_gap g = wait_join_before(h->join, thread, at, 0);

	if (g.kind == PATH_GAP_WAIT) {
		g.waker = wait_join_describe(g.details).waker;
		g.woken = true;
	}
	return g;
}

static const struct wait_stack_ids no_stacks;

/* The kernel has forgotten all waits of the thread in this time. */
static void add_forgotten(struct histories *h, uint32_t thread, int64_t from, int64_t until)
{
	struct frt_wait w = {.kind = FRT_WAIT,
			     .thread = thread,
			     .off = from,
			     .wake = until,
			     .on = until,
			     .reason = FRT_WAIT_OTHER,
			     .flags = FRT_WAIT_FORGOTTEN};

	wait_join_wait(h->join, &w, &no_stacks);
}

/* For `b`, `forgotten` percent of the waits are so. Returns when thread 1 ran last. */
static int64_t add_waits(struct histories *a, struct histories *b, unsigned int forgotten)
{
	int64_t done[THREADS + 1] = {0}, lost[THREADS + 1] = {0};

	for (int i = 0; i < WAITS; i++) {
		uint32_t t = 1 + below(THREADS);
		int64_t off = done[t] + 1 + below(50), wake = off + below(200), on = wake + below(20);
		struct frt_wait w = {.kind = FRT_WAIT,
				     .thread = t,
				     .off = off,
				     .wake = wake,
				     .on = on,
				     .waker = wake > off ? below(THREADS + 1) : 0,
				     .reason = wake > off ? FRT_WAIT_FUTEX : FRT_WAIT_PREEMPTED};

		wait_join_wait(a->join, &w, &no_stacks);
		done[t] = on;
		if (below(100) < forgotten) {
			lost[t] = lost[t] ?: off;
			continue;
		}
		if (lost[t])
			add_forgotten(b, t, lost[t], off);
		lost[t] = 0;
		wait_join_wait(b->join, &w, &no_stacks);
	}
	for (uint32_t t = 1; t <= THREADS; t++)
		if (lost[t])
			add_forgotten(b, t, lost[t], done[t]);
	return done[1];
}

static bool is_known(const struct path_segment *s)
{
	return s->state != PATH_UNKNOWN && s->state != PATH_UNLISTED;
}

/* Returns the ns of `part` that are unknown. */
static int64_t compare_paths(size_t n, size_t wholes)
{
	int64_t unknown = 0;

	for (size_t i = 0, k = 0; i < n; i++) {
		while (k < wholes && whole[k].end <= part[i].begin)
			k++;
		if (!is_known(&part[i]))
			unknown += part[i].end - part[i].begin;
		for (size_t at = k; is_known(&part[i]) && at < wholes && whole[at].begin < part[i].end; at++) {
			assert_int_equal(part[i].thread, whole[at].thread);
			assert_int_equal(part[i].state, whole[at].state);
		}
	}
	return unknown;
}

/* Compare paths from histories of `limit` waits a thread, without forgotten ones, with paths from whole ones. Adds up how much of `time` each does not know. */
static void compare_histories(size_t limit, unsigned int forgotten, int64_t *unknown, int64_t *unknown_of_whole,
			      int64_t *time)
{
	*unknown = *unknown_of_whole = *time = 0;
	srandom(7);
	for (int round = 0; round < ROUNDS; round++) {
		struct histories all = {.open = {100, 3000}}, little = all;
		const struct path_histories of_all = {before, &all}, of_little = {before, &little};
		int64_t end, begin;
		size_t n, wholes;

		histories_new(&all, 0);
		histories_new(&little, limit);
		end = add_waits(&all, &little, forgotten);
		assert_true(!limit || wait_join_kept(little.join) <= THREADS * limit);
		for (int call = 0; call < 20; call++) {
			begin = below(end - 1);
			wholes = critical_path(&of_all, 1, begin, end, whole, LENGTH);
			n = critical_path(&of_little, 1, begin, end, part, LENGTH);
			*time += end - begin;
			*unknown += compare_paths(n, wholes);
			memcpy(part, whole, sizeof(part));
			*unknown_of_whole += compare_paths(wholes, wholes);
		}
		wait_join_free(all.join);
		wait_join_free(little.join);
	}
}

CASE(with_little_history_only_what_is_unknown_grows, NULL, NULL)
{
	int64_t least, little, whole_unknown, time;

	compare_histories(LITTLE, 0, &little, &whole_unknown, &time);
	compare_histories(LEAST, 0, &least, &whole_unknown, &time);
	assert_true(whole_unknown < little);
	assert_true(little < least);
	assert_true(least < time);
}

CASE(where_waits_were_forgotten_only_what_is_unknown_grows, NULL, NULL)
{
	int64_t few, many, whole_unknown, time;

	compare_histories(0, 5, &few, &whole_unknown, &time);
	compare_histories(0, 50, &many, &whole_unknown, &time);
	assert_true(whole_unknown < few);
	assert_true(few < many);
	assert_true(many < time);
}
