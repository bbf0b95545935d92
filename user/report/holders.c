// SPDX-License-Identifier: BSD-2-Clause
#include "user/report/holders.h"
#include "format/vec.h"
#include "user/trace/sum.h"

#include <errno.h>
#include <stdlib.h>

#define HELD_MOST 20000
#define JUST_NOW  1000000 /* ns between the end of a call and the wake-up, on a busy machine */

void holders_release(struct holders *h)
{
	free(h->held);
	*h = (struct holders){0};
}

/* Keep each second one. */
static void holders_thin_out(struct holders *h)
{
	for (size_t i = 0; i < h->count / 2; i++)
		h->held[i] = h->held[2 * i];
	h->count /= 2;
	h->stride *= 2;
}

int holders_add(struct holders *h, uint32_t method, const struct joined_wait *w, bool lock)
{
	h->stride = h->stride ?: 1;
	if (!w->waker || h->seen++ % h->stride)
		return 0;
	if (h->count >= HELD_MOST)
		holders_thin_out(h);
	if (vec_reserve(&h->held, &h->capacity, h->count + 1))
		return -ENOMEM;
	h->held[h->count++] = (struct held){.method = method,
					    .waker = w->waker,
					    .lock = lock,
					    .start = w->start,
					    .duration = w->duration,
					    .time = {.start = w->start, .end = w->start + w->duration}};
	return 0;
}

/* The last wait for a lock of a thread that ended within the span; NULL: none. */
static const struct joined_wait *holders_own_wait(const struct thread_waits *waits, const struct wait_kinds *kinds,
						  uint32_t thread, int64_t start, int64_t end)
{
	const struct joined_wait *found = NULL, *w;
	size_t count;

	w = thread_waits_in(waits, thread, start - (end - start), end, &count);
	for (size_t i = 0; i < count; i++)
		if (kinds->kind[w[i].kind].contended && w[i].start + w[i].duration > start &&
		    w[i].start + w[i].duration <= end)
			found = &w[i];
	return found;
}

/* Go on to the thread that made the waker wait. */
static void held_follow(struct held *held, const struct thread_waits *waits, const struct wait_kinds *kinds)
{
	for (int hop = 0; held->lock && hop < HELD_TIME_HOPS; hop++) {
		const struct joined_wait *w =
			holders_own_wait(waits, kinds, held->waker, held->time.start, held->time.end);

		if (!w || !w->waker || w->waker == held->waker ||
		    !held_time_pass_on(&held->time, w->start, w->start + w->duration))
			return;
		held->waker = w->waker;
	}
}

static int held_compare(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->waker != y->waker)
		return (x->waker > y->waker) - (x->waker < y->waker);
	return (x->time.end > y->time.end) - (x->time.end < y->time.end);
}

void holders_settle(struct holders *h, const struct thread_waits *waits, const struct wait_kinds *kinds)
{
	for (size_t i = 0; i < h->count; i++)
		held_follow(&h->held[i], waits, kinds);
	if (h->count)
		qsort(h->held, h->count, sizeof(*h->held), held_compare);
}

/* The first lock of a thread that was released at `moment` or later. */
static size_t holders_from(const struct holders *h, uint32_t thread, int64_t moment)
{
	size_t low = 0, high = h->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct held *held = &h->held[middle];

		if (held->waker < thread || (held->waker == thread && held->time.end < moment))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A call that covers most of a wait ends at most by its own duration before that does. */
void holders_on_call(struct holders *h, uint32_t thread, uint32_t name, int64_t start, int64_t duration)
{
	int64_t last = start + duration + (duration > JUST_NOW ? duration : JUST_NOW);

	for (size_t i = holders_from(h, thread, start); i < h->count; i++) {
		struct held *held = &h->held[i];

		if (held->waker != thread || held->time.end > last)
			return;
		if (held_time_offer(&held->time, start, duration))
			held->name = name;
	}
}

const struct held *holders_of_wait(const struct holders *h, int64_t start, int64_t duration)
{
	for (size_t i = 0; i < h->count; i++)
		if (h->held[i].lock && h->held[i].start == start && h->held[i].duration == duration)
			return &h->held[i];
	return NULL;
}

/* Who held a lock was in this method for most of the time; else all that is known is the thread. */
uint32_t held_name(const struct held *held)
{
	return !held->lock || held_time_is_covered(&held->time) ? held->name : 0;
}

struct holder_sum {
	uint32_t name, thread;
	int64_t ended, within;
	bool threads;
};

/* The sum of a method that ended waits, or of a thread in an unknown one. NULL: no memory. */
static struct holder_sum *holder_sum_of(struct holder_sum **sums, size_t *count, size_t *capacity,
					const struct held *held, uint32_t name)
{
	for (size_t i = 0; i < *count; i++)
		if ((*sums)[i].name == name && (name || (*sums)[i].thread == held->waker))
			return &(*sums)[i];
	if (vec_reserve(sums, capacity, *count + 1))
		return NULL;
	(*sums)[*count] = (struct holder_sum){name, held->waker, 0, 0, false};
	return &(*sums)[(*count)++];
}

/* The share of a wait in which the best call was open. */
static double held_share(const struct held *held)
{
	int64_t all = held->time.end - held->time.start;

	return all > 0 ? (double)held->time.overlap / all : 0;
}

/* Did it wait for locks for most of the time? The JVM's own ones, such as its compilers', are at any place. */
static bool holders_are_locks(const struct holders *h, uint32_t method)
{
	int64_t more = 0;

	for (size_t i = 0; i < h->count; i++)
		if (h->held[i].method == method)
			sum_add(&more, h->held[i].lock ? h->held[i].duration : -h->held[i].duration);
	return more > 0;
}

void holders_find(const struct holders *h, uint32_t method, struct holder *out)
{
	struct holder_sum *sums = NULL, *sum;
	bool lock = holders_are_locks(h, method);
	size_t count = 0, capacity = 0;

	*out = (struct holder){0};
	for (size_t i = 0; i < h->count; i++) {
		const struct held *held = &h->held[i];
		uint32_t name = held_name(held);

		if (held->method != method || held->lock != lock)
			continue;
		sum_add(&out->total, held->duration);
		sum = holder_sum_of(&sums, &count, &capacity, held, name);
		if (!sum)
			break;
		sum_add(&sum->ended, held->duration);
		sum_add(&sum->within, name ? held->duration * held_share(held) : held->duration);
		sum->threads |= sum->thread != held->waker;
	}
	for (size_t i = 0; i < count; i++)
		if (sums[i].ended > out->ended)
			*out = (struct holder){out->total,     sums[i].name, sums[i].thread, sums[i].ended,
					       sums[i].within, lock,	     sums[i].threads};
	free(sums);
}
