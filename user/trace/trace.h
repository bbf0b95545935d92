/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a recording in one pass and hands over what it says. A reader fills a trace_ops with what it wants to know:
 *
 *	static const struct trace_ops ops = {.wait = on_wait, .call = on_call};
 *	err = trace_read(file, &ops, reader);
 *
 * Within a chunk come the waits, then the calls. A wait may be in an earlier chunk than the calls around it, but in no
 * later one.
 */
#ifndef USER_TRACE_TRACE_H
#define USER_TRACE_TRACE_H

#include "user/trace/call_filter.h"
#include "user/trace/task.h"

typedef int trace_wait_visit(const struct thread_wait *wait, void *context);
typedef int trace_event_visit(struct jfr_chunk *chunk, const struct jfr_event *e, void *context);

struct trace_event {
	const char *type; /* "jdk.DataLoss" */
	trace_event_visit *visit;
};

/* NULL: not wanted. A nonzero result ends the pass, which returns it. */
struct trace_ops {
	trace_wait_visit *wait;					  /* frtrace.ThreadWait */
	trace_wait_visit *run_queue;				  /* frtrace.RunQueue */
	trace_wait_visit *pause;				  /* frtrace.VMPause */
	int (*waits_end)(struct jfr_chunk *chunk, void *context); /* of a chunk: its calls follow */
	int (*call)(const struct call *call, void *context);	  /* jdk.MethodTrace, and what stands for it */
	int (*left_out)(const struct call *call, void *context);  /* calls that the filter does not pass */
	int (*task)(const struct task *task, void *context);	  /* frtrace.Task, with the calls */
	const char *call_type;		  /* read events of this type instead, as calls: "frtrace.OpenCall" */
	const struct trace_event *events; /* types with a function of their own, with the calls; ends with a NULL */
	trace_event_visit *event;	  /* all others */
};

struct trace_reader {
	const struct trace_ops *ops;
	void *context;
	struct call_filter *filter; /* only calls that pass, or waits if ops->call is NULL; NULL or an empty one: all */
};

/* Several readers may share a pass; one that reads events as calls (call_type) must be alone. Read errors are in file->fault. */
int trace_read_all(struct jfr_file *file, const struct trace_reader *reader, size_t readers);

/* The same once more, from the start. `file` stays where it is, and gets the first fault. */
int trace_read_again(struct jfr_file *file, const struct trace_reader *reader, size_t readers);

/* A pass for one reader that wants everything. */
int trace_read(struct jfr_file *file, const struct trace_ops *ops, void *context);

#endif
