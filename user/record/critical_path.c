// SPDX-License-Identifier: BSD-2-Clause
/*
 * The walk goes backwards: only the end of a wait tells who ended it. It follows the waker in the time of the wait and no
 * further. What the waker did before it, and whom it waited for then, has delayed nobody. Each step begins where the last one
 * has ended, so the segments sum up by construction.
 */
#include "user/record/critical_path.h"

#include <string.h>

struct path_walk {
	const struct path_histories *histories;
	struct path_segment *out; /* filled from its end */
	size_t first, room;	  /* out[first] is the last one that was put */
	int64_t at;		  /* all from here on is done */
	bool full;
	uint64_t chain[CRITICAL_PATH_DEPTH]; /* who waits for whom, by depth */
};

/* Where on the path the walk is. */
struct path_link {
	uint64_t thread, waiter;
	const void *waited, *above;
	unsigned int depth;
};

static bool path_goes_on(const struct path_segment *a, const struct path_segment *b)
{
	return a->thread == b->thread && a->state == b->state && a->depth == b->depth && a->details == b->details &&
	       a->waited == b->waited;
}

/* Add [from, the last segment), if it is not empty. One entry remains free for what does not fit. */
static void path_put(struct path_walk *w, const struct path_link *link, enum path_state state, int64_t from,
		     const void *details)
{
	struct path_segment s = {.begin = from,
				 .end = w->at,
				 .thread = link->thread,
				 .state = state,
				 .depth = link->depth,
				 .details = details,
				 .waiter = link->waiter,
				 .waited = link->waited,
				 .above = link->above};
	struct path_segment *last = w->first < w->room ? &w->out[w->first] : NULL;

	if (from >= w->at || w->full)
		return;
	if (last && path_goes_on(last, &s)) {
		last->begin = from;
	} else if (w->first > 1) {
		w->out[--w->first] = s;
	} else {
		w->full = true;
		return;
	}
	w->at = from;
}

static bool path_has(const struct path_walk *w, unsigned int depth, uint64_t thread)
{
	for (unsigned int i = 0; i <= depth; i++)
		if (w->chain[i] == thread)
			return true;
	return false;
}

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * The kernel counts the time in a CPU's queue from when the thread is in it, which may be later than the wake-up. The waker
 * ran at the wake-up. If it did not run any more at w->at, the thread was on its way meanwhile.
 */
static void path_put_arrival(struct path_walk *w, const struct path_link *link, const struct path_gap *g, int64_t off)
{
	struct path_gap next = w->histories->before(w->histories->context, g->waker, w->at);

	if (g->woken && next.kind == PATH_GAP_WAIT && next.on >= w->at)
		path_put(w, link, PATH_RUN_QUEUE, later_of(next.off, off), g->details);
}

/* The walk of a thread from w->at back to `begin`. */
static void path_follow(struct path_walk *w, const struct path_link *link, int64_t begin)
{
	w->chain[link->depth] = link->thread;
	while (w->at > begin && !w->full) {
		struct path_gap g = w->histories->before(w->histories->context, link->thread, w->at);
		struct path_link next = {g.waker, link->thread, g.details, link->waited, link->depth + 1};
		int64_t off = later_of(g.off, begin);

		path_put(w, link, PATH_CPU, later_of(g.on, begin), NULL);
		if (g.kind == PATH_GAP_UNKNOWN) {
			path_put(w, link, PATH_UNKNOWN, off, g.details);
			continue;
		}
		path_put(w, link, PATH_RUN_QUEUE, later_of(g.wake, begin), g.wake > g.off ? g.details : NULL);
		if (w->at <= off)
			continue;
		if (g.waker && next.depth < CRITICAL_PATH_DEPTH && !path_has(w, link->depth, g.waker)) {
			path_put_arrival(w, link, &g, off);
			path_follow(w, &next, off);
		}
		path_put(w, link, PATH_WAIT, off, g.details);
	}
}

size_t critical_path(const struct path_histories *h, uint64_t thread, int64_t begin, int64_t end,
		     struct path_segment *out, size_t room)
{
	struct path_walk w = {.histories = h, .out = out, .first = room, .room = room, .at = end};
	struct path_link link = {.thread = thread};

	path_follow(&w, &link, begin);
	if (w.at > begin)
		out[--w.first] =
			(struct path_segment){.begin = begin, .end = w.at, .thread = thread, .state = PATH_UNLISTED};
	memmove(out, out + w.first, (room - w.first) * sizeof(*out));
	return room - w.first;
}
