/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces of OpenTelemetry from calls and waits: a trace for each outermost call of a thread, a span for each call, and its
 * waits as events. All are collected first and nested (timeline.h). A call in a task is a child of the call that handed the
 * task over, as one inside of it would be. A call that was in a trace of the program's is part of that: a child of the span
 * that the program was in, or of the call around it if that was in the same span.
 */
#ifndef USER_EXPORT_OTLP_TRACES_H
#define USER_EXPORT_OTLP_TRACES_H

#include "user/export/otlp.h"
#include "user/export/timeline.h"
#include "user/trace/task_runs.h"
#include "user/trace/texts.h"

struct otlp_call {
	uint32_t thread;
	const char *method;	 /* a.b.C.m(int) */
	int64_t start, duration; /* ns since the epoch, ns */
	bool thrown;
	int64_t cpu, run_queue, blocked, pause; /* ns; INT64_MIN: unknown */
	struct otlp_id trace;			/* of the program, and its span; 0: none */
	uint64_t within;
	const unsigned char *values; /* of otlp_put_value() */
	size_t values_size;
};

struct otlp_wait {
	uint32_t thread;
	int64_t start, duration;
	const char *reason, *waker; /* waker: "" if it is unknown */
	struct otlp_peer peer;
};

struct otlp_task {
	uint32_t thread, submitter; /* that ran it, and that handed it over */
	int64_t submitted, begun;   /* ns since the epoch */
	int64_t run;		    /* ns */
};

struct otlp_traces {
	struct texts texts;
	struct timeline timeline;
	struct otlp_traced_call *call;
	size_t calls, call_capacity;
	struct otlp_traced_wait *waited;
	size_t waited_count, waited_capacity;
	struct otlp_traced_thread *thread;
	size_t threads, thread_capacity;
	struct bytes values;
	struct open_call *open;
	size_t opened, open_capacity;
	size_t *wait; /* spans that are directly in the open calls */
	size_t waits, wait_capacity;
	struct task_runs runs; /* threads have their number here + 1 */
};

void otlp_traces_init(struct otlp_traces *t);
void otlp_traces_release(struct otlp_traces *t);

/* All texts are copied. These return 0 or -ENOMEM. */
int otlp_traces_add_call(struct otlp_traces *t, const struct otlp_call *call);
int otlp_traces_add_wait(struct otlp_traces *t, const struct otlp_wait *wait);
int otlp_traces_add_task(struct otlp_traces *t, const struct otlp_task *task);

/* Name the next thread; the first one is 0. Name all that calls, waits and tasks have before they are written. */
int otlp_traces_name_thread(struct otlp_traces *t, const char *name, int64_t id);

/*
 * Write the spans of all that was added, and forget it. A wait that is in no call is left out. Ids are hashes of `seed` and
 * the place of the call among the others.
 */
int otlp_traces_write(struct otlp_traces *t, struct otlp *out, uint64_t seed);

#endif
