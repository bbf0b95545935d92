// SPDX-License-Identifier: BSD-2-Clause
/*
 * The oracle is a plan: first it is decided who is on the path when, then histories are made that have this path. Between its
 * parts of the path every thread has waits that have nothing to do with it.
 */
#include "user/record/critical_path.h"
#include "tests/lib/test.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 20u /* with numbers from 1 */
#define GAPS	4096u
#define PIECES	65536u
#define BEGIN	1000000
#define NONE	INT64_MIN

struct line {
	struct path_gap gap[GAPS];
	size_t count, dropped; /* dropped: the first ones are not known */
	int64_t done;	       /* the plan has filled the time until then */
};

static struct line lines[THREADS + 1];
static struct path_segment plan[PIECES], found[PIECES];
static uint32_t
	chain[PIECES]; /* of the pieces of the plan: a bit for each thread that waits for another, or is the last one */
static size_t planned;
static uintptr_t detail;

static unsigned int below(unsigned int n)
{
	return (unsigned int)random() % n;
}

static int reset(void **state)
{
	for (size_t t = 0; t <= THREADS; t++)
		lines[t].count = lines[t].dropped = lines[t].done = 0;
	planned = 0;
	return 0;
}

static struct path_gap before(void *context, uint64_t thread, int64_t at)
{
	const struct line *l = &lines[thread];
	size_t i = l->count;

	while (i > l->dropped && l->gap[i - 1].off >= at)
		i--;
	if (i > l->dropped)
		return l->gap[i - 1];
	return (struct path_gap){PATH_GAP_UNKNOWN, NONE, NONE, l->dropped ? l->gap[i - 1].on : 0, 0, NULL, false};
}

static const struct path_histories histories = {.before = before};

static const struct path_gap *add_gap(unsigned int thread, struct path_gap g)
{
	struct line *l = &lines[thread];

	assert_true(l->count < GAPS);
	g.details = g.kind == PATH_GAP_WAIT ? (void *)++detail : NULL;
	l->gap[l->count] = g;
	return &l->gap[l->count++];
}

static void add_noise(unsigned int thread, int64_t until)
{
	int64_t at = lines[thread].done + below(5);

	for (unsigned int n = below(4); n && at < until; n--) {
		int64_t on = at + 1 + below(until - at), wake = at + below(on - at + 1);

		add_gap(thread, (struct path_gap){PATH_GAP_WAIT, at, wake, on, below(THREADS + 1), NULL, false});
		at = on + below(20);
	}
	lines[thread].done = at > until ? until : at;
}

static void add_piece(struct path_segment s, uint32_t who)
{
	struct path_segment *last = planned ? &plan[planned - 1] : NULL;

	if (s.begin == s.end)
		return;
	if (last && last->thread == s.thread && last->state == s.state && last->depth == s.depth &&
	    last->details == s.details && last->waited == s.waited) {
		last->end = s.end;
		return;
	}
	assert_true(planned < PIECES);
	chain[planned] = who;
	plan[planned++] = s;
}

static void plan_window(struct path_segment link, uint32_t who, int64_t begin, int64_t end);

/* A gap of the thread that ends at `on`; what was before `at` is outside of the window. */
static void plan_gap(struct path_segment link, uint32_t who, int64_t off, int64_t at, int64_t on)
{
	unsigned int kind = below(16), next = 1 + below(THREADS);
	int64_t wake = kind < 3 ? off : on - (on - at) / (1 + below(16));
	struct path_segment s = link;
	const struct path_gap *g;

	if (!kind) {
		add_gap(link.thread, (struct path_gap){PATH_GAP_UNKNOWN, off, off, on, 0, NULL, false});
		s.begin = at;
		s.end = on;
		s.state = PATH_UNKNOWN;
		add_piece(s, who);
		return;
	}
	if (who & 1u << next || link.depth >= 6 || kind < 6)
		next = 0;
	g = add_gap(link.thread, (struct path_gap){PATH_GAP_WAIT, off, wake, on, wake > off ? next : 0, NULL, false});
	wake = wake < at ? at : wake;
	if (g->waker) {
		plan_window((struct path_segment){.thread = next,
						  .depth = link.depth + 1,
						  .waiter = link.thread,
						  .waited = g->details,
						  .above = link.waited},
			    who | 1u << next, at, wake);
	} else {
		s.begin = at;
		s.end = wake;
		s.state = PATH_WAIT;
		s.details = g->details;
		add_piece(s, who);
	}
	s.begin = wake;
	s.end = on;
	s.state = PATH_RUN_QUEUE;
	s.details = g->wake > off ? g->details : NULL;
	add_piece(s, who);
}

/* What the thread of the link does in [begin, end), which is a part of the path. */
static void plan_window(struct path_segment link, uint32_t who, int64_t begin, int64_t end)
{
	struct line *l = &lines[link.thread];
	int64_t at = begin;
	bool runs = below(2);

	if (begin == end)
		return;
	add_noise(link.thread, begin);
	for (; at < end; runs = below(8) == 0 || !runs) {
		int64_t to = at + 1 + below((end - at) / (1 + below(8)) ?: 1), off = at;

		if (runs) {
			struct path_segment s = link;

			s.begin = at;
			s.end = to;
			s.state = PATH_CPU;
			add_piece(s, who);
		} else {
			if (at == begin && below(2))
				off -= below(begin - l->done + 1);
			plan_gap(link, who, off, at, to);
		}
		at = to;
	}
	l->done = end;
}

static int64_t plan_call(void)
{
	int64_t end = BEGIN + 1 + below(below(8) ? 100000 : 40);

	reset(NULL);
	plan_window((struct path_segment){.thread = 1}, 1u << 1, BEGIN, end);
	for (unsigned int t = 1; t <= THREADS; t++)
		add_noise(t, end + 1000);
	return end;
}

