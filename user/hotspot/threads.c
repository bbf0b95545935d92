// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/threads.h"

#include <stdlib.h>

#define MAX_THREADS 100000u
#define MAX_TID	    (1u << 22) /* PID_MAX_LIMIT */

int hotspot_thread_tid(const struct hotspot_layout *l, const struct mem *m, uint64_t java_thread, uint32_t *tid)
{
	uint64_t os;
	int e = mem_u64(m, java_thread + l->thread_osthread, &os);

	*tid = 0;
	return !e && os ? mem_u32(m, os + l->osthread_id, tid) : e;
}

/* Memory that is freed meanwhile may contain anything. A thread counts if its OSThread has a plausible id. */
static int visit_thread(const struct hotspot_layout *l, const struct mem *m, uint64_t thread,
			int (*visit)(uint64_t java_thread, int tid, void *context), void *context)
{
	uint32_t tid;
	int e = hotspot_thread_tid(l, m, thread, &tid);

	if (e || tid > MAX_TID)
		return e == -ESRCH ? e : -EAGAIN;
	return visit(thread, (int)tid, context);
}

static int each_in_chain(const struct hotspot_layout *l, const struct mem *m,
			 int (*visit)(uint64_t java_thread, int tid, void *context), void *context)
{
	uint64_t thread;
	int e = mem_u64(m, l->threads, &thread);

	for (unsigned int n = 0; !e && thread; n++) {
		if (n == MAX_THREADS)
			return -EAGAIN;
		e = visit_thread(l, m, thread, visit, context);
		if (!e && mem_u64(m, thread + l->thread_next, &thread))
			e = -EAGAIN;
	}
	return e;
}

static int each_in_list(const struct hotspot_layout *l, const struct mem *m,
			int (*visit)(uint64_t java_thread, int tid, void *context), void *context)
{
	uint64_t list, array, *threads;
	uint32_t length;
	int e = mem_u64(m, l->threads, &list);

	if (e || !list)
		return e ?: -EAGAIN;
	e = mem_u32(m, list + l->list_length, &length);
	e = e ?: mem_u64(m, list + l->list_threads, &array);
	if (e || length > MAX_THREADS)
		return -EAGAIN;
	threads = calloc(length + 1, sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	/* lists are immutable: if the list is still the current one after the copy, the copy is right */
	if (mem_read(m, array, threads, length * sizeof(*threads)) || mem_u64(m, l->threads, &array) || array != list)
		e = -EAGAIN;
	for (uint32_t i = 0; !e && i < length; i++)
		e = visit_thread(l, m, threads[i], visit, context);
	free(threads);
	return e;
}

int hotspot_each_thread(const struct hotspot_layout *l, const struct mem *m,
			int (*visit)(uint64_t java_thread, int tid, void *context), void *context)
{
	if (l->without & HOTSPOT_NO_THREADS)
		return -ENOTSUP;
	return (l->threads_form == HOTSPOT_THREADS_LIST ? each_in_list : each_in_chain)(l, m, visit, context);
}
