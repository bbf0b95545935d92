// SPDX-License-Identifier: BSD-2-Clause
#include "user/compare/run.h"
#include "user/text/java_number.h"
#include "user/trace/jfr_names.h"
#include "user/trace/trace.h"
#include "user/print/user_values_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double run_quantiles[RUN_QUANTILES] = {0.5, 0.9, 0.99};

void run_release(struct run *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->method[i].duration);
		free(r->method[i].sorted);
		free(r->method[i].value);
	}
	free(r->method);
	method_names_release(&r->names);
	bytes_release(&r->bounds);
	aggregate_release(&r->reasons);
	texts_release(&r->reason_texts);
	*r = (struct run){0};
}

/* The number is not 0. */
static struct run_method *run_method_of(struct run *r, uint32_t number)
{
	memory_reserve(&r->method, &r->capacity, number);
	for (; r->count < number; r->count++)
		r->method[r->count] = (struct run_method){.name = "N/A"};
	return &r->method[number - 1];
}

void run_add(struct run *r, uint32_t number, int64_t start, int64_t duration, bool thrown)
{
	struct run_method *m = run_method_of(r, number);
	int64_t end = start + duration;

	memory_reserve(&m->duration, &m->capacity, m->count + 1);
	m->duration[m->count++] = duration;
	m->thrown += thrown;
	m->total += duration;
	r->first = start < r->first || !r->first ? start : r->first;
	r->last = end > r->last ? end : r->last;
}

static void split_sums_add(struct run_split *s, const struct call *call)
{
	s->calls++;
	s->cpu += call->cpu;
	s->run_queue += call->run_queue;
	s->blocked += call->blocked;
}

struct run_reader {
	struct run *run;
	struct call_filter *filter;
};

static int run_add_call(const struct call *call, void *context)
{
	struct run *r = ((struct run_reader *)context)->run;
	uint32_t number = user_values_method(&r->names, call, r->by);

	run_add(r, number, call->start, call->duration, call->thrown);
	if (call_has_split(call))
		split_sums_add(&r->method[number - 1].all, call);
	return 0;
}

/* ---- other events */

static int64_t run_ticks(const struct jfr_chunk *chunk, const struct jfr_value *event, const char *field)
{
	struct jfr_value v = jfr_field((struct jfr_chunk *)chunk, event, field);

	int64_t ns = v.kind == VALUE_NUMBER ? jfr_timebase_span(&chunk->clock, v.number) : INT64_MIN;

	return ns < 0 ? INT64_MIN : ns;
}

static int64_t run_number(struct jfr_chunk *chunk, const struct jfr_value *event, const char *field)
{
	struct jfr_value v = jfr_field(chunk, event, field);

	return v.kind == VALUE_NUMBER ? v.number : 0;
}

/* The key of a method is not resolved, so that names are cached by it. */
static struct jfr_value run_timed_method(struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct jfr_value event = jfr_event_value(e), v = {.kind = VALUE_NULL};
	struct cursor c = jfr_enter(chunk, &event);

	for (uint32_t i = 0; i < e->type->count; i++) {
		jfr_take(&c, &e->type->fields[i], &v);
		if (strcmp(e->type->fields[i].name, "method") == 0)
			return v;
	}
	v.kind = VALUE_NULL;
	return v;
}

static int run_take_timing(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	static const char *const quantiles[RUN_QUANTILES] = {"p50", "p90", "p99"};
	struct run_reader *reader = context;
	struct jfr_value event = jfr_event_value(e), method = run_timed_method(chunk, e);
	int passed = call_filter_has_method(reader->filter, chunk, &method);
	struct run_method *m;

	if (passed <= 0)
		return passed;
	m = run_method_of(reader->run, method_names_number(&reader->run->names, chunk, &method));
	m->timing = (struct run_timing){.present = true,
					.invocations = run_number(chunk, &event, "invocations"),
					.thrown = run_number(chunk, &event, "thrown"),
					.average = run_ticks(chunk, &event, "average"),
					.maximum = run_ticks(chunk, &event, "maximum")};
	for (int i = 0; i < RUN_QUANTILES; i++)
		m->timing.quantile[i] = run_ticks(chunk, &event, quantiles[i]);
	return 0;
}

static int run_take_loss(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	((struct run_reader *)context)->run->lost = true;
	return 0;
}

