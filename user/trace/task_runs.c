// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/task_runs.h"
#include "user/text/memory.h"
#include "user/trace/sum.h"
#include "user/trace/trace.h"

#include <stdlib.h>

/* The number of what has been put, which is released. */
static uint32_t task_run_text(struct task_runs *r, struct bytes *text)
{
	uint32_t number = texts_number(&r->texts, memory_text(text));

	bytes_release(text);
	return number;
}

void task_runs_add(struct task_runs *r, const struct task *task)
{
	int64_t begun = task->start + task->duration, most = begun > 0 ? INT64_MAX - begun : INT64_MAX;
	struct task_run *run;
	struct bytes class, name;

	if (task->run == INT64_MIN)
		return;
	memory_reserve(&r->run, &r->capacity, r->count + 1);
	run = &r->run[r->count];
	*run = (struct task_run){
		.nested = {.span = {begun, task->run < most ? task->run : most, r->count}},
		.submitted = task->start,
		.thread = thread_number(task->chunk, task->thread),
		.submitter = thread_number(task->chunk, task->submitter),
	};
	bytes_init(&class);
	put_task_class(&class, task);
	run->task = task_run_text(r, &class);
	bytes_init(&name);
	put_thread_name(&name, task->chunk, task->thread, "?");
	run->name = task_run_text(r, &name);
	r->count++;
}

static int run_compare(const void *a, const void *b)
{
	const struct task_run *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return span_compare(&x->nested.span, &y->nested.span);
}

void task_runs_settle(struct task_runs *r)
{
	struct nested *inner = NULL;

	if (r->count)
		qsort(r->run, r->count, sizeof(*r->run), run_compare);
	for (size_t i = 0; i < r->count; i++) {
		if (!i || r->run[i].thread != r->run[i - 1].thread)
			inner = NULL;
		r->run[i].nested.around = nest_around(inner, &r->run[i].nested.span);
		inner = &r->run[i].nested;
	}
}

void task_runs_release(struct task_runs *r)
{
	free(r->run);
	texts_release(&r->texts);
	*r = (struct task_runs){0};
}

int64_t task_run_length(const struct task_run *run)
{
	int64_t length = run->nested.span.start - run->submitted;

	sum_add(&length, run->nested.span.duration);
	return length;
}

const struct task_run *task_runs_at(const struct task_runs *r, uint64_t thread, int64_t moment)
{
	size_t n = lower_bound(i, r->count,
			       r->run[i].thread > thread ||
				       (r->run[i].thread == thread && r->run[i].nested.span.start > moment));

	return thread && n && r->run[n - 1].thread == thread
		       ? (const struct task_run *)nest_at(&r->run[n - 1].nested, moment)
		       : NULL;
}
