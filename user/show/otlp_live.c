// SPDX-License-Identifier: BSD-2-Clause
#include "user/show/otlp_live.h"
#include "format/hash.h"
#include "user/capture/open_calls.h"
#include "user/segment/segment_names.h"
#include "user/export/otlp_traces.h"
#include "user/show/call_values.h"
#include "user/process/find.h"
#include "user/process/process_context.h"
#include "user/record/user_value.h"
#include "user/record/wait_events.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HELD  16384u
#define WAITS 32768u /* 8 MB, as far as they are used */

struct otlp_held {
	uint64_t start, end; /* TSC */
	int64_t free_at;     /* when no call around it was open any more (CLOCK_MONOTONIC, ns); 0: not seen yet */
	uint32_t thread;     /* its key, or that of the virtual thread that ran on it */
	uint32_t serial, method;
	uint16_t flags;
	struct span_split split;
	struct stream_vthread vthread; /* all 0 for a platform thread */
	struct otlp_id trace;	       /* of the program; 0: none */
	uint64_t within;
	struct bytes values;
};

struct otlp_held_wait {
	int64_t off, wake; /* CLOCK_MONOTONIC, ns */
	int64_t free_at;   /* as above */
	uint32_t thread;
	uint16_t syscall;
	uint8_t reason;
	bool gone; /* printed */
	char waker[WAKER_NAME];
	char resource[128]; /* "": unknown, or longer */
	char service[32], process[20], container[CONTAINER_TEXT];
};

struct otlp_live {
	const struct recording *recording;
	struct stdout_queue *queue;
	struct otlp_held held[HELD];
	size_t count;
	struct otlp_held_wait wait[WAITS];
	size_t waits, sorted; /* sorted: of these waits the first are in order */
	struct otlp_traces traces;
	uint64_t seed, printed; /* printed: number of the times */
	int64_t idle_until;	/* CLOCK_MONOTONIC, ns: nothing is printed before, except at the end */
	struct otlp_live_skipped skipped;
	struct target_description program;
	char *service;
	struct bytes attributes; /* of the resource */
	struct otlp out;
	FILE *to; /* writes lines to `text` */
	char *text;
	size_t size;
};

/* Queue the line that was written. */
static void otlp_live_send(void *context, unsigned int spans)
{
	struct otlp_live *o = context;

	if (fflush(o->to) || !stdout_queue_put(o->queue, o->text, o->size))
		o->skipped.spans += spans;
	rewind(o->to);
}

static void otlp_live_on_wait(void *context, uint32_t thread, const struct wait *w, const char *waker,
			      const struct resource_names *names);

static int otlp_live_open(struct otlp_live *o, struct diag *d)
{
	struct otlp_resource resource = {.pid = o->recording->target.ns_pid};
	struct breakdown *waits = recorder_breakdown(o->recording->recorder);
	int err = target_describe(&o->recording->target, &o->program, d);

	if (err)
		return err;
	o->service = otlp_service_name(o->program.jvm_arguments);
	o->to = open_memstream(&o->text, &o->size);
	if (!o->service || !o->to)
		return diag_errno(d, ENOMEM, "cannot print");
	resource.service = o->service;
	otlp_init(&o->out, o->to, &resource);
	o->out.finished = otlp_live_send;
	o->out.context = o;
	if (waits)
		breakdown_watch(waits, otlp_live_on_wait, o);
	return 0;
}

int otlp_live_new(struct otlp_live **out, const struct recording *r, struct stdout_queue *queue, struct diag *d)
{
	struct otlp_live *o = calloc(1, sizeof(*o));
	int err;

	*out = NULL;
	if (!o)
		return diag_errno(d, ENOMEM, "cannot print");
	o->recording = r;
	o->queue = queue;
	o->seed = hash_mix(hash_mix(1, r->target.pid), monotonic_ns() + clock_realtime_offset());
	otlp_traces_init(&o->traces);
	bytes_init(&o->attributes);
	err = otlp_live_open(o, d);
	if (err)
		otlp_live_free(o);
	else
		*out = o;
	return err;
}

void otlp_live_free(struct otlp_live *o)
{
	struct breakdown *waits = o ? recorder_breakdown(o->recording->recorder) : NULL;

	if (!o)
		return;
	if (waits)
		breakdown_watch(waits, NULL, NULL);
	if (o->to)
		fclose(o->to);
	for (size_t i = 0; i < o->count; i++)
		bytes_release(&o->held[i].values);
	otlp_traces_release(&o->traces);
	target_description_free(&o->program);
	bytes_release(&o->attributes);
	free(o->service);
	free(o->text);
	free(o);
}

