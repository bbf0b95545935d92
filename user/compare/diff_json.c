// SPDX-License-Identifier: BSD-2-Clause
#include "user/compare/diff.h"
#include "user/text/json.h"

#include <stdio.h>

#define PARTS 64

/* Keys of a quantile: its value and the ends of its confidence interval. */
static const char *const quantile_keys[RUN_QUANTILES][3] = {
	{"p50Ns", "p50LowNs", "p50HighNs"}, {"p90Ns", "p90LowNs", "p90HighNs"}, {"p99Ns", "p99LowNs", "p99HighNs"}};
static const char *const change_keys[RUN_QUANTILES] = {"p50", "p90", "p99"};

static void json_known(struct json *j, const char *key, bool known, int64_t value)
{
	if (known)
		json_signed(j, key, value);
	else
		json_null(j, key);
}

static void json_quantile(struct json *j, const struct run_method *m, int q)
{
	size_t n = m->count, low = 0, high = 0;
	bool interval = quantile_interval(n, run_quantiles[q], &low, &high);
	int64_t counted = m->timing.present ? m->timing.quantile[q] : INT64_MIN;

	json_known(j, quantile_keys[q][0], n || counted != INT64_MIN,
		   n ? m->sorted[quantile_index(n, run_quantiles[q])] : counted);
	json_known(j, quantile_keys[q][1], interval, interval ? m->sorted[low] : 0);
	json_known(j, quantile_keys[q][2], interval, interval ? m->sorted[high] : 0);
}

/* Means of all calls whose split is known. */
static void json_split(struct json *j, const struct run_split *s)
{
	json_known(j, "cpuNs", s->calls, s->calls ? s->cpu / s->calls : 0);
	json_known(j, "runQueueNs", s->calls, s->calls ? s->run_queue / s->calls : 0);
	json_known(j, "blockedNs", s->calls, s->calls ? s->blocked / s->calls : 0);
}

static void json_side(struct json *j, const char *key, const struct run *r, const struct run_method *m)
{
	if (!m) {
		json_null(j, key);
		return;
	}
	json_object(j, key);
	json_unsigned(j, "calls", m->count);
	json_unsigned(j, "thrown", m->thrown);
	for (int q = 0; q < RUN_QUANTILES; q++)
		json_quantile(j, m, q);
	json_split(j, &m->all);
	json_string(j, "incomplete", run_incomplete(r, m));
	json_end(j);
}

static void json_parts(struct json *j, const struct diff *d, const struct diff_method *m, int q)
{
	struct diff_part parts[PARTS];
	size_t count = diff_parts(d, m, q, parts, PARTS);

	json_array(j, "parts");
	for (size_t i = 0; i < count; i++) {
		json_object(j, NULL);
		json_string(j, "part", parts[i].blocked ? "blocked" : parts[i].name);
		json_string(j, "reason", parts[i].blocked ? parts[i].name : NULL);
		json_signed(j, "oldNs", parts[i].before);
		json_signed(j, "newNs", parts[i].after);
		json_end(j);
	}
	json_end(j);
}

static void json_change(struct json *j, const struct diff *d, const struct diff_method *m, int q)
{
	const struct quantile_change *c = &m->quantile[q];
	double low, high;

	if (!c->known) {
		json_null(j, change_keys[q]);
		return;
	}
	const struct sample a = run_sample(m->before), b = run_sample(m->after);

	quantile_change_interval(c, &a, &b, &low, &high);
	json_object(j, change_keys[q]);
	json_bool(j, "differs", m->differs[q]);
	json_real(j, "change", c->change);
	json_real(j, "low", low);
	json_real(j, "high", high);
	json_real(j, "p", c->p);
	json_parts(j, d, m, q);
	json_end(j);
}

static void json_recording(struct json *j, const char *key, const struct run *r)
{
	json_object(j, key);
	json_signed(j, "durationNs", r->last - r->first);
	json_bool(j, "lost", r->lost);
	json_bool(j, "partial", r->partial);
	json_bool(j, "throttled", r->throttled);
	json_end(j);
}

void diff_put_json(FILE *to, const struct diff *d)
{
	struct bytes sentence;
	struct json j;

	bytes_init(&sentence);
	diff_put_sentence(&sentence, d);
	json_init(&j, to);
	json_object(&j, NULL);
	json_bytes(&j, "verdict", (const char *)sentence.data, sentence.size ? sentence.size - 1 : 0);
	json_unsigned(&j, "differ", d->changed);
	json_recording(&j, "old", d->before);
	json_recording(&j, "new", d->after);
	json_array(&j, "methods");
	for (size_t i = 0; i < d->count; i++) {
		const struct diff_method *m = &d->method[i];

		json_object(&j, NULL);
		json_string(&j, "method", (m->before ?: m->after)->name);
		json_string(&j, "value", (m->before ?: m->after)->value);
		json_bool(&j, "differs", diff_method_differs(m));
		json_bool(&j, "thrownDiffers", m->thrown_differs);
		json_side(&j, "old", d->before, m->before);
		json_side(&j, "new", d->after, m->after);
		for (int q = 0; q < RUN_QUANTILES; q++)
			json_change(&j, d, m, q);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	bytes_release(&sentence);
}
