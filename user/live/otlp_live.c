// SPDX-License-Identifier: BSD-2-Clause
#include "user/live/otlp_live.h"
#include "format/bytes.h"
#include "format/hash.h"
#include "user/capture/open_calls.h"
#include "user/capture/segment_names.h"
#include "user/export/otlp.h"
#include "user/process/find.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HELD	   16384u
#define NAME_TEXT  2048
#define SPANS_SENT 256 /* at once: the queue takes a piece as a whole, or not */

struct otlp_held {
	uint64_t start, end; /* TSC */
	int64_t free_at;     /* when no call around it was open any more (CLOCK_MONOTONIC, ns); 0: not seen yet */
	uint32_t thread, method;
	uint16_t flags;
	struct span_split split;
	struct stream_vthread vthread; /* all 0 for a platform thread */
	char *thrown;		       /* class of the exception; NULL: unknown */
};

/* The calls around the one that is printed. */
struct otlp_around {
	uint64_t end, id;
};

struct otlp_live {
	struct otlp_live_setup setup;
	struct otlp_held held[HELD];
	size_t count;
	struct otlp_around around[HELD];
	size_t depth;
	struct otlp_id trace;
	uint64_t seed, number; /* of spans */
	uint64_t skipped, written;
	struct target_description program;
	char *service;
	struct otlp out;
	FILE *to; /* writes lines to `text` */
	char *text;
	size_t size;
};

static int otlp_live_open(struct otlp_live *o, struct diag *d)
{
	struct otlp_resource resource = {.pid = o->setup.target->ns_pid};
	int err = target_describe(o->setup.target, &o->program, d);

	if (err)
		return err;
	o->service = otlp_service_name(o->program.jvm_arguments);
	o->to = open_memstream(&o->text, &o->size);
	if (!o->service || !o->to)
		return diag_errno(d, ENOMEM, "cannot print");
	resource.service = o->service;
	otlp_init(&o->out, o->to, &resource);
	return 0;
}

int otlp_live_new(struct otlp_live **out, const struct otlp_live_setup *setup, struct diag *d)
{
	struct otlp_live *o = calloc(1, sizeof(*o));
	int err;

	*out = NULL;
	if (!o)
		return diag_errno(d, ENOMEM, "cannot print");
	o->setup = *setup;
	o->seed = hash_mix(hash_mix(1, setup->target->pid), monotonic_ns() + clock_realtime_offset());
	err = otlp_live_open(o, d);
	if (err)
		otlp_live_free(o);
	else
		*out = o;
	return err;
}

void otlp_live_free(struct otlp_live *o)
{
	if (!o)
		return;
	if (o->to)
		fclose(o->to);
	for (size_t i = 0; i < o->count; i++)
		free(o->held[i].thrown);
	target_description_free(&o->program);
	free(o->service);
	free(o->text);
	free(o);
}

/* The key of the thread, or of the virtual thread that ran on it. */
static uint32_t held_thread(const struct otlp_held *h)
{
	return h->flags & FRT_SPAN_VIRTUAL ? frt_virtual_key(h->vthread.java_id) : h->thread;
}

void otlp_live_add(struct otlp_live *o, const struct frt_span *s, const struct stream_vthread *vthread,
		   const struct span_split *split, const char *thrown)
{
	struct otlp_held *h;

	if (o->count == HELD)
		otlp_live_print(o, INT64_MAX);
	h = &o->held[o->count++];
	*h = (struct otlp_held){.start = s->start,
				.end = s->start + s->duration,
				.thread = s->thread,
				.method = s->method,
				.flags = s->flags,
				.split = *split,
				.thrown = *thrown ? strdup(thrown) : NULL};
	if (vthread)
		h->vthread = *vthread;
}

