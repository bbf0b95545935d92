// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/java_threads.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>

static int java_threads_add(const struct dump_thread *thread, void *context)
{
	struct java_threads *t = context;

	if (vec_reserve(&t->thread, &t->capacity, t->count + 1))
		return -ENOMEM;
	t->thread[t->count++] = *thread;
	return 0;
}

static int java_threads_compare(const void *a, const void *b)
{
	const struct dump_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

void java_threads_read(struct java_threads *t, const char *dump)
{
	t->count = 0;
	dump_each_thread(dump, java_threads_add, t);
	if (t->count)
		qsort(t->thread, t->count, sizeof(t->thread[0]), java_threads_compare);
}

void java_threads_release(struct java_threads *t)
{
	free(t->thread);
	*t = (struct java_threads){.count = 0};
}

const struct dump_thread *java_threads_find(const struct java_threads *t, uint32_t tid)
{
	struct dump_thread wanted = {.tid = tid};

	return t->count ? bsearch(&wanted, t->thread, t->count, sizeof(wanted), java_threads_compare) : NULL;
}
