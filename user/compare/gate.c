// SPDX-License-Identifier: BSD-2-Clause
#include "user/compare/gate.h"
#include "user/exit.h"
#include "user/text/log.h"
#include "user/text/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TIMING_ERROR 1.035 /* of the percentiles of jdk.MethodTiming, see docs/recording.md */

static const char *const result_names[] = {
	[GATE_PASSED] = "passed", [GATE_UNDECIDED] = "undecided", [GATE_FAILED] = "failed"};

/* What is known about a method. */
struct gate_value {
	bool known;
	double least, most; /* the value lies between them */
	const char *why;    /* it is not known */
};

static struct gate_value value_is(double value)
{
	return (struct gate_value){.known = true, .least = value, .most = value};
}

static struct gate_value value_unknown(const char *why)
{
	return (struct gate_value){.why = why};
}

/* True if jdk.MethodTiming has every call. */
static bool timing_is_complete(const struct run *r, const struct run_method *m)
{
	return m->timing.present && !r->lost && !r->throttled && !m->lower_bound;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double method_calls(const struct run_method *m)
{
	return larger(m->count, m->timing.present ? m->timing.invocations : 0);
}

/* Values that calls which are not known can only increase: at least this much. */
static double value_at_least(const struct condition *c, const struct run_method *m)
{
	double counted;

	switch (c->metric) {
	case METRIC_CALLS: return method_calls(m);
	case METRIC_THROWN: counted = m->timing.present ? m->timing.thrown : 0; return larger(m->thrown, counted);
	default: break;
	}
	counted = m->timing.present && m->timing.maximum != INT64_MIN ? m->timing.maximum : 0;
	return larger(m->count ? m->sorted[m->count - 1] : 0, counted);
}

static struct gate_value value_of_sum(const struct condition *c, const struct run *r, const struct run_method *m)
{
	struct gate_value v = value_is(value_at_least(c, m));
	const char *why = run_incomplete(r, m);

	if (why && !timing_is_complete(r, m)) {
		v.most = INFINITY;
		v.why = why;
	}
	return v;
}

static struct gate_value value_of_timing(const struct condition *c, const struct run_method *m)
{
	size_t low, high;

	if (c->metric == METRIC_AVERAGE && m->timing.average != INT64_MIN)
		return value_is(m->timing.average);
	for (int q = 0; q < RUN_QUANTILES; q++) {
		double value = m->timing.quantile[q];

		if (c->metric != METRIC_QUANTILE || c->quantile != run_quantiles[q] ||
		    m->timing.quantile[q] == INT64_MIN)
			continue;
		if (!quantile_interval(m->timing.invocations, c->quantile, &low, &high))
			return value_unknown("too few calls");
		return (struct gate_value){true, value / TIMING_ERROR, value * TIMING_ERROR,
					   "the limit is within the error of the counters"};
	}
	return value_unknown("the calls were counted, not recorded");
}

static struct gate_value value_of_split(const struct condition *c, const struct run_method *m)
{
	const struct run_split *s = &m->all;
	double sum = c->metric == METRIC_CPU ? s->cpu : c->metric == METRIC_RUN_QUEUE ? s->run_queue : s->blocked;

	if (s->calls < m->count)
		return value_unknown("where the time went is not known of all calls");
	return value_is(sum / m->count);
}

static struct gate_value value_of_quantile(const struct condition *c, const struct run_method *m)
{
	size_t low, high;

	if (!quantile_interval(m->count, c->quantile, &low, &high))
		return value_unknown("too few calls");
	return value_is(m->sorted[quantile_index(m->count, c->quantile)]);
}

static struct gate_value value_of(const struct condition *c, const struct run *r, const struct run_method *m)
{
	const char *why = run_incomplete(r, m);

	if (c->metric == METRIC_CALLS || (c->metric <= METRIC_MAXIMUM && method_calls(m)))
		return value_of_sum(c, r, m);
	if (!method_calls(m))
		return value_unknown("no calls");
	if (why && timing_is_complete(r, m))
		return value_of_timing(c, m);
	if (why)
		return value_unknown(why);
	if (c->metric == METRIC_QUANTILE)
		return value_of_quantile(c, m);
	return c->metric == METRIC_AVERAGE ? value_is(m->total / m->count) : value_of_split(c, m);
}

/* The condition must hold, or not hold, for all values between the ends; it is monotonic but for "=". */
static enum gate_result gate_decide(const struct condition *c, const struct gate_value *v)
{
	bool least, most;

	if (!v->known)
		return GATE_UNDECIDED;
	least = condition_holds(c, v->least);
	most = condition_holds(c, v->most);
	if (c->operator== OPERATOR_EQUAL && v->least<v->most)
		return v->least > c->limit || v->most < c->limit ? GATE_PASSED : GATE_UNDECIDED;
	return least != most ? GATE_UNDECIDED : least ? GATE_FAILED : GATE_PASSED;
}

static void gate_put(struct bytes *out, enum gate_result result, const struct condition *c, const char *method,
		     const char *what)
{
	bytes_printf(out, "%s: %s: %s%s\n", result_names[result], c->text, method, what);
}

static const char *value_text(const struct condition *c, double value)
{
	return c->metric <= METRIC_THROWN ? log_count(value) : log_time(value);
}

static enum gate_result gate_judge_value(const struct condition *c, const struct run *r, const struct run_method *m,
					 struct bytes *out)
{
	struct gate_value v = value_of(c, r, m);
	enum gate_result result = gate_decide(c, &v);
	char name[16], what[256];
	int length = 0;

	condition_metric_name(c, name, sizeof(name));
	what[0] = 0;
	if (v.known)
		length = snprintf(what, sizeof(what), ": %s %s%s", name, isinf(v.most) ? "at least " : "",
				  value_text(c, isinf(v.most)	    ? v.least
						: v.least == v.most ? v.least
								    : v.most / TIMING_ERROR));
	if (c->metric != METRIC_CALLS)
		length += snprintf(what + length, sizeof(what) - length, "%s %s calls", v.known ? " in" : ":",
				   log_count(method_calls(m)));
	if (result == GATE_UNDECIDED && v.why)
		snprintf(what + length, sizeof(what) - length, ", %s", v.why);
	gate_put(out, result, c, m->name, what);
	return result;
}

static const struct run_method *run_find(const struct run *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->method[i].name, name) == 0)
			return &r->method[i];
	return NULL;
}

