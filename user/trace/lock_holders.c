// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/lock_holders.h"
#include "format/vec.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/name_fit.h"
#include "user/trace/trace.h"
#include "user/trace/jfr_names.h"
#include "user/trace/wait_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WAITS_MOST (1u << 20) /* 36 MB */
#define HELD_MOST  4096u

struct lock_wait {
	uint64_t thread, waker; /* thread_number() */
	int64_t start, end;
};

/* The thread that held the lock, and the best of its calls so far. */
struct held_lock {
	uint32_t number;
	uint64_t holder;
	struct held_time time;
	char *thread, *method;
};

void lock_holders_release(struct lock_holders *h)
{
	for (size_t i = 0; i < h->wanted; i++) {
		free(h->held[i].thread);
		free(h->held[i].method);
	}
	free(h->wait);
	free(h->by_end);
	free(h->held);
	*h = (struct lock_holders){0};
}

int lock_holders_add(struct lock_holders *h, const struct thread_wait *wait, uint32_t *number)
{
	uint64_t waker = thread_number(wait->chunk, wait->waker);

	*number = 0;
	if (!waker || h->count == WAITS_MOST || !wait_is_contended(wait))
		return 0;
	if (vec_reserve(&h->wait, &h->capacity, h->count + 1))
		return -ENOMEM;
	h->wait[h->count++] = (struct lock_wait){.thread = thread_number(wait->chunk, wait->thread),
						 .waker = waker,
						 .start = wait->start,
						 .end = wait->start + wait->duration};
	*number = h->count;
	return 0;
}

int lock_holders_want(struct lock_holders *h, uint32_t number)
{
	const struct lock_wait *w;

	if (!number || h->wanted == HELD_MOST)
		return 0;
	if (vec_reserve(&h->held, &h->held_capacity, h->wanted + 1))
		return -ENOMEM;
	w = &h->wait[number - 1];
	h->held[h->wanted++] =
		(struct held_lock){.number = number, .holder = w->waker, .time = {.start = w->start, .end = w->end}};
	return 0;
}

static const struct lock_wait *lock_sorted; /* for lock_compare_ends(): qsort() passes no context */

static int lock_compare_ends(const void *a, const void *b)
{
	const struct lock_wait *x = &lock_sorted[*(const uint32_t *)a], *y = &lock_sorted[*(const uint32_t *)b];

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return (x->end > y->end) - (x->end < y->end);
}

static int lock_holders_sort(struct lock_holders *h)
{
	h->by_end = calloc(h->count + 1, sizeof(*h->by_end));
	if (!h->by_end)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->count; i++)
		h->by_end[i] = i;
	lock_sorted = h->wait;
	qsort(h->by_end, h->count, sizeof(*h->by_end), lock_compare_ends);
	return 0;
}

/* The last wait of a thread that ended at `moment` or earlier; NULL: none. */
static const struct lock_wait *lock_holders_last(const struct lock_holders *h, uint64_t thread, int64_t moment)
{
	size_t low = 0, high = h->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct lock_wait *w = &h->wait[h->by_end[middle]];

		if (w->thread < thread || (w->thread == thread && w->end <= moment))
			low = middle + 1;
		else
			high = middle;
	}
	return low && h->wait[h->by_end[low - 1]].thread == thread ? &h->wait[h->by_end[low - 1]] : NULL;
}

/* Go on to the thread that made the holder wait. */
static void held_lock_follow(const struct lock_holders *h, struct held_lock *held)
{
	for (int hop = 0; hop < HELD_TIME_HOPS; hop++) {
		const struct lock_wait *w = lock_holders_last(h, held->holder, held->time.end);

		if (!w || w->waker == held->holder || !held_time_pass_on(&held->time, w->start, w->end))
			return;
		held->holder = w->waker;
	}
}

static int held_lock_compare(const void *a, const void *b)
{
	const struct held_lock *x = a, *y = b;

	return (x->holder > y->holder) - (x->holder < y->holder);
}

static int held_lock_take(struct held_lock *held, const struct call *call)
{
	struct bytes thread;

	if (!held_time_offer(&held->time, call->start, call->duration))
		return 0;
	bytes_init(&thread);
	put_thread_name(&thread, call->chunk, call->thread, "?");
	bytes_put_u8(&thread, 0);
	free(held->thread);
	free(held->method);
	held->thread = (char *)thread.data;
	held->method = method_text(call->chunk, call->method);
	return thread.failed || !held->method ? -ENOMEM : 0;
}

static int lock_holders_on_call(const struct call *call, void *context)
{
	const struct lock_holders *h = context;
	uint64_t thread = thread_number(call->chunk, call->thread);
	size_t low = 0, high = h->wanted;
	int err = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (h->held[middle].holder < thread)
			low = middle + 1;
		else
			high = middle;
	}
	for (; !err && low < h->wanted && h->held[low].holder == thread; low++)
		err = held_lock_take(&h->held[low], call);
	return err;
}

int lock_holders_read(struct lock_holders *h, struct jfr_file *file)
{
	struct jfr_file again;
	int err;

	if (!h->wanted)
		return 0;
	err = lock_holders_sort(h);
	if (err)
		return err;
	for (size_t i = 0; i < h->wanted; i++)
		held_lock_follow(h, &h->held[i]);
	qsort(h->held, h->wanted, sizeof(*h->held), held_lock_compare);
	jfr_file_again(&again, file);
	err = trace_read(&again, &(struct trace_ops){.call = lock_holders_on_call}, h);
	if (!file->fault.what)
		file->fault = again.fault;
	jfr_file_release(&again);
	return err;
}

bool lock_holders_put(const struct lock_holders *h, uint32_t number, struct bytes *out, size_t width)
{
	const struct held_lock *held = NULL;
	size_t used;

	for (size_t i = 0; number && !held && i < h->wanted; i++)
		held = h->held[i].number == number ? &h->held[i] : NULL;
	if (!held || !held->method || !held_time_is_covered(&held->time))
		return false;
	put_text(out, "held by \"");
	put_text(out, held->thread);
	put_text(out, "\": ");
	used = strlen("held by \"\": ") + name_columns(held->thread) + strlen(" 1,234 ms");
	name_fit(out, held->method, width > used ? width - used : 0, false);
	bytes_put_u8(out, ' ');
	put_text(out, log_time(held->time.duration));
	return true;
}
