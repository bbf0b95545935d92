// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/trace.h"
#include "user/trace/user_values.h"

#include <string.h>

enum trace_kind { TRACE_WAIT, TRACE_RUN_QUEUE, TRACE_PAUSE, TRACE_CALL, TRACE_TASK, TRACE_KINDS };

static const char *const trace_types[] = {
	[TRACE_WAIT] = "frtrace.ThreadWait", [TRACE_RUN_QUEUE] = "frtrace.RunQueue", [TRACE_PAUSE] = "frtrace.VMPause",
	[TRACE_CALL] = "jdk.MethodTrace",    [TRACE_TASK] = "frtrace.Task",
};

struct trace_pass {
	const struct trace_reader *reader;
	size_t readers;
	int64_t utc_offset;
	uint64_t seen; /* calls */
	struct call_reader calls;
	struct user_values_row values; /* before the next call */
	struct event_reader waits, tasks;
	/* Of the chunk. NULL: the chunk does not have it, or nobody wants it. */
	const struct meta_type *type[TRACE_KINDS];
	bool calls_wanted, events_wanted; /* by some reader: calls, and the types that stand for them; other events */
};

static trace_wait_visit *trace_wait_visitor(const struct trace_ops *ops, enum trace_kind kind)
{
	return kind == TRACE_WAIT ? ops->wait : kind == TRACE_RUN_QUEUE ? ops->run_queue : ops->pause;
}

static bool trace_is_wanted(const struct trace_ops *ops, enum trace_kind kind)
{
	if (kind == TRACE_TASK)
		return ops->task;
	return kind == TRACE_CALL ? ops->call != NULL : trace_wait_visitor(ops, kind) != NULL;
}

static void trace_begin_chunk(struct trace_pass *p, const struct jfr_chunk *chunk)
{
	memset(p->type, 0, sizeof(p->type));
	p->values.count = 0;
	for (size_t r = 0; r < p->readers; r++) {
		const struct trace_ops *ops = p->reader[r].ops;

		p->calls_wanted |=
			ops->call && (!ops->call_type || strcmp(ops->call_type, trace_types[TRACE_CALL]) == 0);
		p->events_wanted |= ops->event || ops->events;
		for (int kind = 0; kind < TRACE_KINDS; kind++) {
			const char *name = kind == TRACE_CALL && ops->call_type ? ops->call_type : trace_types[kind];

			if (trace_is_wanted(ops, kind))
				p->type[kind] = jfr_metadata_find(chunk->metadata, name);
		}
	}
}

/* A reader of calls sorts waits by itself, unless the filter selects whole requests. */
static bool trace_has_wait(const struct trace_reader *r, const struct thread_wait *wait, int64_t utc_offset)
{
	if (!r->filter || (r->ops->call && r->filter->scope != SCOPE_REQUESTS))
		return true;
	return call_filter_has_wait(r->filter, wait, utc_offset);
}

static int trace_give_wait(struct trace_pass *p, struct jfr_chunk *chunk, const struct jfr_event *e,
			   enum trace_kind kind)
{
	struct thread_wait wait;
	int err = 0;

	wait_read(&p->waits, chunk, e, &wait);
	for (size_t i = 0; i < p->readers && !err; i++) {
		const struct trace_reader *r = &p->reader[i];
		trace_wait_visit *visit = trace_wait_visitor(r->ops, kind);

		if (visit && trace_has_wait(r, &wait, p->utc_offset))
			err = visit(&wait, r->context);
	}
	return err;
}

static int trace_give_call(struct trace_pass *p, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct call call;
	int err = 0;

	call_read(&p->calls, chunk, e, &call);
	call.number = p->seen++;
	user_values_take(&p->values, &call);
	for (size_t i = 0; i < p->readers && !err; i++) {
		const struct trace_reader *r = &p->reader[i];

		if (r->ops->call && (!r->filter || call_filter_has(r->filter, &call, p->utc_offset)))
			err = r->ops->call(&call, r->context);
		else if (r->ops->left_out)
			err = r->ops->left_out(&call, r->context);
	}
	return err;
}

/* A task is a part of the request that handed it over. */
static bool trace_has_task(const struct trace_reader *r, const struct task *task)
{
	return !r->filter ||
	       call_filter_has_moment(r->filter, thread_number(task->chunk, task->submitter), task->start);
}