/* ---- what arrives */

/* Attributes have no null, as in an export of the file. */
static void otlp_live_on_value(void *context, const char *event, const char *name, enum plan_kind kind,
			       const struct jfr_user_value *v)
{
	struct otlp_held *h = context;
	struct bytes text;

	if (call_value_is_missing(kind, v))
		return;
	bytes_init(&text);
	otlp_put_event_value(&h->values, event, call_value_put(&text, kind, v), name, &text);
	bytes_release(&text);
}

static void held_take_values(struct otlp_held *h, const struct frt_field *f, size_t n)
{
	char thrown[FRT_FIELD_TEXT_MAX + 1];
	struct jfr_method_trace ids = {.span = 0};
	struct bytes text;

	user_value_trace(f, n, &ids);
	h->trace = (struct otlp_id){ids.trace_hi, ids.trace_lo};
	h->within = ids.trace_hi || ids.trace_lo ? ids.span : 0;
	otlp_put_number(&h->values, OTLP_ALLOCATED, user_value_number(f, n, FRT_FIELD_ALLOCATED));
	user_value_thrown_name(f, n, thrown, sizeof(thrown));
	if (!(h->flags & FRT_SPAN_THROWN) || !thrown[0])
		return;
	bytes_init(&text);
	bytes_put(&text, thrown, strlen(thrown));
	otlp_put_value(&h->values, OTLP_TEXT, OTLP_ERROR_TYPE, &text);
	bytes_release(&text);
}

static void otlp_print_and_idle(struct otlp_live *o, int64_t now);

void otlp_live_add(struct otlp_live *o, const struct recorded_call *call)
{
	const struct frt_span *s = call->span;
	struct otlp_held *h;

	if (o->count == HELD && monotonic_ns() >= o->idle_until)
		otlp_print_and_idle(o, INT64_MAX);
	if (o->count == HELD) {
		o->skipped.spans++;
		return;
	}
	h = &o->held[o->count];
	*h = (struct otlp_held){.start = s->start,
				.end = s->start + s->duration,
				.thread = s->thread,
				.serial = s->thread,
				.method = s->method,
				.flags = s->flags,
				.split = call->split};
	if (call->vthread)
		h->vthread = *call->vthread;
	if (s->flags & FRT_SPAN_VIRTUAL)
		h->thread = frt_virtual_key(h->vthread.java_id);
	bytes_init(&h->values);
	if (!recorded_values(call, otlp_live_on_value, h)) {
		bytes_release(&h->values);
		return;
	}
	held_take_values(h, call->values, call->value_count);
	o->count++;
}

/* ---- waits */

/* Threads together, each with its waits in their order. */
static int otlp_held_wait_compare(const void *a, const void *b)
{
	const struct otlp_held_wait *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->off > y->off) - (x->off < y->off);
}

