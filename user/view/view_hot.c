// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where the CPU time of calls was spent, by samples (jdk.ExecutionSample): for each method how many samples were in itself,
 * and how many in it or in what it called. Only samples count that are in the calls of the request, on their thread.
 */
#include "user/text/memory.h"
#include "user/trace/call_spans.h"
#include "user/trace/method_names.h"
#include "user/trace/wait.h"
#include "user/view/views.h"

#include <stdlib.h>

#define SHOWN 20

struct hot_method {
	uint32_t method; /* its number */
	int64_t self, total;
	uint64_t last; /* number of the last sample that it is in */
};

struct hot_methods {
	struct call_spans calls;
	struct method_names names;
	struct hot_method *of; /* by number of the method - 1 */
	size_t count, capacity;
	int64_t samples, unknown; /* unknown: of these, without a stack */
	bool sorted;		  /* the calls, before the second pass */
};

static int hot_add_call(const struct call *call, void *context)
{
	call_spans_add(&((struct hot_methods *)context)->calls, call);
	return 0;
}

static bool hot_sort_calls(void *state)
{
	struct hot_methods *h = state;

	if (h->sorted)
		return false;
	h->sorted = true;
	call_spans_sort(&h->calls);
	call_spans_keep_outermost(&h->calls);
	return h->calls.count;
}

static void hot_add_frame(struct hot_methods *h, struct jfr_chunk *chunk, struct jfr_value *frame, bool top)
{
	struct jfr_value method = frame_method(chunk, frame);
	uint32_t number = method_names_number(&h->names, chunk, &method);
	struct hot_method *m;

	memory_extend(&h->of, &h->count, &h->capacity, number);
	m = &h->of[number - 1];
	m->method = number;
	m->self += top;
	m->total += m->last != (uint64_t)h->samples; /* once, however often it is on the stack */
	m->last = h->samples;
}

static int hot_add_sample(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct jfr_value event = jfr_event_value(e), stack = jfr_field(chunk, &event, "stackTrace"), frames, frame;
	struct hot_methods *h = context;
	struct cursor c;

	if (!call_spans_have(&h->calls, thread_number(chunk, jfr_field(chunk, &event, "sampledThread")),
			     jfr_event_span(chunk, e).start))
		return 0;
	h->samples++;
	jfr_resolve(chunk, &stack);
	frames = jfr_field(chunk, &stack, "frames");
	if (frames.kind != VALUE_ARRAY || !frames.place.count) {
		h->unknown++;
		return 0;
	}
	c = jfr_enter(chunk, &frames);
	for (uint64_t i = 0; i < frames.place.count; i++) {
		jfr_take_element(&c, &frames, &frame);
		hot_add_frame(h, chunk, &frame, !i);
	}
	return 0;
}

/* Most samples of its own first. */
static int hot_compare(const void *a, const void *b)
{
	const struct hot_method *x = a, *y = b;

	if (x->self != y->self)
		return (x->self < y->self) - (x->self > y->self);
	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	return (x->method > y->method) - (x->method < y->method);
}

static void hot_put_row(struct table *table, const char *method, int64_t self, int64_t total, int64_t samples)
{
	table_put(table, method);
	table_put_count(table, self);
	table_put_share(table, self, samples);
	table_put_count(table, total);
	table_put_share(table, total, samples);
}

static void hot_put(void *state, const struct view_request *request, struct bytes *out)
{
	static const struct table_column columns[] = {
		{"Method", "method", TABLE_METHOD, 0}, {"Samples", "self", TABLE_NUMBER, 0},
		{"Share", NULL, TABLE_NUMBER, 0},      {"With Callees", "total", TABLE_NUMBER, 1},
		{"Share", NULL, TABLE_NUMBER, 1},
	};
	struct hot_methods *h = state;
	uint64_t shown = request->top ?: SHOWN;
	struct table table;

	if (h->count)
		qsort(h->of, h->count, sizeof(*h->of), hot_compare);
	method_names_settle(&h->names);
	table_init(&table, "CPU Samples", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < h->count && i < shown; i++)
		hot_put_row(&table, method_names_text(&h->names, h->of[i].method), h->of[i].self, h->of[i].total,
			    h->samples);
	if (h->unknown)
		hot_put_row(&table, "(unknown)", h->unknown, h->unknown, h->samples);
	view_put_table(&table, h->count, request, out);
}

static void hot_release(void *state)
{
	struct hot_methods *h = state;

	call_spans_release(&h->calls);
	method_names_release(&h->names);
	free(h->of);
}

static const struct trace_event hot_events[] = {{"jdk.ExecutionSample", hot_add_sample}, {NULL, NULL}};

const struct view_pass view_hot = {.size = sizeof(struct hot_methods),
				   .ops = {.call = hot_add_call},
				   .between = hot_sort_calls,
				   .again = {.events = hot_events},
				   .put = hot_put,
				   .release = hot_release};