/* The text of a field. */
static const char *run_text(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_event *e, const char *field)
{
	struct jfr_value event = jfr_event_value(e), v = jfr_field(chunk, &event, field);

	bytes_init(out);
	put_value_text(out, &v);
	return memory_text(out);
}

static int run_take_message(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct run *r = ((struct run_reader *)context)->run;
	struct bytes of_kind, of_text;
	const char *kind = run_text(&of_kind, chunk, e, "kind"), *text = run_text(&of_text, chunk, e, "text");

	if (strcmp(kind, "throttled") == 0)
		r->throttled = true;
	if (strcmp(kind, "forged") == 0)
		r->lost = true;
	if (strcmp(kind, "lower bound") == 0)
		put_text(&r->bounds, text);
	bytes_release(&of_kind);
	bytes_release(&of_text);
	return 0;
}

/* "Cart::pay:10ms": a colon before a number, not two. */
static bool has_threshold(const char *filters)
{
	for (const char *s = filters; (s = strchr(s, ':')); s++) {
		if (s[1] >= '0' && s[1] <= '9' && (s == filters || s[-1] != ':'))
			return true;
	}
	return false;
}

/* Settings are the same in all chunks; JFR writes "0 ns" for no threshold, too. */
static int run_take_setting(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct run *r = ((struct run_reader *)context)->run;
	struct jfr_value event = jfr_event_value(e);
	const struct meta_type *trace = jfr_metadata_find(chunk->metadata, "jdk.MethodTrace");
	struct bytes of_name, of_value;
	const char *name, *value;

	if (!trace || run_number(chunk, &event, "id") != (int64_t)trace->id)
		return 0;
	name = run_text(&of_name, chunk, e, "name");
	value = run_text(&of_value, chunk, e, "value");
	if (strcmp(name, "threshold") == 0 && strtoull(value, NULL, 10))
		r->partial = true;
	if (strcmp(name, "filter") == 0 && has_threshold(value))
		r->partial = true;
	if (strcmp(name, "thrown") == 0 && strcmp(value, "true") == 0)
		r->partial = true;
	bytes_release(&of_name);
	bytes_release(&of_value);
	return 0;
}

static int compare_durations(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* A remark names methods as "a.b.C.m(int)". */
static bool run_is_bounded(struct run *r, const char *name)
{
	char *text = memory_need(strndup(name, strcspn(name, "(") + 1));
	bool found = strstr(memory_text(&r->bounds), text);

	free(text);
	return found;
}

static void run_name_method(struct run *r, size_t i)
{
	const char *value = method_names_value(&r->names, i + 1);

	r->method[i].name = method_names_text(&r->names, i + 1);
	if (value && asprintf(&r->method[i].value, "%s=%s", r->by, value + 1) < 0)
		memory_exhausted();
}

void run_settle(struct run *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct run_method *m = &r->method[i];

		if (i < r->names.count)
			run_name_method(r, i);
		m->lower_bound = run_is_bounded(r, m->name);
		if (!m->count)
			continue;
		m->sorted = memory_need(malloc(m->count * sizeof(*m->sorted)));
		memcpy(m->sorted, m->duration, m->count * sizeof(*m->sorted));
		qsort(m->sorted, m->count, sizeof(*m->sorted), compare_durations);
	}
}

void run_read(struct run *r, struct jfr_file *file, struct call_filter *filter)
{
	static const struct trace_event events[] = {{"jdk.MethodTiming", run_take_timing},
						    {"jdk.DataLoss", run_take_loss},
						    {"frtrace.Message", run_take_message},
						    {"jdk.ActiveSetting", run_take_setting},
						    {NULL, NULL}};
	struct run_reader reader = {r, filter};
	const struct trace_ops ops = {.call = run_add_call, .events = events};

	trace_read_all(file, &(struct trace_reader){&ops, &reader, filter}, 1);
	r->lost |= file->unfinished || file->fault.what;
	method_names_settle(&r->names);
	run_settle(r);
}

struct sample run_sample(const struct run_method *m)
{
	return (struct sample){m->sorted, m->duration, m->count};
}

const char *run_incomplete(const struct run *r, const struct run_method *m)
{
	if (r->lost)
		return "calls were lost";
	if (m->lower_bound)
		return "the JIT may hide calls of this method";
	if (m->timing.present && m->timing.invocations == (int64_t)m->count)
		return NULL;
	if (r->throttled)
		return "the throttle left calls out";
	if (r->partial || m->timing.present)
		return "not every call was recorded";
	return NULL;
}
