// SPDX-License-Identifier: BSD-2-Clause
#include "user/show/metrics_values.h"
#include "user/show/call_values.h"
#include "user/show/metrics_series.h"
#include "user/text/prometheus.h"
#include "user/trace/user_values.h"

#include <stdlib.h>
#include <string.h>

#define GROUPS 8u

struct value_series {
	char *labels; /* NULL: none yet */
	char *value;
	uint64_t calls, total, bucket[METRICS_BUCKETS + 1]; /* each has those of its own bound only */
};

struct metrics_values {
	const char *common;
	struct value_group {
		struct value_series series[METRICS_VALUES + 1]; /* the last one is the rest's */
		size_t count;					/* without that */
	} group[GROUPS];
};

bool metrics_values_are_in(const struct event_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		for (const struct user_values_group *g = user_values_groups; g->event; g++)
			if (!strcmp(l->event[i].name, g->event))
				return true;
	return false;
}

struct metrics_values *metrics_values_new(const char *common)
{
	struct metrics_values *m = calloc(1, sizeof(*m));

	if (m)
		m->common = common;
	return m;
}

void metrics_values_free(struct metrics_values *m)
{
	if (!m)
		return;
	for (size_t g = 0; g < GROUPS; g++)
		for (size_t i = 0; i <= METRICS_VALUES; i++) {
			free(m->group[g].series[i].labels);
			free(m->group[g].series[i].value);
		}
	free(m);
}

/* NULL: no memory. */
static char *value_labels(const struct metrics_values *m, size_t group, const char *value)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fprintf(to, "%s,", m->common);
	prometheus_label(to, "event", user_values_groups[group].event);
	putc(',', to);
	prometheus_label(to, user_values_groups[group].by, value);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

/* NULL: its labels are no other's. Values differ that are written alike, with a tab or a line's end in them. */
static struct value_series *value_series_alike(struct value_group *g, const struct value_series *s)
{
	for (struct value_series *o = g->series; o <= &g->series[METRICS_VALUES]; o++)
		if (o != s && o->labels && !strcmp(o->labels, s->labels))
			return o;
	return NULL;
}

static struct value_series *value_series_of(struct metrics_values *m, size_t group, const char *value)
{
	struct value_group *g = &m->group[group];
	struct value_series *rest = &g->series[METRICS_VALUES], *s = g->series, *alike = NULL;

	while (s < g->series + g->count && strcmp(s->value, value))
		s++;
	if (s < g->series + g->count)
		return s;
	if (!rest->labels)
		rest->labels = value_labels(m, group, "(others)");
	if (g->count < METRICS_VALUES) {
		s->value = strdup(value);
		s->labels = value_labels(m, group, value);
		alike = s->labels ? value_series_alike(g, s) : NULL;
		if (s->value && s->labels && !alike) {
			g->count++;
			return s;
		}
		free(s->value);
		free(s->labels);
		*s = (struct value_series){.labels = NULL};
	}
	return alike ? alike : rest;
}

void metrics_values_count(struct metrics_values *m, size_t group, const char *value, int64_t duration)
{
	struct value_series *s = value_series_of(m, group, value);
	size_t i = 0;

	while (i < METRICS_BUCKETS && (uint64_t)duration > metrics_bounds[i])
		i++;
	s->bucket[i]++;
	s->calls++;
	s->total += duration;
}

struct value_call {
	struct metrics_values *m;
	int64_t duration;
};

static void metrics_values_on_value(void *context, const char *event, const char *name, enum plan_kind kind,
				    const struct jfr_user_value *v)
{
	const struct value_call *c = context;
	struct bytes text = {.size = 0};

	for (size_t g = 0; user_values_groups[g].event && g < GROUPS; g++) {
		if (strcmp(user_values_groups[g].event, event) || strcmp(user_values_groups[g].by, name) ||
		    call_value_is_missing(kind, v))
			continue;
		call_value_put(&text, kind, v);
		if (!text.failed)
			metrics_values_count(c->m, g, text.size ? bytes_text(&text) : "", c->duration);
		bytes_release(&text);
	}
}

void metrics_values_on_call(void *context, const struct recorded_call *call)
{
	struct value_call c = {context, call->duration};

	recorded_values(call, metrics_values_on_value, &c);
}

static void value_series_put(const struct value_series *s, FILE *to)
{
	static const char name[] = "frtrace_event_duration_seconds_bucket";
	uint64_t count = 0;
	char bound[64];

	for (size_t i = 0; i < METRICS_BUCKETS; i++) {
		snprintf(bound, sizeof(bound), "le=\"%g\"", metrics_bounds[i] / 1e9);
		count += s->bucket[i];
		prometheus_count(to, name, s->labels, bound, count);
	}
	count += s->bucket[METRICS_BUCKETS];
	prometheus_count(to, name, s->labels, "le=\"+Inf\"", count);
	prometheus_seconds(to, "frtrace_event_duration_seconds_sum", s->labels, "", s->total);
	prometheus_count(to, "frtrace_event_duration_seconds_count", s->labels, "", count);
}

void metrics_values_put(const struct metrics_values *m, FILE *to)
{
	prometheus_family(to, "frtrace_event_duration_seconds", "histogram",
			  "Durations of recorded requests and calls by URL, and of statements by text.");
	for (size_t g = 0; g < GROUPS; g++)
		for (size_t i = 0; i <= METRICS_VALUES; i++)
			if (m->group[g].series[i].calls)
				value_series_put(&m->group[g].series[i], to);
}