static int trace_give_task(struct trace_pass *p, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct task task;
	int err = 0;

	task_read(&p->tasks, chunk, e, &task);
	for (size_t i = 0; i < p->readers && !err; i++)
		if (p->reader[i].ops->task && trace_has_task(&p->reader[i], &task))
			err = p->reader[i].ops->task(&task, p->reader[i].context);
	return err;
}

static int trace_give_event(struct trace_pass *p, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	int err = 0;

	for (size_t i = 0; i < p->readers && !err; i++) {
		const struct trace_reader *r = &p->reader[i];
		const struct trace_event *own = r->ops->events;

		while (own && own->type && strcmp(own->type, e->type->name) != 0)
			own++;
		if (own && own->type)
			err = own->visit(chunk, e, r->context);
		else if (r->ops->event)
			err = r->ops->event(chunk, e, r->context);
	}
	return err;
}

/* Asked of each event of the file. */
static inline enum trace_kind trace_wait_kind(const struct trace_pass *p, const struct meta_type *type)
{
	if (!type)
		return TRACE_KINDS;
	if (type == p->type[TRACE_WAIT])
		return TRACE_WAIT;
	if (type == p->type[TRACE_RUN_QUEUE])
		return TRACE_RUN_QUEUE;
	return type == p->type[TRACE_PAUSE] ? TRACE_PAUSE : TRACE_KINDS;
}

static int trace_read_waits(struct trace_pass *p, struct jfr_chunk *chunk)
{
	bool wanted = p->type[TRACE_WAIT] || p->type[TRACE_RUN_QUEUE] || p->type[TRACE_PAUSE];
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;
	int err = 0;

	while (!err && wanted && jfr_chunk_next(chunk, &position, &e)) {
		enum trace_kind kind = trace_wait_kind(p, e.type);

		if (kind != TRACE_KINDS)
			err = trace_give_wait(p, chunk, &e, kind);
	}
	return err;
}

static int trace_read_calls(struct trace_pass *p, struct jfr_chunk *chunk)
{
	bool wanted = p->type[TRACE_CALL] || p->type[TRACE_TASK] || p->calls_wanted || p->events_wanted;
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;
	int err = 0;

	while (!err && wanted && jfr_chunk_next(chunk, &position, &e)) {
		if (!e.type)
			continue;
		if (e.type == p->type[TRACE_CALL] || (p->calls_wanted && e.type->calls)) {
			err = trace_give_call(p, chunk, &e);
			continue;
		}
		if (e.type == p->type[TRACE_TASK])
			err = trace_give_task(p, chunk, &e);
		if (err)
			continue;
		if (p->calls_wanted)
			user_values_note(&p->values, chunk, &e);
		if (p->events_wanted)
			err = trace_give_event(p, chunk, &e);
	}
	return err;
}

static int trace_read_chunk(struct trace_pass *p, struct jfr_chunk *chunk)
{
	int err;

	trace_begin_chunk(p, chunk);
	err = trace_read_waits(p, chunk);
	for (size_t i = 0; i < p->readers && !err; i++)
		if (p->reader[i].ops->waits_end)
			err = p->reader[i].ops->waits_end(chunk, p->reader[i].context);
	return err ?: trace_read_calls(p, chunk);
}

int trace_read_all(struct jfr_file *file, const struct trace_reader *reader, size_t readers)
{
	struct trace_pass p = {.reader = reader, .readers = readers};
	struct jfr_chunk *chunk;
	int err = 0;

	while (!err && (chunk = jfr_file_next(file))) {
		p.utc_offset = file->utc_offset;
		err = trace_read_chunk(&p, chunk);
		jfr_chunk_put(chunk);
	}
	call_reader_release(&p.calls);
	return err;
}

int trace_read_again(struct jfr_file *file, const struct trace_reader *reader, size_t readers)
{
	struct jfr_file again;
	int err;

	jfr_file_again(&again, file);
	err = trace_read_all(&again, reader, readers);
	if (!file->fault.what)
		file->fault = again.fault;
	jfr_file_release(&again);
	return err;
}

int trace_read(struct jfr_file *file, const struct trace_ops *ops, void *context)
{
	return trace_read_all(file, &(struct trace_reader){.ops = ops, .context = context}, 1);
}
