// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/thread_waits.h"
#include "user/text/memory.h"

#include <stdlib.h>
#include <string.h>

void thread_waits_release(struct thread_waits *t)
{
	for (size_t i = 0; i < t->threads; i++)
		free(t->thread[i].wait);
	free(t->thread);
	*t = (struct thread_waits){0};
}

/* Drop the older half of each thread's sorted waits. */
static void thread_waits_forget(struct thread_waits *t)
{
	for (size_t i = 0; i < t->threads; i++) {
		struct waits_of_thread *w = &t->thread[i];
		size_t old = w->sorted / 2;

		if (!old)
			continue;
		memmove(w->wait, w->wait + old, (w->count - old) * sizeof(*w->wait));
		w->count -= old;
		w->sorted -= old;
		t->count -= old;
	}
}

void thread_waits_add(struct thread_waits *t, uint32_t thread, const struct joined_wait *w)
{
	struct waits_of_thread *of;

	if (t->count >= THREAD_WAITS_MOST)
		thread_waits_forget(t);
	if (thread >= t->threads) {
		memory_reserve(&t->thread, &t->capacity, (size_t)thread + 1);
		memset(t->thread + t->threads, 0, (thread + 1 - t->threads) * sizeof(*t->thread));
		t->threads = thread + 1;
	}
	of = &t->thread[thread];
	memory_reserve(&of->wait, &of->capacity, of->count + 1);
	of->wait[of->count++] = *w;
	t->count++;
}

static int64_t joined_wait_middle(const struct joined_wait *w)
{
	return span_middle(w->start, w->duration);
}

static int joined_wait_compare(const void *a, const void *b)
{
	int64_t x = joined_wait_middle(a), y = joined_wait_middle(b);

	return (x > y) - (x < y);
}

static void waits_of_thread_sort(struct waits_of_thread *w)
{
	size_t added = w->sorted, from = w->sorted;

	if (w->sorted == w->count)
		return;
	qsort(w->wait + added, w->count - added, sizeof(*w->wait), joined_wait_compare);
	while (from > 0 && joined_wait_compare(&w->wait[from - 1], &w->wait[added]) > 0)
		from--;
	if (from < added)
		qsort(w->wait + from, w->count - from, sizeof(*w->wait), joined_wait_compare);
	w->sorted = w->count;
}

void thread_waits_sort(struct thread_waits *t)
{
	for (size_t i = 0; i < t->threads; i++)
		waits_of_thread_sort(&t->thread[i]);
}

struct joined_wait *thread_waits_in(const struct thread_waits *t, uint32_t thread, const struct span *span,
				    size_t *count)
{
	const struct waits_of_thread *w = thread < t->threads ? &t->thread[thread] : NULL;
	size_t sorted = w ? w->sorted : 0, from, to;

	from = lower_bound(i, sorted, joined_wait_middle(&w->wait[i]) >= span->start);
	for (to = from; to < sorted && span_has_moment(span, joined_wait_middle(&w->wait[to]));)
		to++;
	*count = to - from;
	return *count ? w->wait + from : NULL;
}
