// SPDX-License-Identifier: BSD-2-Clause
/* Where the time of slow calls went. */
#include "user/compare/run.h"
#include "user/trace/thread_waits.h"
#include "user/trace/threads.h"
#include "user/trace/trace.h"
#include "user/print/user_values_text.h"

#include <stdlib.h>

struct split_reader {
	struct run *run;
	struct threads threads;
	struct thread_waits waits; /* `kind`: the number of the reason */
};

static int split_add_wait(const struct thread_wait *w, void *context)
{
	struct split_reader *s = context;
	uint32_t thread = threads_number(&s->threads, w->chunk, &w->thread);
	struct joined_wait joined = {.start = w->start, .duration = w->duration};
	char *reason = thread_wait_reason(w);

	joined.kind = texts_number(&s->run->reason_texts, reason);
	free(reason);
	if (thread)
		thread_waits_add(&s->waits, thread, &joined);
	return 0;
}

static int split_end_waits(struct jfr_chunk *chunk, void *context)
{
	thread_waits_sort(&((struct split_reader *)context)->waits);
	return 0;
}

static void split_add_reasons(struct split_reader *s, const struct call *call, uint64_t key)
{
	uint32_t thread = threads_number(&s->threads, call->chunk, &call->thread);
	const struct span span = call_span(call);
	const struct joined_wait *w;
	size_t count;

	w = thread_waits_in(&s->waits, thread, &span, &count);
	for (size_t i = 0; i < count; i++)
		aggregate_add(aggregate_of(&s->run->reasons, key, w[i].kind), w[i].duration, false);
}

static int split_add_call(const struct call *call, void *context)
{
	struct split_reader *s = context;
	uint32_t number = user_values_method(&s->run->names, call, s->run->by);
	struct run_method *m = number && number <= s->run->count ? &s->run->method[number - 1] : NULL;

	if (!m || !m->count || !call_has_split(call))
		return 0;
	for (int i = 0; i < RUN_QUANTILES; i++) {
		struct run_split *tail = &m->tail[i];

		if (call->duration < m->sorted[quantile_index(m->count, run_quantiles[i])])
			continue;
		tail->calls++;
		tail->cpu += call->cpu;
		tail->run_queue += call->run_queue;
		tail->blocked += call->blocked;
		if (call->blocked > 0)
			split_add_reasons(s, call, (uint64_t)number << 2 | i);
	}
	return 0;
}

void run_read_splits(struct run *r, const struct jfr_file *file, struct call_filter *filter)
{
	static const struct trace_ops ops = {
		.wait = split_add_wait, .waits_end = split_end_waits, .call = split_add_call};
	struct split_reader s = {.run = r};
	struct jfr_file again;

	jfr_file_again(&again, file);
	trace_read_all(&again, &(struct trace_reader){&ops, &s, filter}, 1);
	jfr_file_release(&again);
	thread_waits_release(&s.waits);
	threads_release(&s.threads);
}