/* Threads together, each with its calls by their beginnings, the outer one first. */
static int otlp_held_compare(const void *a, const void *b)
{
	const struct otlp_held *x = a, *y = b;
	uint32_t s = held_thread(x), t = held_thread(y);

	if (s != t)
		return s < t ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

/* Since when the outermost call of a thread had begun; UINT64_MAX: none is open. */
static uint64_t outermost_open(const struct otlp_live *o, const struct otlp_held *h)
{
	uint64_t starts[FRT_OPEN_CALLS];
	size_t n = h->flags & FRT_SPAN_VIRTUAL ? open_calls_of_virtual(o->setup.segment, held_thread(h), starts)
					       : open_calls_of(o->setup.segment, held_thread(h), starts);

	return n ? starts[0] : UINT64_MAX;
}

/* The end of the trace that begins with this call: the first call that is not in it. */
static size_t trace_end(const struct otlp_live *o, size_t first)
{
	const struct otlp_held *root = &o->held[first];
	size_t i = first + 1;

	while (i < o->count && held_thread(&o->held[i]) == held_thread(root) && o->held[i].start < root->end)
		i++;
	return i;
}

/*
 * True if no call around this one can arrive any more: none was open at a moment before the sweep by so much that it
 * would have arrived. `open` is what outermost_open() said; 0: it has not been asked.
 */
static bool held_is_free(struct otlp_live *o, struct otlp_held *h, uint64_t *open, int64_t now)
{
	if (now == INT64_MAX || clock_ns(o->setup.clock, h->end) < now - OTLP_LIVE_MOST_NS)
		return true;
	if (h->free_at)
		return h->free_at < now - LINES_LATE_NS;
	if (!*open)
		*open = outermost_open(o, h);
	if (*open > h->start)
		h->free_at = monotonic_ns();
	return false;
}

static uint64_t next_id(struct otlp_live *o)
{
	o->number++;
	return hash_mix(hash_mix(o->seed, o->number), o->number) ?: 1;
}

static void otlp_put_thrown(struct bytes *out, const char *thrown)
{
	static const char name[] = "error.type";
	struct otlp_value head = {OTLP_TEXT, sizeof(name), strlen(thrown)};

	bytes_put(out, &head, sizeof(head));
	bytes_put(out, name, sizeof(name));
	bytes_put(out, thrown, head.text_size);
}

static void name_thread(const struct otlp_live *o, const struct otlp_held *h, char name[72], struct otlp_span *s)
{
	struct frt_thread row;

	s->thread = "";
	if (h->flags & FRT_SPAN_VIRTUAL) {
		s->thread_id = h->vthread.java_id;
		s->thread = h->vthread.name;
	} else if (segment_thread(o->setup.segment, h->thread, &row)) {
		snprintf(name, 72, "%.*s", (int)row.name_length, row.name);
		s->thread_id = row.java_id ? (int64_t)row.java_id : (int64_t)row.tid;
		s->thread = name;
	}
}

static void held_write(struct otlp_live *o, const struct otlp_held *h, uint64_t id, uint64_t parent, int64_t realtime)
{
	char method[NAME_TEXT], name[72];
	struct bytes values;
	struct otlp_span s = {.trace = o->trace,
			      .id = id,
			      .parent = parent,
			      .method = method,
			      .start = clock_ns(o->setup.clock, h->start) + realtime,
			      .end = clock_ns(o->setup.clock, h->end) + realtime,
			      .thrown = h->flags & FRT_SPAN_THROWN,
			      .cpu = h->split.cpu,
			      .run_queue = h->split.run_queue,
			      .blocked = h->split.blocked,
			      .pause = INT64_MIN};

	bytes_init(&values);
	if (h->thrown)
		otlp_put_thrown(&values, h->thrown);
	if (!values.failed) {
		s.values = values.data;
		s.values_size = values.size;
	}
	segment_name_method(o->setup.segment, h->method, method, sizeof(method));
	name_thread(o, h, name, &s);
	otlp_begin_span(&o->out, &s);
	otlp_end_span(&o->out, &s, 0);
	o->written++;
	bytes_release(&values);
}

/* Queue what was written since the last call. */
static void otlp_live_send(struct otlp_live *o)
{
	otlp_finish(&o->out);
	if (fflush(o->to) || (o->written && !stdout_queue_put(o->setup.queue, o->text, o->size)))
		o->skipped += o->written;
	o->written = 0;
	rewind(o->to);
}

static void trace_write(struct otlp_live *o, size_t first, size_t end, int64_t realtime)
{
	o->depth = 0;
	for (size_t i = first; i < end; i++) {
		const struct otlp_held *h = &o->held[i];
		uint64_t id = next_id(o);

		while (o->depth && o->around[o->depth - 1].end <= h->start)
			o->depth--;
		if (i == first)
			o->trace = (struct otlp_id){next_id(o), next_id(o)};
		held_write(o, h, id, o->depth ? o->around[o->depth - 1].id : 0, realtime);
		o->around[o->depth++] = (struct otlp_around){h->end, id};
		if (o->written == SPANS_SENT)
			otlp_live_send(o);
	}
}

void otlp_live_print(struct otlp_live *o, int64_t now)
{
	int64_t realtime = clock_realtime_offset();
	uint32_t thread = 0;
	size_t kept = 0, end;
	uint64_t open = 0;

	qsort(o->held, o->count, sizeof(o->held[0]), otlp_held_compare);
	for (size_t i = 0; i < o->count; i = end) {
		end = trace_end(o, i);
		if (held_thread(&o->held[i]) != thread)
			open = 0;
		thread = held_thread(&o->held[i]);
		if (!held_is_free(o, &o->held[i], &open, now)) {
			memmove(o->held + kept, o->held + i, (end - i) * sizeof(o->held[0]));
			kept += end - i;
			continue;
		}
		trace_write(o, i, end, realtime);
		for (size_t k = i; k < end; k++)
			free(o->held[k].thrown);
	}
	o->count = kept;
	otlp_live_send(o);
}

uint64_t otlp_live_skipped(const struct otlp_live *o)
{
	return o->skipped;
}