static int otlp_held_wait_earlier(const void *a, const void *b)
{
	const struct otlp_held_wait *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

/* Forget the older half, which a call that goes on for long may have. */
static void otlp_live_drop_waits(struct otlp_live *o)
{
	size_t n = o->waits / 2;

	qsort(o->wait, o->waits, sizeof(o->wait[0]), otlp_held_wait_earlier);
	memmove(o->wait, o->wait + n, (o->waits - n) * sizeof(o->wait[0]));
	o->waits -= n;
	o->sorted = 0;
	o->skipped.waits += n;
}

static void otlp_live_on_wait(void *context, uint32_t thread, const struct wait *w, const char *waker,
			      const struct resource_names *names)
{
	struct otlp_live *o = context;
	struct otlp_held_wait *h;

	if (o->waits == WAITS)
		otlp_live_drop_waits(o);
	h = &o->wait[o->waits++];
	*h = (struct otlp_held_wait){
		.off = w->off, .wake = w->wake, .thread = thread, .syscall = w->syscall, .reason = w->reason};
	snprintf(h->waker, sizeof(h->waker), "%s", waker);
	if (names->resource && strlen(names->resource) < sizeof(h->resource))
		strcpy(h->resource, names->resource);
	snprintf(h->service, sizeof(h->service), "%s", names->service ?: "");
	snprintf(h->process, sizeof(h->process), "%s", names->process ?: "");
	snprintf(h->container, sizeof(h->container), "%s", names->container ?: "");
}

/* ---- printing */

/* The open calls of the thread that was asked about last. */
struct otlp_open {
	uint32_t thread;
	bool asked;
	uint64_t start; /* TSC, of the outermost one; UINT64_MAX: there is none */
};

static uint64_t outermost_open(struct otlp_live *o, struct otlp_open *open, uint32_t thread)
{
	uint64_t starts[FRT_OPEN_CALLS];
	size_t n;

	if (open->asked && open->thread == thread)
		return open->start;
	n = thread & FRT_VIRTUAL_KEY ? open_calls_of_virtual(o->recording->segment, thread, starts)
				     : open_calls_of(o->recording->segment, thread, starts);
	if (n)
		clock_cover(o->recording->clock, starts[0]);
	*open = (struct otlp_open){thread, true, n ? starts[0] : UINT64_MAX};
	return open->start;
}

/* Threads together, each with its calls by their beginnings, the outer one first. */
static int otlp_held_compare(const void *a, const void *b)
{
	const struct otlp_held *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

/* The end of the trace that begins with this call: the first call that is not in it. */
static size_t trace_end(const struct otlp_live *o, size_t first)
{
	const struct otlp_held *root = &o->held[first];
	size_t i = first + 1;

	while (i < o->count && o->held[i].thread == root->thread && o->held[i].start < root->end)
		i++;
	return i;
}

/*
 * True if no call around this one can arrive any more: none was open at a moment before the sweep by so much that it
 * would have arrived.
 */
static bool held_is_free(struct otlp_live *o, struct otlp_held *h, struct otlp_open *open, int64_t now)
{
	if (now == INT64_MAX || clock_ns(o->recording->clock, h->end) < now - OTLP_LIVE_MOST_NS)
		return true;
	if (h->free_at)
		return h->free_at < now - LINES_LATE_NS;
	if (outermost_open(o, open, h->thread) > h->start)
		h->free_at = monotonic_ns();
	return false;
}

/* The same for a wait, whose call may be open for any time. */
static bool held_wait_is_free(struct otlp_live *o, struct otlp_held_wait *w, struct otlp_open *open, int64_t now)
{
	uint64_t start;

	if (now == INT64_MAX)
		return true;
	if (w->free_at)
		return w->free_at < now - LINES_LATE_NS;
	start = outermost_open(o, open, w->thread);
	if (start == UINT64_MAX || clock_ns(o->recording->clock, start) >= w->wake)
		w->free_at = monotonic_ns();
	return false;
}

static int held_name_thread(struct otlp_live *o, const struct otlp_held *h)
{
	char name[sizeof(((struct frt_thread *)0)->name) + 1];
	struct frt_thread row;

	if (h->flags & FRT_SPAN_VIRTUAL)
		return otlp_traces_name_thread(&o->traces, h->vthread.name, h->vthread.java_id);
	if (!segment_thread(o->recording->segment, h->serial, &row))
		return otlp_traces_name_thread(&o->traces, "unknown thread", 0);
	snprintf(name, sizeof(name), "%.*s", (int)row.name_length, row.name);
	return otlp_traces_name_thread(&o->traces, name, row.java_id ? (int64_t)row.java_id : (int64_t)row.tid);
}

static int held_put(struct otlp_live *o, const struct otlp_held *h, uint32_t thread, int64_t realtime)
{
	int64_t start = clock_ns(o->recording->clock, h->start);
	struct bytes method = {.size = 0};
	struct otlp_call call = {.thread = thread,
				 .start = start + realtime,
				 .duration = clock_ns(o->recording->clock, h->end) - start,
				 .thrown = h->flags & FRT_SPAN_THROWN,
				 .cpu = h->split.cpu,
				 .run_queue = h->split.run_queue,
				 .blocked = h->split.blocked,
				 .pause = h->split.pause,
				 .trace = h->trace,
				 .within = h->within,
				 .values = h->values.data,
				 .values_size = h->values.size};

	int err;

	if (h->values.failed)
		return -ENOMEM;
	segment_put_method(&method, o->recording->segment, h->method);
	call.method = bytes_text(&method);
	err = otlp_traces_add_call(&o->traces, &call);
	bytes_release(&method);
	return err;
}

static int held_wait_put(struct otlp_live *o, struct otlp_held_wait *w, uint32_t thread, int64_t realtime)
{
	char name[SYSCALL_NAME_TEXT];
	struct otlp_wait wait = {.thread = thread,
				 .start = w->off + realtime,
				 .duration = w->wake - w->off,
				 .reason = wait_name(w->reason, w->syscall, name),
				 .waker = w->waker,
				 .peer = {w->resource, w->service, w->process, w->container}};

	w->gone = true;
	return otlp_traces_add_wait(&o->traces, &wait);
}

/* The waits that overlap a call, by their places. */
struct otlp_waits {
	size_t first, end;
};

/* *from: those before it are of earlier threads, or of the thread and before the call. It moves on. */
static struct otlp_waits waits_in(const struct otlp_live *o, const struct otlp_held *root, size_t *from)
{
	int64_t start = clock_ns(o->recording->clock, root->start), end = clock_ns(o->recording->clock, root->end);
	struct otlp_waits in;

	while (*from < o->waits && (o->wait[*from].thread < root->thread ||
				    (o->wait[*from].thread == root->thread && o->wait[*from].wake <= start)))
		++*from;
	for (in.first = in.end = *from;
	     in.end < o->waits && o->wait[in.end].thread == root->thread && o->wait[in.end].off < end; in.end++)
		;
	return in;
}

/* Add a trace to what is printed. */
static int trace_put(struct otlp_live *o, size_t first, size_t end, struct otlp_waits in, int64_t realtime)
{
	uint32_t thread = o->traces.threads;
	int err = held_name_thread(o, &o->held[first]);

	for (size_t i = first; i < end && !err; i++)
		err = held_put(o, &o->held[i], thread, realtime);
	for (size_t i = in.first; i < in.end && !err; i++)
		if (!o->wait[i].gone)
			err = held_wait_put(o, &o->wait[i], thread, realtime);
	return err;
}

static void traces_put(struct otlp_live *o, int64_t now, struct otlp_open *open)
{
	int64_t realtime = clock_realtime_offset();
	size_t kept = 0, waits = 0, end;

	for (size_t i = 0; i < o->count; i = end) {
		struct otlp_waits in = waits_in(o, &o->held[i], &waits);

		end = trace_end(o, i);
		if (!held_is_free(o, &o->held[i], open, now)) {
			memmove(o->held + kept, o->held + i, (end - i) * sizeof(o->held[0]));
			kept += end - i;
			for (size_t k = in.first; k < in.end; k++)
				o->wait[k].free_at = 0;
			continue;
		}
		if (trace_put(o, i, end, in, realtime))
			o->skipped.spans += end - i;
		for (size_t k = i; k < end; k++)
			bytes_release(&o->held[k].values);
	}
	o->count = kept;
}

/* Forget the waits that were printed, and those that no call can have any more. */
static void waits_keep(struct otlp_live *o, int64_t now, struct otlp_open *open)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->waits; i++)
		if (!o->wait[i].gone && !held_wait_is_free(o, &o->wait[i], open, now))
			o->wait[kept++] = o->wait[i];
	o->waits = o->sorted = kept;
}

