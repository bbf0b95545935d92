// SPDX-License-Identifier: BSD-2-Clause
#include "user/show/lines.h"
#include "format/jfr/jfr_events.h"
#include "user/segment/segment_names.h"
#include "user/record/user_value.h"
#include "user/show/call_values.h"
#include "user/show/json_method.h"
#include "filters/java_type.h"
#include "user/text/java_number.h"
#include "user/text/json.h"
#include "user/text/log.h"
#include "user/text/term.h"
#include "user/text/wall_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Capacity: 160,000 calls a second, each held up to 100 ms. Printing more would cost too much. */
#define HELD 16384u

#define NAME_TEXT 4096

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
	const struct recording *recording;
	struct stdout_queue *queue;
	struct held held[HELD];
	size_t count;
	uint64_t skipped, unreported; /* unreported: since the last message about it */
	FILE *to;		      /* writes one line to `text` */
	char *text;
	size_t size;
};

int lines_new(struct lines **out, const struct recording *r, struct stdout_queue *queue, struct diag *d)
{
	struct lines *l = calloc(1, sizeof(*l));

	if (l)
		l->to = open_memstream(&l->text, &l->size);
	*out = NULL;
	if (!l || !l->to) {
		lines_free(l);
		return diag_errno(d, ENOMEM, "cannot print");
	}
	l->recording = r;
	l->queue = queue;
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
			   .values = call_values_text(call, l->recording->settings->json)};
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
	bool sent = !fflush(l->to) && stdout_queue_put(l->queue, l->text, l->size);

	rewind(l->to);
	return sent;
}

static bool print_skipped(struct lines *l)
{
	struct json j;

	if (!l->unreported)
		return true;
	if (l->recording->settings->json) {
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

/* ---- a call as a line */

#define THREAD_NAME 72

/* NULL: unknown. */
static const char *held_thread(const struct lines *l, const struct held *h, char name[THREAD_NAME], uint64_t *java_id)
{
	struct frt_thread row;

	if (h->span.flags & FRT_SPAN_VIRTUAL) {
		*java_id = h->vthread.java_id;
		return h->vthread.name;
	}
	*java_id = 0;
	if (!segment_thread(l->recording->segment, h->span.thread, &row))
		return NULL;
	*java_id = row.java_id;
	snprintf(name, THREAD_NAME, "%.*s", (int)row.name_length, row.name);
	return name;
}

static void lines_put_resolved(struct bytes *out, const struct resolved_method *m)
{
	char printed[NAME_TEXT];

	for (const char *at = m->class_name; *at; at++)
		bytes_put_u8(out, *at == '/' ? '.' : *at);
	java_name_print(m->name, m->descriptor, printed, sizeof(printed));
	bytes_printf(out, ".%s", printed);
}

/* Append to a line, with control characters escaped, and forget. */
static void lines_print_name(FILE *to, struct bytes *name)
{
	term_print(to, bytes_text(name));
	bytes_clear(name);
}

static bool is_known(int64_t ns)
{
	return ns != JFR_MISSING;
}

/*
 * Time of day of the end, duration, thread, method, "thrown" and the class, the values of -e, "from CALLER line: N", where
 * the time went if known.
 */
static void lines_print_text(const struct lines *l, const struct held *h, int64_t realtime)
{
	const struct segment *segment = l->recording->segment;
	const struct frames_caller *caller = &h->caller;
	char time[WALL_TIME_TEXT], name[THREAD_NAME];
	struct bytes text = {.size = 0};
	uint64_t java_id;
	FILE *to = l->to;

	wall_time_print(h->end + realtime, true, time);
	fprintf(to, "%s  %9s  ", time, log_time(h->end - h->start));
	term_print(to, held_thread(l, h, name, &java_id) ?: "?");
	fputs("  ", to);
	segment_put_method(&text, segment, h->span.method);
	lines_print_name(to, &text);
	bytes_printf(&text, "%s%s%s%s%s", h->span.flags & FRT_SPAN_THROWN ? "  thrown" : "", h->thrown ? " " : "",
		     h->thrown ?: "", h->values ? "  " : "", h->values ?: "");
	if (caller->resolved || caller->named)
		put_text(&text, "  from ");
	if (caller->resolved)
		lines_put_resolved(&text, caller->resolved);
	else if (caller->named)
		segment_put_method(&text, segment, caller->named);
	lines_print_name(to, &text);
	if ((caller->resolved || caller->named) && caller->line > 0)
		fprintf(to, " line: %d", caller->line);
	if (is_known(h->split.cpu) && is_known(h->split.run_queue) && is_known(h->split.blocked))
		fprintf(to, "  cpu %s, runq %s, blocked %s", log_time(h->split.cpu), log_time(h->split.run_queue),
			log_time(h->split.blocked));
	putc('\n', to);
	bytes_release(&text);
}

static void put_ns(struct json *j, const char *key, int64_t ns)
{
	if (is_known(ns))
		json_signed(j, key, ns);
	else
		json_null(j, key);
}

static void put_caller(struct json *j, const struct lines *l, const struct frames_caller *caller)
{
	const struct resolved_method *m = caller->resolved;

	if (!m && !caller->named) {
		json_null(j, "caller");
		return;
	}
	json_object(j, "caller");
	if (m) {
		char name[NAME_TEXT];

		snprintf(name, sizeof(name), "%s", m->class_name);
		java_name_dots(name);
		json_string(j, "class", name);
		json_string(j, "method", m->name);
		json_string(j, "descriptor", m->descriptor);
	} else {
		json_method(j, l->recording->segment, caller->named);
	}
	if (caller->line > 0)
		json_signed(j, "line", caller->line);
	else
		json_null(j, "line");
	json_end(j);
}

/* docs/reading.md lists the fields. */
static void lines_print_json(const struct lines *l, const struct held *h, int64_t realtime)
{
	char time[WALL_TIME_TEXT], name[THREAD_NAME];
	const char *thread;
	uint64_t java_id;
	struct json j;

	json_init(&j, l->to);
	json_object(&j, NULL);
	wall_time_iso(h->start + realtime, time);
	json_string(&j, "startTime", time);
	json_signed(&j, "startNs", h->start + l->recording->target.monotonic_offset);
	json_unsigned(&j, "durationNs", h->end - h->start);
	put_ns(&j, "cpuNs", h->split.cpu);
	put_ns(&j, "runQueueNs", h->split.run_queue);
	put_ns(&j, "blockedNs", h->split.blocked);
	thread = held_thread(l, h, name, &java_id);
	json_string(&j, "thread", thread);
	json_unsigned(&j, "javaThreadId", java_id);
	json_bool(&j, "virtual", h->span.flags & FRT_SPAN_VIRTUAL);
	json_method(&j, l->recording->segment, h->span.method);
	json_bool(&j, "thrown", h->span.flags & FRT_SPAN_THROWN);
	json_string(&j, "thrownClass", h->thrown);
	if (h->values)
		json_literal(&j, "values", h->values);
	put_caller(&j, l, &h->caller);
	json_end(&j);
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
		(l->recording->settings->json ? lines_print_json : lines_print_text)(l, &l->held[n], realtime);
		if (!send(l))
			lines_skip(l);
	}
	for (size_t i = 0; i < n; i++)
		lines_held_release(&l->held[i]);
	l->count -= n;
	memmove(l->held, l->held + n, l->count * sizeof(l->held[0]));
	if (until == INT64_MAX && !print_skipped(l)) { /* no later line would report them */
		stdout_queue_finish(l->queue);
		print_skipped(l);
	}
}

uint64_t lines_skipped(const struct lines *l)
{
	return l->skipped;
}