static enum gate_result gate_judge_change(const struct condition *c, const struct run *before, const struct run *after,
					  const struct run_method *m, struct bytes *out)
{
	const struct run_method *old = run_find(before, m->name);
	const char *why = run_incomplete(after, m);
	enum gate_result result = GATE_UNDECIDED;
	struct quantile_change change = {0};
	char what[256];
	double low, high;

	if (!old || !old->count || !m->count)
		why = why ?: "no calls in one of the recordings";
	else
		why = why ?: run_incomplete(before, old);
	if (!why) {
		const struct sample a = run_sample(old), b = run_sample(m);

		change = quantile_compare(&a, &b, c->quantile);
		why = change.known ? NULL : "too few calls";
		if (change.known)
			quantile_change_interval(&change, &a, &b, &low, &high);
	}
	if (why) {
		snprintf(what, sizeof(what), ": %s", why);
	} else {
		result = low > c->limit ? GATE_FAILED : high <= c->limit ? GATE_PASSED : GATE_UNDECIDED;
		snprintf(what, sizeof(what), ": %+.1f %%, between %+.1f and %+.1f %% (%s, %s)", 100 * change.change,
			 100 * low, 100 * high, log_time(change.before), log_time(change.after));
	}
	gate_put(out, result, c, m->name, what);
	return result;
}

enum gate_result gate_judge(const struct condition *c, const struct run *before, const struct run *after,
			    struct bytes *out)
{
	enum gate_result worst = GATE_PASSED, result;
	size_t methods = 0;

	for (size_t i = 0; i < after->count; i++) {
		const struct run_method *m = &after->method[i];

		if (!m->count && !m->timing.present)
			continue;
		methods++;
		result = c->relative ? gate_judge_change(c, before, after, m, out) : gate_judge_value(c, after, m, out);
		worst = result > worst ? result : worst;
	}
	if (methods)
		return worst;
	gate_put(out, GATE_UNDECIDED, c, "", "no such method in the recording, or no calls of it");
	return GATE_UNDECIDED;
}

static int gate_read(const struct condition *c, const struct jfr_file *file, struct run *run, struct diag *d)
{
	const struct call_filter_options options = {.methods = c->filters};
	struct call_filter filter = {0};
	struct jfr_file again;
	int err = call_filter_init(&filter, &options, d);

	if (!err) {
		jfr_file_again(&again, file);
		run_read(run, &again, &filter);
		jfr_file_release(&again);
	}
	call_filter_release(&filter);
	return err;
}

/* Print the lines of a judgement: with -q only what has not passed. */
static void gate_print(const char *line)
{
	for (const char *end; (end = strchr(line, '\n')); line = end + 1) {
		if (strncmp(line, result_names[GATE_PASSED], strlen(result_names[GATE_PASSED])) == 0)
			log_line("%.*s", (int)(end - line), line);
		else
			log_error("%.*s", (int)(end - line), line);
	}
}

static int gate_judge_files(const struct condition *c, const struct jfr_file *before, const struct jfr_file *after,
			    enum gate_result *result, struct diag *d)
{
	struct run runs[2] = {0};
	struct bytes lines;
	int err = gate_read(c, after, &runs[1], d);

	bytes_init(&lines);
	if (!err && before)
		err = gate_read(c, before, &runs[0], d);
	if (!err)
		*result = gate_judge(c, before ? &runs[0] : NULL, &runs[1], &lines);
	if (!err)
		gate_print(memory_text(&lines));
	bytes_release(&lines);
	run_release(&runs[0]);
	run_release(&runs[1]);
	return err;
}

static int gate_status(enum gate_result worst, int status)
{
	return worst == GATE_FAILED ? EXIT_VIOLATED : worst == GATE_UNDECIDED ? EXIT_UNDECIDED : status;
}

int gate_run(const struct condition_list *l, const struct jfr_file *before, const struct jfr_file *after, int status,
	     struct diag *d)
{
	enum gate_result worst = GATE_PASSED, result = GATE_PASSED;
	int err = 0;

	for (size_t i = 0; i < l->count && !err; i++) {
		err = gate_judge_files(&l->condition[i], before, after, &result, d);
		worst = result > worst ? result : worst;
	}
	return err ?: gate_status(worst, status);
}

int gate_run_path(const struct condition_list *l, const char *path, int status, struct diag *d)
{
	struct jfr_files files = {0};
	int err;

	err = path ? jfr_files_open(&files, &path, 1, "cannot read", d) : diag_set(d, ENOENT, "there is no recording");
	if (!err)
		err = gate_run(l, NULL, files.file, status, d);
	jfr_files_close(&files);
	if (err >= 0)
		return err;
	log_error("undecided: %s", d->text);
	return EXIT_UNDECIDED;
}
