// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/own_waits.h"
#include "user/trace/trace.h"
#include "format/vec.h"
#include "user/trace/sum.h"
#include "user/trace/wait.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT (1u << 20) /* 24 MB; in a recording of frtrace there are a few for each dump and at the end */

static int own_waits_add(const struct thread_wait *wait, void *context)
{
	struct own_waits *o = context;
	char *reason = thread_wait_reason(wait);
	bool own = reason && !strcmp(reason, "frtrace");

	free(reason);
	if (!reason)
		return -ENOMEM;
	if (!own || o->count == LIMIT)
		return 0;
	if (vec_reserve(&o->wait, &o->capacity, o->count + 1))
		return -ENOMEM;
	o->wait[o->count++] = (struct own_wait){thread_number(wait->chunk, wait->thread), wait->start, wait->duration};
	return 0;
}

static int compare_own_waits(const void *a, const void *b)
{
	const struct own_wait *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return (x->start > y->start) - (x->start < y->start);
}

int own_waits_read(struct own_waits *o, struct jfr_file *file)
{
	int err;

	*o = (struct own_waits){.count = 0};
	err = trace_read_again(file, &(struct trace_ops){.wait = own_waits_add}, o);
	if (o->count)
		qsort(o->wait, o->count, sizeof(*o->wait), compare_own_waits);
	return err;
}

void own_waits_release(struct own_waits *o)
{
	free(o->wait);
	*o = (struct own_waits){.count = 0};
}

/* Index of the first one that is not before this one. */
static size_t own_waits_from(const struct own_waits *o, const struct own_wait *at)
{
	size_t low = 0, high = o->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_own_waits(&o->wait[middle], at) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int64_t own_waits_in(const struct own_waits *o, uint64_t thread, int64_t start, int64_t duration)
{
	int64_t sum = 0;

	for (size_t i = own_waits_from(o, &(struct own_wait){thread, start, 0});
	     i < o->count && o->wait[i].thread == thread && o->wait[i].start < start + duration; i++)
		sum_add(&sum, o->wait[i].duration);
	return sum < duration ? sum : duration;
}
