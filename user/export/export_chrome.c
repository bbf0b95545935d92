// SPDX-License-Identifier: BSD-2-Clause
/* "Trace Event Format" (Google, 2016). Times are in microseconds, counted from the first recorded call. */
#include "user/text/json.h"
#include "user/export/export.h"
#include "user/trace/wait.h"
#include "user/trace/wait_place.h"
#include "user/trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define JVM_TRACK 0 /* events that concern all threads */

struct chrome {
	struct export_names names;
	struct json json;
	FILE *to;
	bool begun;
	int64_t base;
};

static void put_track(struct chrome *c, const struct group *thread)
{
	json_object(&c->json, NULL);
	json_string(&c->json, "ph", "M");
	json_string(&c->json, "name", "thread_name");
	json_unsigned(&c->json, "pid", 1);
	json_unsigned(&c->json, "tid", thread->mark);
	json_object(&c->json, "args");
	json_string(&c->json, "name", thread->name);
	json_end(&c->json);
	json_end(&c->json);
}

/* Begin a slice. The caller fills "args" and calls end_slice(). */
static void begin_slice(struct chrome *c, const char *category, const char *name, uint64_t track, int64_t start,
			int64_t duration)
{
	if (!c->begun)
		c->base = start;
	c->begun = true;
	json_object(&c->json, NULL);
	json_string(&c->json, "ph", "X");
	json_string(&c->json, "cat", category);
	json_string(&c->json, "name", name);
	json_unsigned(&c->json, "pid", 1);
	json_unsigned(&c->json, "tid", track);
	json_real(&c->json, "ts", (start - c->base) / 1e3);
	json_real(&c->json, "dur", duration / 1e3);
	json_object(&c->json, "args");
}

static int end_slice(struct chrome *c)
{
	json_end(&c->json);
	json_end(&c->json);
	return ferror(c->to) ? -EIO : 0;
}

/* The track of a thread, printed at first use. NULL: no memory. */
static struct group *export_chrome_track_of(struct chrome *c, struct jfr_chunk *chunk, struct jfr_value thread)
{
	struct call who = {.chunk = chunk, .thread = thread};
	struct group *track = export_thread(&c->names, &who);

	if (track && !track->count++)
		put_track(c, track);
	return track;
}

static void export_chrome_put_part(struct chrome *c, const char *name, int64_t ns)
{
	if (ns != INT64_MIN)
		json_signed(&c->json, name, ns);
	else
		json_null(&c->json, name);
}

static int export_chrome_add(const struct call *call, void *context)
{
	struct chrome *c = context;
	struct group *track = export_chrome_track_of(c, call->chunk, call->thread);
	const char *method = export_method(&c->names, call->chunk, &call->method);

	if (!track || !method)
		return -ENOMEM;
	begin_slice(c, "call", method, track->mark, call->start, call->duration);
	json_bool(&c->json, "thrown", call->thrown);
	if (*export_thrown(&c->names, call))
		json_string(&c->json, "thrownClass", export_thrown(&c->names, call));
	if (call->split) {
		export_chrome_put_part(c, "cpuNs", call->cpu);
		export_chrome_put_part(c, "runQueueNs", call->run_queue);
		export_chrome_put_part(c, "blockedNs", call->blocked);
		export_chrome_put_part(c, "pauseNs", call->pause);
	}
	if (call->usage) {
		export_chrome_put_part(c, "systemCalls", call->system_calls);
		export_chrome_put_part(c, "systemCallNs", call->system_call_time);
		export_chrome_put_part(c, "majorFaults", call->major_faults);
		export_chrome_put_part(c, "minorFaults", call->minor_faults);
	}
	return end_slice(c);
}

/* A thread state lies within the call in time, so viewers draw it below the call. */
static int add_blocked(const struct thread_wait *w, void *context)
{
	struct chrome *c = context;
	struct group *track = export_chrome_track_of(c, w->chunk, w->thread);
	char *reason = thread_wait_reason(w), *waker = thread_wait_waker(w), *holder = wait_holder(w);
	int err = -ENOMEM;

	if (track && reason && waker && holder) {
		begin_slice(c, "wait", reason, track->mark, w->start, w->duration);
		if (waker[0])
			json_string(&c->json, "wokenBy", waker);
		if (holder[0])
			json_string(&c->json, "wokenIn", holder);
		err = end_slice(c);
	}
	free(reason);
	free(waker);
	free(holder);
	return err;
}

static int add_ready(const struct thread_wait *w, void *context)
{
	struct chrome *c = context;
	struct group *track = export_chrome_track_of(c, w->chunk, w->thread);

	if (!track)
		return -ENOMEM;
	begin_slice(c, "wait", "run queue", track->mark, w->start, w->duration);
	return end_slice(c);
}

static int add_pause(const struct thread_wait *w, void *context)
{
	struct chrome *c = context;
	char *what = thread_wait_reason(w);

	if (!what)
		return -ENOMEM;
	begin_slice(c, "pause", what, JVM_TRACK, w->start, w->duration);
	free(what);
	return end_slice(c);
}

static const struct trace_ops chrome_waits = {.wait = add_blocked, .run_queue = add_ready, .pause = add_pause};

int export_chrome(struct jfr_file *file, bool normalize, FILE *to)
{
	struct chrome c = {.to = to};
	int err;

	export_names_init(&c.names, normalize);
	json_init(&c.json, to);
	json_object(&c.json, NULL);
	json_string(&c.json, "displayTimeUnit", "ns");
	json_array(&c.json, "traceEvents");
	err = trace_read(file, &(struct trace_ops){.call = export_chrome_add}, &c);
	if (!err)
		err = trace_read_again(file, &(struct trace_reader){&chrome_waits, &c, NULL}, 1);
	json_end(&c.json);
	json_end(&c.json);
	export_names_release(&c.names);
	return err == -EIO ? 0 : err; /* write errors are left in `to`, for the caller */
}
