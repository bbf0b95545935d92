// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/holders.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/name_fit.h"
#include "user/trace/trace.h"
#include "user/trace/wait_place.h"

#include <stdlib.h>

#define LOCK_WAITS_MOST (1u << 20) /* 28 MB */
#define HOPS		16	   /* from one thread to the next, at most */
#define JUST_NOW	1000000	   /* ns between the end of a call and the wake-up, on a busy machine */

void holders_release(struct holders *h)
{
	free(h->wait);
	free(h->by_end);
	free(h->held);
	map_release(&h->locks);
	map_release(&h->stacks.map);
	*h = (struct holders){0};
}

bool holders_is_lock(struct holders *h, const struct thread_wait *wait)
{
	char *reason = thread_wait_reason(wait);
	bool lock = wait_is_for_lock(reason);
	uint32_t *known;

	free(reason);
	if (!lock || wait->stack.kind != VALUE_KEY)
		return lock && wait_is_contended(wait);
	known = chunk_map_at(&h->stacks, wait->chunk, &wait->stack, 0);
	if (!*known)
		*known = 1 + wait_is_contended(wait);
	return *known == 2;
}

uint32_t holders_note(struct holders *h, uint32_t thread, uint32_t waker, int64_t start, int64_t duration)
{
	if (!waker || h->count == LOCK_WAITS_MOST)
		return 0;
	memory_reserve(&h->wait, &h->capacity, h->count + 1);
	h->wait[h->count++] = (struct lock_wait){start, start + duration, thread, waker};
	return h->count;
}

uint32_t holders_add(struct holders *h, const struct thread_wait *wait)
{
	if (!holders_is_lock(h, wait))
		return 0;
	return holders_note(h, threads_number(h->threads, wait->chunk, &wait->thread),
			    threads_number(h->threads, wait->chunk, &wait->waker), wait->start, wait->duration);
}

void holders_want(struct holders *h, const struct held *wait)
{
	if (h->wanted == HELD_MOST)
		return;
	memory_reserve(&h->held, &h->held_capacity, h->wanted + 1);
	h->held[h->wanted] = *wait;
	h->held[h->wanted++].passed = wait->start + wait->duration;
}

void holders_want_number(struct holders *h, uint32_t number)
{
	const struct lock_wait *w = number ? &h->wait[number - 1] : NULL;

	if (w)
		holders_want(h, &(struct held){.thread = w->thread,
					       .holder = w->waker,
					       .lock = true,
					       .start = w->start,
					       .duration = w->end - w->start});
}

static int lock_waits_compare(const void *a, const void *b, void *context)
{
	const struct lock_wait *wait = context, *x = &wait[*(const uint32_t *)a], *y = &wait[*(const uint32_t *)b];

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return (x->end > y->end) - (x->end < y->end);
}

static int held_compare(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->holder != y->holder)
		return (x->holder > y->holder) - (x->holder < y->holder);
	return (x->passed > y->passed) - (x->passed < y->passed);
}

/* The last wait of a thread for a lock that ended at `moment` or earlier; NULL: none. */
static const struct lock_wait *holders_last_wait(const struct holders *h, uint32_t thread, int64_t moment)
{
	const struct lock_wait *last;
	size_t n = lower_bound(i, h->count,
			       h->wait[h->by_end[i]].thread > thread ||
				       (h->wait[h->by_end[i]].thread == thread && h->wait[h->by_end[i]].end > moment));

	last = n ? &h->wait[h->by_end[n - 1]] : NULL;
	return last && last->thread == thread ? last : NULL;
}

/* Go on to the thread that made the holder wait for most of the time. */
static void held_follow(struct held *held, const struct holders *h)
{
	for (int hop = 0; hop < HOPS; hop++) {
		const struct lock_wait *w = holders_last_wait(h, held->holder, held->passed);
		int64_t from = w && w->start > held->start ? w->start : held->start;

		if (!w || w->waker == held->holder || w->end - from < (held->passed - held->start) / 2)
			return;
		held->passed = w->end;
		held->holder = w->waker;
	}
}

