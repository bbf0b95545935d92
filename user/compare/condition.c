// SPDX-License-Identifier: BSD-2-Clause
#include "user/compare/condition.h"
#include "format/vec.h"
#include "user/options/settings.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXAMPLE "as in --fail-if='Cart::pay p99>50ms'"
#define LONGEST 4096

static const struct {
	const char *name;
	enum condition_metric metric;
} condition_metrics[] = {
	{"calls", METRIC_CALLS}, {"thrown", METRIC_THROWN},  {"max", METRIC_MAXIMUM},	  {"avg", METRIC_AVERAGE},
	{"cpu", METRIC_CPU},	 {"runq", METRIC_RUN_QUEUE}, {"blocked", METRIC_BLOCKED},
};

void condition_list_release(struct condition_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		filter_list_free(l->condition[i].filters);
	free(l->condition);
	*l = (struct condition_list){0};
}

/* The parts of a text that is cut into them. */
struct condition_parts {
	char *filter, *metric, *operator, * limit;
};

static void trim_end(char *begin, char *end)
{
	while (end > begin && isspace((unsigned char)end[-1]))
		*--end = 0;
}

/*
 * A filter may have blanks and '<' in it, so the parts are found from the end: the limit has no operator in it, and the
 * metric no blank.
 */
static bool condition_cut(char *text, char operator[3], struct condition_parts *p)
{
	char *end = text + strlen(text), *at, *metric;

	trim_end(text, end);
	for (at = text + strlen(text); at > text && !strchr("<>=", at[-1]);)
		at--;
	if (at == text)
		return false;
	p->limit = at + strspn(at, " \t");
	at--;
	if (*at == '=' && at > text && strchr("<>", at[-1]))
		at--;
	snprintf(operator, 3, "%.*s", (int)strspn(at, "<>="), at);
	*at = 0;
	trim_end(text, at);
	metric = text + strlen(text);
	while (metric > text && !isspace((unsigned char)metric[-1]))
		metric--;
	p->metric = metric;
	if (metric == text || !*metric || !*p->limit)
		return false;
	metric[-1] = 0;
	trim_end(text, metric - 1);
	p->filter = text;
	return *text;
}

/* "p50", "p99", "p999" or "p99.9". */
static bool parse_quantile(const char *text, double *quantile)
{
	const char *digits = text + 1;
	double scale = 1;
	uint64_t value = 0;
	size_t count = 0;

	if (text[0] != 'p' || strlen(digits) > 7)
		return false;
	for (; *digits; digits++) {
		if (*digits == '.' && count == 2)
			continue;
		if (!isdigit((unsigned char)*digits))
			return false;
		value = 10 * value + (*digits - '0');
		scale *= 10;
		count++;
	}
	*quantile = count < 2 ? value / 100.0 : value / scale;
	return count && value;
}

static int condition_take_metric(struct condition *c, const char *text, struct diag *d)
{
	for (size_t i = 0; i < sizeof(condition_metrics) / sizeof(condition_metrics[0]); i++) {
		if (strcmp(text, condition_metrics[i].name) == 0) {
			c->metric = condition_metrics[i].metric;
			return 0;
		}
	}
	c->metric = METRIC_QUANTILE;
	if (parse_quantile(text, &c->quantile))
		return 0;
	return diag_usage(d,
			  "wrong --fail-if '%s': '%s' is none of calls, thrown, p50, p99 and other percentiles, max, "
			  "avg, cpu, runq and blocked",
			  c->text, text);
}

static int condition_take_operator(struct condition *c, const char *text)
{
	static const char *const names[] = {[OPERATOR_ABOVE] = ">",
					    [OPERATOR_AT_LEAST] = ">=",
					    [OPERATOR_BELOW] = "<",
					    [OPERATOR_AT_MOST] = "<=",
					    [OPERATOR_EQUAL] = "="};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			c->operator= i;
			return 0;
		}
	}
	return -EINVAL;
}

