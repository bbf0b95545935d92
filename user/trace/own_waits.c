// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/own_waits.h"
#include "user/text/memory.h"
#include "user/trace/sum.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT (1u << 20) /* 24 MB; in a recording of frtrace there are a few for each dump and at the end */

void own_waits_add(struct own_waits *o, const struct thread_wait *wait)
{
	char *reason = thread_wait_reason(wait);
	bool own = strcmp(reason, "frtrace") == 0;

	free(reason);
	if (!own || o->count == LIMIT)
		return;
	memory_reserve(&o->wait, &o->capacity, o->count + 1);
	o->wait[o->count++] =
		(struct own_wait){thread_number(wait->chunk, wait->thread), wait_middle(wait), wait->duration};
}

void own_waits_release(struct own_waits *o)
{
	free(o->wait);
	*o = (struct own_waits){.count = 0};
}

static int compare_own_waits(const void *a, const void *b)
{
	const struct own_wait *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return (x->middle > y->middle) - (x->middle < y->middle);
}

void own_waits_sort(struct own_waits *o)
{
	if (o->sorted != o->count)
		qsort(o->wait, o->count, sizeof(*o->wait), compare_own_waits);
	o->sorted = o->count;
}

int64_t own_waits_in(const struct own_waits *o, uint64_t thread, const struct span *span)
{
	const struct own_wait at = {thread, span->start, 0};
	int64_t sum = 0;

	for (size_t i = lower_bound(n, o->count, compare_own_waits(&o->wait[n], &at) >= 0);
	     i < o->count && o->wait[i].thread == thread && span_has_moment(span, o->wait[i].middle); i++)
		sum_add(&sum, o->wait[i].duration);
	return sum < span->duration ? sum : span->duration;
}