void holders_settle(struct holders *h)
{
	if (!h->wanted)
		return;
	h->by_end = memory_need(calloc(h->count + 1, sizeof(*h->by_end)));
	for (uint32_t i = 0; i < h->count; i++)
		h->by_end[i] = i;
	if (h->count)
		qsort_r(h->by_end, h->count, sizeof(*h->by_end), lock_waits_compare, h->wait);
	for (size_t i = 0; i < h->wanted; i++)
		if (h->held[i].lock)
			held_follow(&h->held[i], h);
	qsort(h->held, h->wanted, sizeof(*h->held), held_compare);
	for (uint32_t i = 0; i < h->wanted; i++)
		if (h->held[i].lock)
			*memory_map_at(&h->locks, h->held[i].thread, h->held[i].start) = i + 1;
}

static bool held_is_most(const struct held *held, int64_t overlap)
{
	return overlap > 0 && overlap >= (held->passed - held->start) / 2;
}

bool held_is_covered(const struct held *held)
{
	return held_is_most(held, held->overlap);
}

/* Of the calls that cover most of the wait the shortest one is best, else the one that covers most of it. */
static bool held_offer(struct held *held, int64_t start, int64_t duration)
{
	int64_t end = start + duration < held->passed ? start + duration : held->passed;
	int64_t overlap = end - (start > held->start ? start : held->start);
	bool better = overlap > held->overlap;

	if (held_is_most(held, overlap) && held_is_covered(held))
		better = duration < held->best_duration;
	if (overlap <= 0 || !better)
		return false;
	held->overlap = overlap;
	held->best_duration = duration;
	return true;
}

/* A call that covers most of a wait ends at most by its own duration before that does. */
void holders_on_call(struct holders *h, uint32_t thread, uint32_t method, int64_t start, int64_t duration)
{
	int64_t last = start + duration + (duration > JUST_NOW ? duration : JUST_NOW);
	size_t i =
		lower_bound(n, h->wanted,
			    h->held[n].holder > thread || (h->held[n].holder == thread && h->held[n].passed >= start));

	for (; i < h->wanted && h->held[i].holder == thread && h->held[i].passed <= last; i++)
		if (held_offer(&h->held[i], start, duration))
			h->held[i].method = method;
}

static int holders_read_call(const struct call *call, void *context)
{
	struct holders *h = context;

	holders_on_call(h, threads_number(h->threads, call->chunk, &call->thread),
			method_names_number(h->names, call->chunk, &call->method), call->start, call->duration);
	return 0;
}

void holders_read(struct holders *h, struct jfr_file *file)
{
	static const struct trace_ops ops = {.call = holders_read_call};

	holders_settle(h);
	if (h->wanted)
		trace_read_again(file, &(struct trace_reader){&ops, h, NULL}, 1);
}

const struct held *holders_of_wait(const struct holders *h, uint32_t thread, int64_t start, int64_t duration)
{
	uint32_t n = map_get(&h->locks, thread, start);

	return n && h->held[n - 1].duration == duration ? &h->held[n - 1] : NULL;
}

uint32_t held_method(const struct held *held)
{
	return !held->lock || held_is_covered(held) ? held->method : 0;
}

bool holders_put(const struct holders *h, uint32_t number, struct bytes *out, size_t width)
{
	const struct lock_wait *w = number ? &h->wait[number - 1] : NULL;
	const struct held *held = w ? holders_of_wait(h, w->thread, w->start, w->end - w->start) : NULL;
	const char *thread;
	size_t used;

	if (!held || !held_method(held))
		return false;
	thread = h->threads->thread[held->holder - 1].name;
	bytes_printf(out, "held by \"%s\": ", thread);
	used = strlen("held by \"\": ") + name_columns(thread) + strlen(" 1,234 ms");
	name_fit(out, method_names_text(h->names, held->method), width > used ? width - used : 0, false);
	bytes_printf(out, " %s", log_time(held->best_duration));
	return true;
}
