// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/dump_trigger.h"
#include "user/capture/open_calls.h"
#include "user/process/tsc.h"
#include "user/segment/segment_names.h"
#include "user/text/log.h"

#include <stdlib.h>

#define LOOK_NS 1000000000LL /* between two looks at the open calls */
#define KNOWN	0x80000000u  /* of `conditions`: it has been found out */

struct dump_trigger {
	const struct condition_list *conditions;
	const struct segment *segment;
	struct clock *clock;
	struct stream_sink next;
	uint32_t wanted[FRT_MAX_METHODS]; /* by method: a bit for each condition that selects it, and KNOWN */
	uint64_t limit[CONDITION_DUMPS];  /* TSC ticks */
	uint64_t newest[CONDITION_DUMPS]; /* start (TSC) of the last open call that was reported */
	bool fulfilled;			  /* one is, since the last dump */
	struct bytes cause;		  /* of the last one */
	bool looks;			  /* some condition is about open calls */
	int64_t look, earliest;		  /* the next look at them, and the next dump */
	unsigned int dumps;
};

struct dump_trigger *dump_trigger_new(const struct condition_list *conditions, const struct segment *s,
				      struct clock *clock)
{
	struct dump_trigger *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->conditions = conditions;
	t->segment = s;
	t->clock = clock;
	for (size_t i = 0; i < conditions->count; i++) {
		t->limit[i] = clock_ticks_of_ns(clock, conditions->condition[i].limit);
		t->looks |= conditions->condition[i].metric == METRIC_OPEN;
	}
	return t;
}

void dump_trigger_free(struct dump_trigger *t)
{
	if (!t)
		return;
	bytes_release(&t->cause);
	free(t);
}

/* Which conditions select the method? A class that is not in the tables yet is asked for again. */
static uint32_t find_wanted(const struct dump_trigger *t, uint32_t id)
{
	struct segment_method_text m;
	uint32_t wanted = KNOWN;

	if (!segment_method_text(t->segment, id, &m))
		return 0;
	for (size_t i = 0; i < t->conditions->count; i++)
		if (matcher_selects(&t->conditions->condition[i].methods, slice_of(m.class_name), slice_of(m.name),
				    slice_of(m.descriptor)))
			wanted |= 1u << i;
	return wanted;
}

static uint32_t wanted_by(struct dump_trigger *t, uint32_t method)
{
	uint32_t *wanted = &t->wanted[method % FRT_MAX_METHODS];

	if (!*wanted)
		*wanted = find_wanted(t, method);
	return *wanted & ~KNOWN;
}

/* The first cause is the one that is named. */
static void trigger_note(struct dump_trigger *t, size_t i, uint32_t method, uint64_t ticks)
{
	static const char *const done[] = {
		[METRIC_MAXIMUM] = "took", [METRIC_THROWN] = "threw after", [METRIC_OPEN] = "is open for"};
	const struct condition *c = &t->conditions->condition[i];

	if (t->fulfilled)
		return;
	t->fulfilled = true;
	bytes_clear(&t->cause);
	bytes_printf(&t->cause, "%s: ", c->text);
	segment_put_method(&t->cause, t->segment, method);
	bytes_printf(&t->cause, " %s %s", done[c->metric], log_time(clock_ns_of_ticks(t->clock, ticks)));
}

static void watch_span(struct dump_trigger *t, const struct frt_span *s)
{
	uint32_t wanted = wanted_by(t, s->method);

	for (size_t i = 0; wanted && i < t->conditions->count; i++) {
		enum condition_metric metric = t->conditions->condition[i].metric;

		if (wanted >> i & 1 && ((metric == METRIC_MAXIMUM && s->duration > t->limit[i]) ||
					(metric == METRIC_THROWN && s->flags & FRT_SPAN_THROWN)))
			trigger_note(t, i, s->method, s->duration);
	}
}

static void trigger_on_spans(void *context, const struct frt_span *s, size_t n, const struct stream_vthread *v)
{
	struct dump_trigger *t = context;

	t->next.spans(t->next.context, s, n, v);
	for (size_t i = 0; i < stream_spans(s, n) && !t->fulfilled && !(s->flags & FRT_SPAN_TASK); i++)
		watch_span(t, &s[i]);
}

static void trigger_on_cover(void *context, uint64_t tsc)
{
	struct dump_trigger *t = context;

	t->next.cover(t->next.context, tsc);
}

struct stream_sink dump_trigger_sink(struct dump_trigger *t, const struct stream_sink *next)
{
	t->next = *next;
	return (struct stream_sink){.spans = trigger_on_spans, .cover = trigger_on_cover, .context = t};
}

/* Calls pass a limit in the order in which they began: each is reported once. */
static void watch_open(void *context, const struct open_call *call)
{
	struct dump_trigger *t = context;
	uint64_t age = tsc_now() - call->start;
	uint32_t wanted = wanted_by(t, call->method);

	for (size_t i = 0; wanted && i < t->conditions->count; i++) {
		if (!(wanted >> i & 1) || t->conditions->condition[i].metric != METRIC_OPEN)
			continue;
		if ((int64_t)age < 0 || age <= t->limit[i] || call->start <= t->newest[i])
			continue;
		trigger_note(t, i, call->method, age);
		t->newest[i] = call->start;
	}
}

const char *dump_trigger_due(struct dump_trigger *t, int64_t now)
{
	if (now < t->earliest || t->dumps == DUMP_TRIGGER_MOST)
		return NULL;
	if (t->looks && now >= t->look) {
		open_calls_each(t->segment, NULL, watch_open, t);
		t->look = now + LOOK_NS;
	}
	if (!t->fulfilled)
		return NULL;
	t->fulfilled = false;
	t->dumps++;
	t->earliest = now + DUMP_TRIGGER_PAUSE;
	return bytes_text(&t->cause);
}