/* Between two lines. */
static void resource_renew(struct otlp_live *o)
{
	static const enum otlp_kind kinds[] = {[OTEL_STRING] = OTLP_TEXT,
					       [OTEL_BOOL] = OTLP_BOOLEAN,
					       [OTEL_INT] = OTLP_INTEGER,
					       [OTEL_DOUBLE] = OTLP_REAL};
	const struct process_context *program = recorder_program(o->recording->recorder);

	bytes_clear(&o->attributes);
	for (size_t i = 0; program && i < program->count; i++) {
		const struct process_attribute *a = &program->attribute[i];
		struct bytes value = {.data = (unsigned char *)a->value, .size = strlen(a->value)};

		otlp_put_value(&o->attributes, kinds[a->kind], a->key, &value);
	}
	o->out.resource.attributes = o->attributes.data;
	o->out.resource.attributes_size = o->attributes.failed ? 0 : o->attributes.size;
}

/* INT64_MAX: all. */
static void otlp_print_until(struct otlp_live *o, int64_t now)
{
	struct otlp_open open = {.asked = false};

	qsort(o->held, o->count, sizeof(o->held[0]), otlp_held_compare);
	if (o->sorted < o->waits)
		qsort(o->wait, o->waits, sizeof(o->wait[0]), otlp_held_wait_compare);
	traces_put(o, now, &open);
	waits_keep(o, now, &open);
	if (!o->traces.calls)
		return;
	resource_renew(o);
	otlp_traces_write(&o->traces, &o->out, hash_mix(o->seed, ++o->printed));
}

static void otlp_print_and_idle(struct otlp_live *o, int64_t now)
{
	int64_t begin = monotonic_ns(), end;

	otlp_print_until(o, now);
	end = monotonic_ns();
	o->idle_until = end + (end - begin);
}

void otlp_live_print(struct otlp_live *o, int64_t now)
{
	if (now == INT64_MAX || monotonic_ns() >= o->idle_until)
		otlp_print_and_idle(o, now);
}

const struct otlp_live_skipped *otlp_live_skipped(const struct otlp_live *o)
{
	return &o->skipped;
}
