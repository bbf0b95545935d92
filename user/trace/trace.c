// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/trace.h"

#include <string.h>

struct trace_pass {
	const struct trace_ops *ops;
	void *context;
	struct call_filter *filter; /* NULL: everything passes */
	int64_t utc_offset;
	struct call_reader calls;
	struct event_reader waits;
};

/* The types of a chunk that have a function of their own. */
struct trace_types {
	const struct meta_type *wait, *run_queue, *pause, *call;
	bool calls; /* and the types that stand for a call */
	const struct meta_type *event[TRACE_EVENTS_MOST];
	size_t events;
};

static const struct meta_type *trace_type(const struct jfr_chunk *chunk, const void *wanted, const char *name)
{
	return wanted ? jfr_metadata_find(chunk->metadata, name) : NULL;
}

static int trace_give_wait(struct trace_pass *p, struct jfr_chunk *chunk, const struct jfr_event *e,
			   int (*give)(const struct thread_wait *wait, void *context))
{
	struct thread_wait wait;

	wait_read(&p->waits, chunk, e, &wait);
	if (p->filter && !call_filter_has_wait(p->filter, &wait, p->utc_offset))
		return 0;
	return give(&wait, p->context);
}

static int trace_give_call(struct trace_pass *p, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct call call;

	call_read(&p->calls, chunk, e, &call);
	if (p->filter && !call_filter_has(p->filter, &call, p->utc_offset))
		return 0;
	return p->ops->call(&call, p->context);
}

static int trace_read_waits(struct trace_pass *p, struct jfr_chunk *chunk, const struct trace_types *t)
{
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;
	int err = 0;

	if (!t->wait && !t->run_queue && !t->pause)
		return 0;
	while (!err && jfr_chunk_next(chunk, &position, &e)) {
		if (!e.type)
			continue;
		if (e.type == t->wait)
			err = trace_give_wait(p, chunk, &e, p->ops->wait);
		else if (e.type == t->run_queue)
			err = trace_give_wait(p, chunk, &e, p->ops->run_queue);
		else if (e.type == t->pause)
			err = trace_give_wait(p, chunk, &e, p->ops->pause);
	}
	return err;
}

static int trace_give_event(struct trace_pass *p, struct jfr_chunk *chunk, const struct jfr_event *e,
			    const struct trace_types *t)
{
	for (size_t i = 0; i < t->events; i++)
		if (e->type == t->event[i])
			return p->ops->events[i].visit(chunk, e, p->context);
	return p->ops->event ? p->ops->event(chunk, e, p->context) : 0;
}

static int trace_read_calls(struct trace_pass *p, struct jfr_chunk *chunk, const struct trace_types *t)
{
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;
	int err = 0;

	if (!t->call && !t->calls && !p->ops->event && !t->events)
		return 0;
	while (!err && jfr_chunk_next(chunk, &position, &e)) {
		if (!e.type)
			continue;
		if (e.type == t->call || (t->calls && e.type->calls))
			err = trace_give_call(p, chunk, &e);
		else
			err = trace_give_event(p, chunk, &e, t);
	}
	return err;
}

static int trace_read_chunk(struct trace_pass *p, struct jfr_chunk *chunk)
{
	const struct trace_ops *ops = p->ops;
	struct trace_types t = {
		.wait = trace_type(chunk, ops->wait, "frtrace.ThreadWait"),
		.run_queue = trace_type(chunk, ops->run_queue, "frtrace.RunQueue"),
		.pause = trace_type(chunk, ops->pause, "frtrace.VMPause"),
		.call = trace_type(chunk, ops->call, ops->call_type ?: "jdk.MethodTrace"),
		.calls = ops->call && (!ops->call_type || strcmp(ops->call_type, "jdk.MethodTrace") == 0),
	};
	int err;

	for (; ops->events && ops->events[t.events].type && t.events < TRACE_EVENTS_MOST; t.events++)
		t.event[t.events] = jfr_metadata_find(chunk->metadata, ops->events[t.events].type);
	err = trace_read_waits(p, chunk, &t);

	if (!err && ops->waits_end)
		err = ops->waits_end(chunk, p->context);
	return err ?: trace_read_calls(p, chunk, &t);
}

int trace_read_chosen(struct jfr_file *file, struct call_filter *filter, const struct trace_ops *ops, void *context)
{
	struct trace_pass p = {.ops = ops, .context = context};
	struct jfr_chunk *chunk;
	int err = 0;

	p.filter = filter && !call_filter_is_empty(filter) ? filter : NULL;
	while (!err && (chunk = jfr_file_next(file))) {
		p.utc_offset = file->utc_offset;
		err = trace_read_chunk(&p, chunk);
		jfr_chunk_put(chunk);
	}
	call_reader_release(&p.calls);
	return err;
}

int trace_read(struct jfr_file *file, const struct trace_ops *ops, void *context)
{
	return trace_read_chosen(file, NULL, ops, context);
}

int trace_read_again(struct jfr_file *file, const struct trace_ops *ops, void *context)
{
	struct jfr_file again;
	int err;

	jfr_file_again(&again, file);
	err = trace_read(&again, ops, context);
	if (!file->fault.what)
		file->fault = again.fault;
	jfr_file_release(&again);
	return err;
}