/* "+10%": at least that much more. */
static int condition_take_change(struct condition *c, const char *text, struct diag *d)
{
	char *end;

	c->relative = true;
	c->limit = strtod(text, &end) / 100;
	if (end == text || strcmp(end + strspn(end, " "), "%") != 0 || !isfinite(c->limit) || c->limit <= -1)
		return diag_usage(d, "wrong --fail-if '%s': '%s' is no change, as in +10%%", c->text, text);
	if (c->metric != METRIC_QUANTILE || c->operator!= OPERATOR_ABOVE)
		return diag_usage(d, "wrong --fail-if '%s': a change in per cent is for percentiles, as in p99>+10%%",
				  c->text);
	return 0;
}

static int condition_take_limit(struct condition *c, const char *text, struct diag *d)
{
	struct diag why;
	uint64_t value;
	int err;

	if (text[0] == '+' || text[0] == '-' || strchr(text, '%'))
		return condition_take_change(c, text, d);
	if (c->metric == METRIC_CALLS || c->metric == METRIC_THROWN)
		err = settings_parse_count("--fail-if", text, &value, &why);
	else
		err = settings_parse_time("--fail-if", text, &value, &why);
	if (err)
		return diag_usage(d, "wrong --fail-if '%s': '%s' is no %s", c->text, text,
				  c->metric <= METRIC_THROWN ? "number" : "time, as in 50ms");
	c->limit = value;
	return 0;
}

static int condition_take_filter(struct condition *c, const char *text, struct diag *d)
{
	int err;

	c->filters = filter_list_new();
	if (!c->filters)
		return diag_set(d, ENOMEM, "no memory for --fail-if");
	err = filter_list_add(c->filters, text, FILTER_TRACE, d);
	if (!err && filter_list_threshold(c->filters, 0) != 0)
		return diag_usage(d, "wrong --fail-if '%s': a filter has no threshold here, and is no exclusion",
				  c->text);
	return err;
}

static int condition_parse(struct condition *c, char *text, struct diag *d)
{
	struct condition_parts p;
	char operator[3];
	int err;

	if (!condition_cut(text, operator, & p) || condition_take_operator(c, operator))
		return diag_usage(d, "wrong --fail-if '%s': it has to be a filter, a metric and a limit, " EXAMPLE,
				  c->text);
	err = condition_take_metric(c, p.metric, d);
	if (!err)
		err = condition_take_limit(c, p.limit, d);
	return err ?: condition_take_filter(c, p.filter, d);
}

int condition_add(struct condition_list *l, const char *text, struct diag *d)
{
	char *copy = strlen(text) < LONGEST ? strdup(text) : NULL;
	struct condition c = {.text = text};
	int err;

	if (!copy || vec_reserve(&l->condition, &l->capacity, l->count + 1)) {
		free(copy);
		return diag_set(d, ENOMEM, "no memory for --fail-if");
	}
	err = condition_parse(&c, copy, d);
	free(copy);
	if (err)
		filter_list_free(c.filters);
	else
		l->condition[l->count++] = c;
	return err;
}

int condition_list_check_absolute(const struct condition_list *l, struct diag *d)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->condition[i].relative)
			return diag_usage(
				d, "wrong --fail-if '%s': a change is for 'frtrace diff', which has two recordings",
				l->condition[i].text);
	return 0;
}

bool condition_holds(const struct condition *c, double value)
{
	switch (c->operator) {
	case OPERATOR_ABOVE: return value > c->limit;
	case OPERATOR_AT_LEAST: return value >= c->limit;
	case OPERATOR_BELOW: return value < c->limit;
	case OPERATOR_AT_MOST: return value <= c->limit;
	case OPERATOR_EQUAL: break;
	}
	return value == c->limit;
}

void condition_metric_name(const struct condition *c, char *out, size_t size)
{
	for (size_t i = 0; i < sizeof(condition_metrics) / sizeof(condition_metrics[0]); i++)
		if (condition_metrics[i].metric == c->metric)
			snprintf(out, size, "%s", condition_metrics[i].name);
	if (c->metric == METRIC_QUANTILE)
		snprintf(out, size, "p%g", 100 * c->quantile);
}
