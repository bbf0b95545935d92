// SPDX-License-Identifier: BSD-2-Clause
#include "user/live/lines.h"
#include "user/text/json.h"
#include "user/text/log.h"
#include "user/live/call_line.h"
#include "user/live/call_values.h"
#include "user/record/user_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Capacity: 160,000 calls a second, each held up to 100 ms. Printing more would cost too much. */
#define HELD 16384u

struct held {
	struct frt_span span;
	int64_t start, end; /* CLOCK_MONOTONIC, ns */
	struct frames_caller caller;
	struct span_split split;
	struct stream_vthread vthread; /* all 0 for a platform thread */
	char *thrown;		       /* class of the exception; NULL: unknown */
	char *values;		       /* of -e; NULL: none */
};

struct lines {
	struct lines_setup setup;
	struct held held[HELD];
	size_t count;
	uint64_t skipped, unreported; /* unreported: since the last message about it */
	FILE *to;		      /* writes one line to `text` */
	char *text;
	size_t size;
};

int lines_new(struct lines **out, const struct lines_setup *setup, struct diag *d)
{
	struct lines *l = calloc(1, sizeof(*l));

	if (l)
		l->to = open_memstream(&l->text, &l->size);
	*out = NULL;
	if (!l || !l->to) {
		lines_free(l);
		return diag_errno(d, ENOMEM, "cannot print");
	}
	l->setup = *setup;
	*out = l;
	return 0;
}

static void lines_held_release(struct held *h)
{
	free(h->thrown);
	free(h->values);
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	if (l->to)
		fclose(l->to);
	for (size_t i = 0; i < l->count; i++)
		lines_held_release(&l->held[i]);
	free(l->text);
	free(l);
}

static void lines_skip(struct lines *l)
{
	l->skipped++;
	l->unreported++;
}

void lines_add(struct lines *l, const struct recorded_call *call)
{
	char thrown[FRT_FIELD_TEXT_MAX + 1];
	struct held *h = &l->held[l->count];

	if (l->count == HELD) {
		lines_skip(l);
		return;
	}
	user_value_thrown_name(call->values, call->value_count, thrown, sizeof(thrown));
	*h = (struct held){.span = *call->span,
			   .start = call->start,
			   .end = call->start + call->duration,
			   .caller = call->caller,
			   .split = call->split,
			   .thrown = *thrown ? strdup(thrown) : NULL,
			   .values = call_values_text(call, l->setup.json)};
	if (call->vthread)
		h->vthread = *call->vthread;
	l->count++;
}

void lines_forget_callers(struct lines *l)
{
	for (size_t i = 0; i < l->count; i++)
		l->held[i].caller.resolved = NULL;
}

static int earlier(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	return x->end < y->end ? -1 : x->end > y->end;
}

/* Queue the text that was printed to l->to since the last call. */
static bool send(struct lines *l)
{
	bool sent = !fflush(l->to) && stdout_queue_put(l->setup.queue, l->text, l->size);

	rewind(l->to);
	return sent;
}

static bool print_skipped(struct lines *l)
{
	struct json j;

	if (!l->unreported)
		return true;
	if (l->setup.json) {
		json_init(&j, l->to);
		json_object(&j, NULL);
		json_unsigned(&j, "skipped", l->unreported);
		json_end(&j);
	} else {
		fprintf(l->to, "... %s calls are not printed: they came faster than that\n", log_count(l->unreported));
	}
	if (!send(l))
		return false;
	l->unreported = 0;
	return true;
}

static void lines_name_thread(const struct lines *l, const struct held *h, struct frt_thread *row, char name[72],
			      struct call_line *c)
{
	c->is_virtual = h->span.flags & FRT_SPAN_VIRTUAL;
	if (c->is_virtual) {
		c->java_id = h->vthread.java_id;
		c->thread = h->vthread.name;
	} else if (segment_thread(l->setup.segment, h->span.thread, row)) {
		snprintf(name, 72, "%.*s", (int)row->name_length, row->name);
		c->java_id = row->java_id;
		c->thread = name;
	}
}

static void print_call(struct lines *l, const struct held *h, int64_t realtime)
{
	struct call_line c = {.segment = l->setup.segment,
			      .method = h->span.method,
			      .thrown = h->span.flags & FRT_SPAN_THROWN,
			      .thrown_class = h->thrown,
			      .values = h->values,
			      .end = h->end + realtime,
			      .start_ticks = h->start + l->setup.ticks_offset,
			      .duration = h->end - h->start,
			      .caller = h->caller,
			      .split = h->split};
	struct frt_thread row;
	char name[72];

	lines_name_thread(l, h, &row, name, &c);
	if (l->setup.json)
		call_line_json(l->to, &c);
	else
		call_line_print(l->to, &c);
}

void lines_print(struct lines *l, int64_t now)
{
	int64_t realtime = clock_realtime_offset(), until = now == INT64_MAX ? now : now - LINES_LATE_NS;
	size_t n = 0;

	qsort(l->held, l->count, sizeof(l->held[0]), earlier);
	for (; n < l->count && l->held[n].end <= until; n++) {
		if (!print_skipped(l)) {
			lines_skip(l);
			continue;
		}
		print_call(l, &l->held[n], realtime);
		if (!send(l))
			lines_skip(l);
	}
	for (size_t i = 0; i < n; i++)
		lines_held_release(&l->held[i]);
	l->count -= n;
	memmove(l->held, l->held + n, l->count * sizeof(l->held[0]));
	if (until == INT64_MAX && !print_skipped(l)) { /* no later line would report them */
		stdout_queue_finish(l->setup.queue);
		print_skipped(l);
	}
}

uint64_t lines_skipped(const struct lines *l)
{
	return l->skipped;
}
