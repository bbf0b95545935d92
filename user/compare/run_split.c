// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where the time of slow calls went. Waits are read first and kept by thread and time; then each call finds those that
 * lie in it.
 */
#include "format/vec.h"
#include "user/compare/run.h"
#include "user/trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct split_wait {
	int64_t start, duration;
	uint64_t thread; /* thread_number() */
	uint32_t reason; /* index in `reasons` */
};

struct split_reader {
	struct run *run;
	struct split_wait *wait;
	size_t waits, capacity;
	struct aggregate reasons; /* hash -> name */
	struct aggregate threads; /* (key, chunk) -> thread_number() in `mark` */
};

/* 0 or -ENOMEM. */
static int split_thread_number(struct split_reader *s, struct jfr_chunk *chunk, const struct jfr_value *thread,
			       uint64_t *number)
{
	struct group *g = aggregate_of_key(&s->threads, thread->kind == VALUE_KEY ? thread->key : 0, chunk->number);

	if (!g)
		return -ENOMEM;
	if (!g->count++)
		g->mark = thread_number(chunk, *thread);
	*number = g->mark;
	return 0;
}

static int split_add_wait(const struct thread_wait *w, void *context)
{
	struct split_reader *s = context;
	struct split_wait wait = {.start = w->start, .duration = w->duration};
	char *reason = thread_wait_reason(w);
	struct group *g = reason ? aggregate_of(&s->reasons, hash_data(reason, strlen(reason)), 0) : NULL;

	if (!g || split_thread_number(s, w->chunk, &w->thread, &wait.thread) ||
	    vec_reserve(&s->wait, &s->capacity, s->waits + 1)) {
		free(reason);
		return -ENOMEM;
	}
	wait.reason = g - s->reasons.group;
	if (g->count++)
		free(reason);
	else
		g->name = reason;
	s->wait[s->waits++] = wait;
	return 0;
}

static int compare_waits(const void *a, const void *b)
{
	const struct split_wait *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return (x->start > y->start) - (x->start < y->start);
}

/* Index of the first wait of the thread that begins at `start` or later. */
static size_t split_find(const struct split_reader *s, uint64_t thread, int64_t start)
{
	const struct split_wait wanted = {.thread = thread, .start = start};
	size_t low = 0, high = s->waits;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_waits(&s->wait[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int split_add_reason(struct split_reader *s, uint64_t key, const struct split_wait *w)
{
	const struct group *reason = &s->reasons.group[w->reason];
	struct group *g = aggregate_of(&s->run->reasons, key, reason->first);

	if (!g)
		return -ENOMEM;
	if (!g->count)
		g->name = strdup(reason->name);
	if (!g->name)
		return -ENOMEM;
	aggregate_add(g, w->duration, false);
	return 0;
}

static int split_add_reasons(struct split_reader *s, const struct call *call, uint64_t key)
{
	uint64_t thread;
	int err = split_thread_number(s, call->chunk, &call->thread, &thread);

	for (size_t i = err ? s->waits : split_find(s, thread, call->start); i < s->waits && !err; i++) {
		const struct split_wait *w = &s->wait[i];

		if (w->thread != thread || w->start >= call->start + call->duration)
			break;
		err = split_add_reason(s, key, w);
	}
	return err;
}

static int split_add_call(const struct call *call, void *context)
{
	struct split_reader *s = context;
	uint32_t number = method_names_number(&s->run->names, call->chunk, &call->method);
	struct run_method *m = number && number <= s->run->count ? &s->run->method[number - 1] : NULL;
	int err = 0;

	if (!m || !m->count || !call_has_split(call))
		return 0;
	for (int i = 0; i < RUN_QUANTILES && !err; i++) {
		struct run_split *tail = &m->tail[i];

		if (call->duration < m->sorted[quantile_index(m->count, run_quantiles[i])])
			continue;
		tail->calls++;
		tail->cpu += call->cpu;
		tail->run_queue += call->run_queue;
		tail->blocked += call->blocked;
		if (call->blocked > 0)
			err = split_add_reasons(s, call, (uint64_t)number << 2 | i);
	}
	return err;
}

int run_read_splits(struct run *r, const struct jfr_file *file, struct call_filter *filter)
{
	struct split_reader s = {.run = r};
	struct jfr_file again;
	int err;

	jfr_file_again(&again, file);
	err = trace_read(&again, &(struct trace_ops){.wait = split_add_wait}, &s);
	jfr_file_release(&again);
	if (s.waits)
		qsort(s.wait, s.waits, sizeof(*s.wait), compare_waits);
	jfr_file_again(&again, file);
	if (!err)
		err = trace_read_all(
			&again, &(struct trace_reader){&(struct trace_ops){.call = split_add_call}, &s, filter}, 1);
	jfr_file_release(&again);
	free(s.wait);
	aggregate_release(&s.reasons);
	aggregate_release(&s.threads);
	return err;
}
