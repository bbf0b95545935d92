// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/json.h"
#include "user/show/json_method.h"
#include "user/text/wall_time.h"
#include "user/show/interval_table.h"

static void put_age(struct json *j, const char *key, bool known, uint64_t ns)
{
	if (known)
		json_unsigned(j, key, ns);
	else
		json_null(j, key);
}

static void interval_json_put_times(struct json *j, const struct interval_row *r)
{
	put_age(j, "averageNs", r->calls, r->average);
	put_age(j, "p50Ns", r->bucketed, r->p50);
	put_age(j, "p99Ns", r->bucketed, r->p99);
	put_age(j, "maxNs", r->calls, r->maximum);
	json_unsigned(j, "totalNs", r->total);
	put_age(j, "selfNs", r->self != INTERVAL_UNKNOWN, r->self);
	put_age(j, "outermostNs", r->outermost != INTERVAL_UNKNOWN, r->outermost);
}

static void interval_json_put_allocated(struct json *j, const struct interval *i, bool known, uint64_t bytes)
{
	if (i->allocated)
		put_age(j, "allocatedBytes", known, bytes);
}

static void put_since_start(struct json *j, const struct interval *i, const struct timing *t)
{
	uint64_t ns;
	bool known;

	json_object(j, "sinceStart");
	json_unsigned(j, "calls", t->count);
	json_unsigned(j, "thrown", t->thrown);
	put_age(j, "minNs", t->count, t->minimum);
	put_age(j, "maxNs", t->count, t->maximum);
	json_unsigned(j, "totalNs", t->total);
	known = timing_self(t, &ns);
	put_age(j, "selfNs", known, ns);
	known = timing_without_recursion(t, &ns);
	put_age(j, "outermostNs", known, ns);
	interval_json_put_allocated(j, i, !(t->unknown & FRT_UNKNOWN_ALLOCATED), t->allocated);
	json_end(j);
}

static void interval_json_put_split(struct json *j, const struct breakdown_sum *s)
{
	json_object(j, "where");
	json_unsigned(j, "calls", s->calls);
	json_unsigned(j, "totalNs", s->duration);
	json_unsigned(j, "cpuNs", breakdown_sum_cpu(s));
	json_unsigned(j, "runQueueNs", s->run_queue);
	json_unsigned(j, "blockedNs", s->blocked);
	json_unsigned(j, "worstWaitNs", s->worst);
	json_end(j);
}

static void interval_json_put_row(struct json *j, const struct interval *i, const struct interval_row *r,
				  const struct segment *s)
{
	const struct frt_method *m = segment_method(s, r->method);

	json_object(j, NULL);
	json_method(j, s, r->method);
	json_bool(j, "lowerBound", m && m->flags & FRT_METHOD_LOWER_BOUND);
	json_unsigned(j, "calls", r->calls);
	json_unsigned(j, "thrown", r->thrown);
	interval_json_put_times(j, r);
	interval_json_put_allocated(j, i, r->allocated != INTERVAL_UNKNOWN, r->allocated);
	json_unsigned(j, "open", r->open);
	put_age(j, "oldestOpenNs", r->open, r->oldest_age);
	put_since_start(j, i, &r->since_start);
	if (i->split)
		interval_json_put_split(j, &r->split);
	json_end(j);
}

void interval_json(FILE *to, const struct interval *i, const struct interval_table_setup *setup)
{
	uint32_t rows = setup->top && setup->top < i->rows ? setup->top : i->rows;
	char time[WALL_TIME_TEXT];
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	wall_time_iso(i->end + setup->realtime, time);
	json_string(&j, "time", time);
	json_signed(&j, "timeNs", i->end + setup->ticks_offset);
	json_signed(&j, "intervalNs", i->length);
	json_unsigned(&j, "calls", i->calls);
	json_unsigned(&j, "thrown", i->thrown);
	json_unsigned(&j, "lost", setup->lost);
	json_unsigned(&j, "open", i->open);
	put_age(&j, "oldestOpenNs", i->open && i->oldest_method, i->oldest_age);
	json_array(&j, "methods");
	for (uint32_t n = 0; n < rows; n++)
		interval_json_put_row(&j, i, &i->row[n], setup->segment);
	json_end(&j);
	json_unsigned(&j, "methodsNotShown", i->rows - rows);
	json_end(&j);
}
