// SPDX-License-Identifier: BSD-2-Clause
#include "user/show/metrics_series.h"
#include "user/segment/segment_names.h"
#include "filters/java_type.h"
#include "user/text/prometheus.h"

#include <stdlib.h>
#include <string.h>

const uint64_t metrics_bounds[METRICS_BUCKETS] = {
	1000,	  3000,	    10000,     30000,	  100000,     300000,	  1000000,     3000000,
	10000000, 30000000, 100000000, 300000000, 1000000000, 3000000000, 10000000000,
};

struct metrics_table {
	const struct segment *segment;
	const struct clock *clock;
	const struct breakdown_sums *splits;
	const char *common;
	uint64_t bound[METRICS_BUCKETS]; /* in ticks, the same all the time */
	struct timings timings;
	uint8_t of[FRT_MAX_METHODS]; /* number of the method's series + 1; 0: none yet */
	size_t count;
	struct metrics_series series[METRICS_SERIES + 1]; /* the last one is the rest's */
	struct metrics_sums now[METRICS_SERIES + 1];
};

struct metrics_table *metrics_table_new(const struct segment *s, const struct clock *c,
					const struct breakdown_sums *splits, const char *common)
{
	struct metrics_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->segment = s;
	t->clock = c;
	t->splits = splits;
	t->common = common;
	for (size_t i = 0; i < METRICS_BUCKETS; i++)
		t->bound[i] = clock_ticks_of_ns(c, metrics_bounds[i]);
	return t;
}

void metrics_table_free(struct metrics_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		free(t->series[i].labels);
	timings_release(&t->timings);
	free(t);
}

/* NULL: no memory. `method` 0: the rest. */
static char *metrics_labels(const struct metrics_table *t, uint32_t method)
{
	struct segment_method_text m = {.class_name = "(others)", .name = "(others)"};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	if (method && segment_method_text(t->segment, method, &m))
		java_name_dots(m.class_name);
	fprintf(to, "%s,", t->common);
	prometheus_label(to, "class", m.class_name);
	putc(',', to);
	prometheus_label(to, "method", m.name);
	putc(',', to);
	prometheus_label(to, "descriptor", m.descriptor);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

/* Number of the series with these labels, which is made if there is room. */
static size_t metrics_find(struct metrics_table *t, char *labels)
{
	size_t i = 0;

	while (i < t->count && strcmp(t->series[i].labels, labels) != 0)
		i++;
	if (i == t->count)
		t->series[t->count++].labels = labels;
	else
		free(labels);
	return i;
}

static void metrics_assign(struct metrics_table *t, uint32_t method)
{
	bool others = t->count >= METRICS_SERIES;
	char *labels = metrics_labels(t, others ? 0 : method);

	if (labels)
		t->of[method] = metrics_find(t, labels) + 1;
}

static int metrics_busier(const void *a, const void *b, void *timings)
{
	const struct timing *of = timings, *x = &of[*(const uint32_t *)a], *y = &of[*(const uint32_t *)b];

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* Give a series to each method that has none and was called. */
static void metrics_assign_all(struct metrics_table *t)
{
	uint32_t *fresh = malloc(FRT_MAX_METHODS * sizeof(*fresh)), count = 0;

	timings_read(&t->timings, t->segment);
	for (uint32_t id = 1; fresh && segment_method(t->segment, id); id++)
		if (t->timings.of[id].count && !t->of[id])
			fresh[count++] = id;
	if (count)
		qsort_r(fresh, count, sizeof(*fresh), metrics_busier, t->timings.of);
	for (uint32_t i = 0; i < count; i++)
		metrics_assign(t, fresh[i]);
	free(fresh);
}

static void metrics_add_split(struct metrics_table *t, uint32_t method, struct metrics_sums *to)
{
	const struct breakdown_sum *split = breakdown_sums_of(t->splits, method);
	const uint64_t *blocked_on = breakdown_sums_blocked_on(t->splits, method);

	to->split_calls += split->calls;
	to->split += split->duration;
	to->cpu += breakdown_sum_cpu(split);
	to->run_queue += split->run_queue;
	for (size_t i = 0; i < FRT_WAIT_REASONS; i++)
		to->blocked_on[i] += blocked_on[i];
}

/* Sum up everything since the start. The histograms come before the cells: timing_count_histogram(). */
static void metrics_read(struct metrics_table *t)
{
	memset(t->now, 0, sizeof(t->now));
	for (uint32_t id = 1; segment_method(t->segment, id); id++)
		if (t->of[id])
			timing_count_histogram(t->segment, id, t->bound, METRICS_BUCKETS, t->now[t->of[id] - 1].bucket);
	timings_read(&t->timings, t->segment);
	for (uint32_t id = 1; segment_method(t->segment, id); id++) {
		const struct timing *timing = &t->timings.of[id];
		struct metrics_sums *to = &t->now[t->of[id] - 1];

		if (!t->of[id])
			continue;
		to->calls += timing->count;
		to->thrown += timing->thrown;
		to->total += clock_ns_of_ticks(t->clock, timing->total);
		to->allocated += timing->allocated;
		to->unallocated += (timing->unknown & FRT_UNKNOWN_ALLOCATED) > 0;
		timing_count_recent(&t->timings, id, t->bound, METRICS_BUCKETS, to->bucket);
		if (t->splits)
			metrics_add_split(t, id, to);
	}
	for (size_t s = 0; s < t->count; s++)
		for (size_t i = 0; i < METRICS_BUCKETS; i++)
			t->now[s].bucket[i + 1] += t->now[s].bucket[i];
}

/* Both consist of uint64_t only. */
static void metrics_raise(struct metrics_sums *shown, const struct metrics_sums *now)
{
	uint64_t *to = (uint64_t *)shown;
	const uint64_t *from = (const uint64_t *)now;

	for (size_t i = 0; i < sizeof(*shown) / sizeof(*to); i++)
		if (from[i] > to[i])
			to[i] = from[i];
}

void metrics_table_update(struct metrics_table *t)
{
	metrics_assign_all(t);
	metrics_read(t);
	for (size_t i = 0; i < t->count; i++)
		metrics_raise(&t->series[i].sums, &t->now[i]);
}

const struct metrics_series *metrics_table_row(const struct metrics_table *t, size_t i)
{
	return i < t->count ? &t->series[i] : NULL;
}
