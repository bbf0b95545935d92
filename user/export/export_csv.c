// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/csv_cell.h"
#include "user/export/export.h"
#include "user/trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct csv {
	struct export_names names;
	/* stack of `chunk`, own frames -> the caller in `name`, "" if there is none, its line in `total` */
	struct aggregate callers;
	uint32_t chunk;
	FILE *to;
};

/* The group with the caller of a call. Stacks are shared by many calls and may be long. */
static struct group *export_csv_caller(struct csv *c, const struct call *call)
{
	struct jfr_value method;
	const char *name = "";
	struct group *g;

	if (c->chunk != call->chunk->number)
		aggregate_release(&c->callers);
	c->chunk = call->chunk->number;
	g = aggregate_of(&c->callers, call->stack.key, call->own_frames);
	if (g->count++)
		return g;
	if (call_caller(call, &method, &g->total))
		name = export_method(&c->names, call->chunk, &method);
	g->name = memory_need(strdup(name));
	return g;
}

/* Print the next two cells, caller and line; empty without a stack. */
static void export_csv_put_caller(struct csv *c, const struct call *call)
{
	struct group *caller;

	if (call->stack.kind != VALUE_KEY) {
		fputs(",,", c->to);
		return;
	}
	caller = export_csv_caller(c, call);
	fputc(',', c->to);
	csv_put_cell(c->to, caller->name);
	fprintf(c->to, *caller->name && caller->total > 0 ? ",%" PRId64 : ",", caller->total);
}

static void put_cell_if(FILE *to, bool known, int64_t number)
{
	fputc(',', to);
	if (known && number != INT64_MIN)
		fprintf(to, "%" PRId64, number);
}

/* Print the last cells: where the time went, and what the call asked of the kernel. */
static int export_csv_put_split(struct csv *c, const struct call *call)
{
	put_cell_if(c->to, call->split, call->cpu);
	put_cell_if(c->to, call->split, call->run_queue);
	put_cell_if(c->to, call->split, call->blocked);
	put_cell_if(c->to, call->split, call->pause);
	put_cell_if(c->to, call->usage, call->system_calls);
	put_cell_if(c->to, call->usage, call->system_call_time);
	put_cell_if(c->to, call->usage, call->major_faults);
	put_cell_if(c->to, call->usage, call->minor_faults);
	fputc(',', c->to);
	csv_put_cell(c->to, export_thrown(&c->names, call));
	put_cell_if(c->to, true, call->allocated);
	put_cell_if(c->to, true, call->request);
	fputs("\r\n", c->to);
	return ferror(c->to) ? -EIO : 0;
}

static int export_csv_add(const struct call *call, void *context)
{
	struct csv *c = context;
	struct group *thread = export_thread(&c->names, call);

	thread->count++;
	fprintf(c->to, "%" PRId64 ",%" PRId64 ",", call->start, call->duration);
	csv_put_cell(c->to, export_method(&c->names, call->chunk, &call->method));
	fprintf(c->to, ",%d,%" PRIu64 ",", call->thrown, thread->mark);
	csv_put_cell(c->to, thread->name);
	export_csv_put_caller(c, call);
	return export_csv_put_split(c, call);
}

void export_csv(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to)
{
	struct csv c = {.to = to};

	export_names_init(&c.names, normalize);
	fputs("start_ns,duration_ns,method,thrown,thread_id,thread,caller,line,cpu_ns,run_queue_ns,blocked_ns,pause_ns,"
	      "syscalls,syscall_ns,major_faults,minor_faults,thrown_class,allocated_bytes,request_ns\r\n",
	      to);
	trace_read_all(file, &(struct trace_reader){&(struct trace_ops){.call = export_csv_add}, &c, filter}, 1);
	export_names_release(&c.names);
	aggregate_release(&c.callers);
}
