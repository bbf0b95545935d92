// SPDX-License-Identifier: BSD-2-Clause
#include "user/report/holders.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>

#define HELD_MOST 20000
#define HOPS	  16
#define JUST_NOW  1000000 /* ns between the end of a call and the release of its lock, on a busy machine */

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

int holders_add(struct holders *h, uint32_t method, const struct joined_wait *w)
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
					    .start = w->start,
					    .end = w->start + w->duration,
					    .duration = w->duration,
					    .distance = INT64_MAX};
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
		if (kinds->kind[w[i].kind].lock && w[i].start + w[i].duration > start &&
		    w[i].start + w[i].duration <= end)
			found = &w[i];
	return found;
}

/* Go on to the thread that made the waker wait. */
static void held_follow(struct held *held, const struct thread_waits *waits, const struct wait_kinds *kinds)
{
	int64_t end = held->end;

	for (int hop = 0; hop < HOPS; hop++) {
		const struct joined_wait *w = holders_own_wait(waits, kinds, held->waker, held->start, end);
		int64_t from;

		if (!w || !w->waker || w->waker == held->waker)
			return;
		from = w->start > held->start ? w->start : held->start;
		if (w->start + w->duration - from < (end - held->start) / 2)
			return;
		end = w->start + w->duration;
		held->waker = w->waker;
		held->end = end;
	}
}

static int held_compare(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->waker != y->waker)
		return (x->waker > y->waker) - (x->waker < y->waker);
	return (x->end > y->end) - (x->end < y->end);
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

		if (held->waker < thread || (held->waker == thread && held->end < moment))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The innermost call around the moment wins, else the one that ended last before it. */
static int64_t held_distance(const struct held *held, int64_t end, int64_t duration)
{
	return held->end <= end ? duration : INT64_MAX / 2 + (held->end - end);
}

void holders_on_call(struct holders *h, uint32_t thread, uint32_t name, int64_t start, int64_t duration)
{
	int64_t end = start + duration;

	for (size_t i = holders_from(h, thread, start); i < h->count; i++) {
		struct held *held = &h->held[i];
		int64_t distance;

		if (held->waker != thread || held->end > end + JUST_NOW)
			return;
		distance = held_distance(held, end, duration);
		if (end <= held->start || distance >= held->distance)
			continue;
		held->distance = distance;
		held->name = name;
	}
}

const struct held *holders_of_wait(const struct holders *h, int64_t start, int64_t duration)
{
	for (size_t i = 0; i < h->count; i++)
		if (h->held[i].start == start && h->held[i].duration == duration)
			return &h->held[i];
	return NULL;
}

struct holder_sum {
	uint32_t name, thread;
	int64_t held;
	bool threads;
};

/* The sum of a method that held locks, or of a thread in an unknown one. NULL: no memory. */
static struct holder_sum *holder_sum_of(struct holder_sum **sums, size_t *count, size_t *capacity,
					const struct held *held)
{
	for (size_t i = 0; i < *count; i++)
		if ((*sums)[i].name == held->name && (held->name || (*sums)[i].thread == held->waker))
			return &(*sums)[i];
	if (vec_reserve(sums, capacity, *count + 1))
		return NULL;
	(*sums)[*count] = (struct holder_sum){held->name, held->waker, 0, false};
	return &(*sums)[(*count)++];
}

void holders_find(const struct holders *h, uint32_t method, struct holder *out)
{
	struct holder_sum *sums = NULL, *sum;
	size_t count = 0, capacity = 0;

	*out = (struct holder){0};
	for (size_t i = 0; i < h->count; i++) {
		const struct held *held = &h->held[i];

		if (held->method != method)
			continue;
		out->total += held->duration;
		sum = holder_sum_of(&sums, &count, &capacity, held);
		if (!sum)
			break;
		sum->held += held->duration;
		sum->threads |= sum->thread != held->waker;
	}
	for (size_t i = 0; i < count; i++)
		if (sums[i].held > out->held)
			*out = (struct holder){out->total, sums[i].name, sums[i].thread, sums[i].held, sums[i].threads};
	free(sums);
}
