// SPDX-License-Identifier: BSD-2-Clause
#include "user/segment/native_rows.h"
#include "format/vec.h"
#include "user/process/target.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_THREADS 64u

void native_sum_add(struct frt_native_sum *to, const struct frt_native_sum *from)
{
	if (!from->count)
		return;
	if (!to->count || from->minimum < to->minimum)
		to->minimum = from->minimum;
	if (from->maximum > to->maximum)
		to->maximum = from->maximum;
	to->count += from->count;
	to->thrown += from->thrown;
	to->total += from->total;
}

void native_rows_release(struct native_rows *r)
{
	free(r->thread);
	free(r->sum);
	free(r->open);
	*r = (struct native_rows){.sums = 0};
}

/* Keys are given in ascending order, so twice the rows have room for twice as many. */
static bool native_rows_grow(struct native_rows *r)
{
	size_t capacity = r->thread_capacity ? 2 * r->thread_capacity : FIRST_THREADS;
	struct frt_thread *thread = calloc(capacity, sizeof(*thread));

	if (!thread)
		return false;
	for (size_t i = 0; i < r->thread_capacity; i++)
		if (r->thread[i].serial)
			thread[r->thread[i].serial % capacity] = r->thread[i];
	free(r->thread);
	r->thread = thread;
	r->thread_capacity = capacity;
	return true;
}

struct frt_thread *native_rows_add_thread(struct native_rows *r, uint32_t key)
{
	struct frt_thread *row;

	while (r->thread_capacity < NATIVE_THREADS &&
	       (!r->thread_capacity || r->thread[key % r->thread_capacity].serial))
		if (!native_rows_grow(r))
			break;
	if (!r->thread_capacity)
		return NULL;
	row = &r->thread[key % r->thread_capacity];
	*row = (struct frt_thread){.serial = key};
	return row;
}

void native_rows_name_thread(struct frt_thread *row, const char *name, const struct target *t)
{
	static const char scheduler[] = "ForkJoinPool-";

	row->carrier = t->jdk_version >= TARGET_VIRTUAL_SINCE && !strncmp(name, scheduler, strlen(scheduler));
	row->name_length = strnlen(name, sizeof(row->name));
	memcpy(row->name, name, row->name_length);
}

bool native_rows_thread(const struct native_rows *r, uint32_t key, struct frt_thread *out)
{
	const struct frt_thread *row = r->thread_capacity ? &r->thread[key % r->thread_capacity] : NULL;

	if (!row || row->serial != key)
		return false;
	*out = *row;
	return true;
}

/* The place of the method, or where it belongs. */
static size_t native_rows_place(const struct native_rows *r, uint32_t method)
{
	size_t low = 0, high = r->sums;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->sum[middle].method < method)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct frt_native_sum *native_rows_add_sum(struct native_rows *r, uint32_t method)
{
	size_t at = native_rows_place(r, method);

	if (at < r->sums && r->sum[at].method == method)
		return &r->sum[at].sum;
	if (vec_reserve(&r->sum, &r->sum_capacity, r->sums + 1))
		return NULL;
	memmove(r->sum + at + 1, r->sum + at, (r->sums - at) * sizeof(*r->sum));
	r->sum[at] = (struct native_sum){.method = method};
	r->sums++;
	return &r->sum[at].sum;
}

const struct frt_native_sum *native_rows_sum(const struct native_rows *r, uint32_t method)
{
	size_t at = native_rows_place(r, method);

	return at < r->sums && r->sum[at].method == method ? &r->sum[at].sum : NULL;
}

void native_rows_add_open(struct native_rows *r, const struct native_open *call)
{
	if (!vec_reserve(&r->open, &r->open_capacity, r->opens + 1))
		r->open[r->opens++] = *call;
}