static void assert_covers(const struct path_segment *s, size_t n, int64_t begin, int64_t end)
{
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(s[i].begin, i ? s[i - 1].end : begin);
		assert_true(s[i].end > s[i].begin);
	}
	assert_int_equal(s[n - 1].end, end);
}

static void assert_segment(const struct path_segment *a, const struct path_segment *b)
{
	assert_int_equal(a->begin, b->begin);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->thread, b->thread);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->depth, b->depth);
	assert_int_equal(a->waiter, b->waiter);
	assert_ptr_equal(a->details, b->details);
	assert_ptr_equal(a->waited, b->waited);
	assert_ptr_equal(a->above, b->above);
}

CASE(the_path_is_the_planned_one, reset, NULL)
{
	size_t deepest = 0;

	for (int i = 0; i < 10000; i++) {
		int64_t end = plan_call();
		size_t n = critical_path(&histories, 1, BEGIN, end, found, PIECES);

		assert_covers(found, n, BEGIN, end);
		assert_int_equal(n, planned);
		for (size_t k = 0; k < n; k++) {
			assert_segment(&found[k], &plan[k]);
			deepest = found[k].depth > deepest ? found[k].depth : deepest;
		}
	}
	assert_true(deepest >= 6);
}

/* The piece of the plan that contains this moment, from piece p on. */
static size_t piece_at(size_t p, int64_t moment)
{
	while (plan[p].end <= moment)
		p++;
	return p;
}

CASE(what_is_not_kept_is_unknown_and_nothing_else_changes, reset, NULL)
{
	size_t more = 0;

	for (int i = 0; i < 3000; i++) {
		int64_t end = plan_call();
		size_t n, p = 0;

		for (unsigned int t = 1; t <= THREADS; t++)
			lines[t].dropped = lines[t].count > 16 ? lines[t].count - 16 : 0;
		n = critical_path(&histories, 1, BEGIN, end, found, PIECES);
		assert_covers(found, n, BEGIN, end);
		for (size_t k = 0; k < n; k++) {
			p = piece_at(p, found[k].begin);
			assert_true(chain[p] & 1u << found[k].thread);
			if (found[k].state == PATH_UNKNOWN) {
				more += found[k].end - found[k].begin;
				continue;
			}
			assert_true(found[k].end <= plan[p].end);
			assert_int_equal(found[k].thread, plan[p].thread);
			assert_int_equal(found[k].state, plan[p].state);
			assert_ptr_equal(found[k].details, plan[p].details);
		}
	}
	assert_true(more > 0);
}

CASE(what_does_not_fit_is_said_to_be_so_and_the_rest_is_right, reset, NULL)
{
	for (int i = 0; i < 3000; i++) {
		int64_t end = plan_call();
		size_t room = 1 + below(planned + 2), n = critical_path(&histories, 1, BEGIN, end, found, room);
		size_t unlisted = found[0].state == PATH_UNLISTED;

		assert_covers(found, n, BEGIN, end);
		assert_int_equal(unlisted, planned > room - 1);
		assert_int_equal(n, unlisted ? room : planned);
		for (size_t k = unlisted; k < n; k++)
			assert_segment(&found[k], &plan[planned - n + k]);
	}
}

/* The kernel has put thread 1 into a queue only after thread 2, which woke it, had begun to wait. */
CASE(a_thread_that_was_woken_is_on_its_way_when_its_waker_waits_again, reset, NULL)
{
	struct path_gap late = {PATH_GAP_WAIT, BEGIN, BEGIN + 60, BEGIN + 70, 2, NULL, true};

	add_gap(2, (struct path_gap){PATH_GAP_WAIT, BEGIN + 50, BEGIN + 500, BEGIN + 500, 3, NULL, true});
	add_gap(1, late);
	assert_int_equal(critical_path(&histories, 1, BEGIN, BEGIN + 80, found, PIECES), 3);
	assert_int_equal(found[0].thread, 2);
	assert_int_equal(found[0].end, BEGIN + 50);
	assert_int_equal(found[1].thread, 1);
	assert_int_equal(found[1].state, PATH_RUN_QUEUE);
	assert_int_equal(found[1].end, BEGIN + 70);
	assert_int_equal(found[2].state, PATH_CPU);
}

/* Records that contradict each other, because one has been lost. */
CASE(threads_that_end_each_others_waits_end_the_path, reset, NULL)
{
	for (unsigned int t = 1; t <= 3; t++)
		add_gap(t, (struct path_gap){PATH_GAP_WAIT, 10, 90, 95, t % 3 + 1, NULL, false});
	add_gap(4, (struct path_gap){PATH_GAP_WAIT, 10, 90, 95, 4, NULL, false});
	assert_int_equal(critical_path(&histories, 1, 0, 100, found, PIECES), 4);
	assert_int_equal(found[1].state, PATH_WAIT);
	assert_int_equal(found[1].thread, 3);
	assert_int_equal(found[1].end - found[1].begin, 80);
	assert_int_equal(critical_path(&histories, 4, 0, 100, found, PIECES), 4);
	assert_int_equal(found[1].thread, 4);
}

CASE(a_chain_that_is_too_deep_ends_in_a_wait, reset, NULL)
{
	for (unsigned int t = 1; t < THREADS; t++)
		add_gap(t, (struct path_gap){PATH_GAP_WAIT, 10, 100 - t, 100 - t, t + 1, NULL, false});
	critical_path(&histories, 1, 0, 100, found, PIECES);
	assert_int_equal(found[1].depth, CRITICAL_PATH_DEPTH - 1);
	assert_int_equal(found[1].thread, CRITICAL_PATH_DEPTH);
	assert_int_equal(found[1].state, PATH_WAIT);
}
