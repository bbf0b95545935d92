// SPDX-License-Identifier: BSD-2-Clause
#include "filters/condition.h"
#include "filters/number.h"
#include "format/vec.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const metric_names[METRIC_QUANTILE] = {
	[METRIC_CALLS] = "calls", [METRIC_THROWN] = "thrown",  [METRIC_MAXIMUM] = "max",     [METRIC_AVERAGE] = "avg",
	[METRIC_CPU] = "cpu",	  [METRIC_RUN_QUEUE] = "runq", [METRIC_BLOCKED] = "blocked", [METRIC_OPEN] = "open",
};

/* What the options say of themselves. */
static const struct {
	const char *name, *wanted, *metrics, *example;
} uses[] = {
	[CONDITION_FAIL_IF] = {"--fail-if", "a filter, a metric and a limit",
			       "calls, thrown, p50, p99 and other percentiles, max, avg, cpu, runq and blocked",
			       "as in --fail-if='Cart::pay p99>50ms'"},
	[CONDITION_DUMP_WHEN] = {"--dump-when", "a filter and a limit", ">TIME, thrown and open>TIME",
				 "as in --dump-when='Cart::pay >1s', 'Cart::pay thrown' or 'Cart::pay open>10s'"},
};

static void condition_release(struct condition *c)
{
	filter_list_free(c->filters);
	free(c->program);
}

void condition_list_release(struct condition_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		condition_release(&l->condition[i]);
	free(l->condition);
	*l = (struct condition_list){0};
}

/* The parts of a text that is cut into them. */
struct condition_parts {
	const char *filter, *metric, *limit;
	char sign[3];
};

static void trim_end(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = 0;
}

static char *last_word(char *text)
{
	char *word = text + strlen(text);

	while (word > text && !isspace((unsigned char)word[-1]))
		word--;
	return word;
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

static bool parse_metric(struct condition *c, const char *word)
{
	for (c->metric = 0; c->metric < METRIC_QUANTILE; c->metric++)
		if (strcmp(word, metric_names[c->metric]) == 0)
			return true;
	return parse_quantile(word, &c->quantile);
}

/*
 * A filter may have blanks and '<' in it, so the parts are found from the end: the limit has no operator in it, and the
 * metric, which may be missing behind a blank, is one word. False if there is no limit.
 */
static bool condition_cut(struct condition *c, char *text, struct condition_parts *p)
{
	char *at, *word;
	bool apart;

	trim_end(text);
	word = last_word(text);
	*p = (struct condition_parts){.filter = text, .metric = metric_names[METRIC_THROWN], .sign = ">", .limit = "0"};
	if (word > text && strcmp(word, p->metric) == 0) {
		word[-1] = 0;
		return true;
	}
	for (at = text + strlen(text); at > text && !strchr("<>=", at[-1]);)
		at--;
	if (at == text)
		return false;
	p->limit = at + strspn(at, " \t");
	at--;
	if (*at == '=' && at > text && strchr("<>", at[-1]))
		at--;
	snprintf(p->sign, sizeof(p->sign), "%.*s", (int)strspn(at, "<>="), at);
	*at = 0;
	apart = at > text && isspace((unsigned char)at[-1]);
	trim_end(text);
	p->metric = word = last_word(text);
	if (apart && !parse_metric(c, word))
		p->metric = metric_names[METRIC_MAXIMUM];
	else if (word > text)
		word[-1] = 0;
	else
		return false;
	return true;
}

/* Single calls are watched for --dump-when, and recordings are judged, which have no open calls, for --fail-if. */
static bool metric_fits(const struct condition *c, enum condition_use use)
{
	if (use == CONDITION_FAIL_IF)
		return c->metric != METRIC_OPEN;
	return c->operator== OPERATOR_ABOVE &&(c->metric == METRIC_MAXIMUM || c->metric == METRIC_THROWN ||
					       c->metric == METRIC_OPEN);
}

static bool parse_operator(struct condition *c, const char *text)
{
	static const char *const names[] = {[OPERATOR_ABOVE] = ">",
					    [OPERATOR_AT_LEAST] = ">=",
					    [OPERATOR_BELOW] = "<",
					    [OPERATOR_AT_MOST] = "<=",
					    [OPERATOR_EQUAL] = "="};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			c->operator= i;
			return true;
		}
	}
	return false;
}

/* "+10%": at least that much more. */
static int condition_take_change(struct condition *c, const char *option, const char *text, struct diag *d)
{
	char *end;

	c->relative = true;
	c->limit = strtod(text, &end) / 100;
	if (end == text || strcmp(end + strspn(end, " "), "%") != 0 || !isfinite(c->limit) || c->limit <= -1)
		return diag_usage(d, "wrong %s '%s': '%s' is no change, as in +10%%", option, c->text, text);
	if (c->metric != METRIC_QUANTILE || c->operator!= OPERATOR_ABOVE)
		return diag_usage(d, "wrong %s '%s': a change in per cent is for percentiles, as in p99>+10%%", option,
				  c->text);
	return 0;
}

static int condition_take_limit(struct condition *c, const char *option, const char *text, struct diag *d)
{
	bool count = c->metric == METRIC_CALLS || c->metric == METRIC_THROWN;
	uint64_t value;

	if (text[0] == '+' || text[0] == '-' || strchr(text, '%'))
		return condition_take_change(c, option, text, d);
	if (number_parse(text, strlen(text), count ? no_units : time_units, &value) != NUMBER_OK)
		return diag_usage(d, "wrong %s '%s': '%s' is no %s", option, c->text, text,
				  count ? "number" : "time, as in 50ms");
	c->limit = value;
	return 0;
}

static int condition_take_filter(struct condition *c, const char *option, const char *text, struct diag *d)
{
	size_t size;
	int err;

	c->filters = filter_list_new();
	if (!c->filters)
		return diag_set(d, ENOMEM, "no memory for %s", option);
	err = filter_list_add(c->filters, text, FILTER_TRACE, d);
	if (!err && !filter_list_count(c->filters, FILTER_TRACE))
		err = diag_usage(d, "wrong %s '%s': the filter selects nothing", option, c->text);
	if (!err && filter_list_threshold(c->filters, 0))
		err = diag_usage(d, "wrong %s '%s': a filter has no threshold here, the limit stands behind '>'",
				 option, c->text);
	err = err ?: filter_list_compile(c->filters, &c->program, &size, d);
	if (err)
		return err;
	c->methods = (struct matcher){c->program, size};
	if (matcher_has_supertypes(&c->methods) || matcher_has_annotations(&c->methods))
		return diag_usage(d, "wrong %s '%s': '+' and '@' do not work here, name classes", option, c->text);
	return 0;
}

int condition_list_rename(struct condition_list *l, const struct mapping *m, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->count; i++) {
		struct condition *c = &l->condition[i];

		err = mapping_rename_filters(m, c->filters, d);
		free(c->program);
		c->program = NULL;
		err = err ?: filter_list_compile(c->filters, &c->program, &c->methods.size, d);
		c->methods.program = c->program;
	}
	return err;
}

static int condition_parse(struct condition *c, enum condition_use use, char *text, struct diag *d)
{
	const char *option = uses[use].name;
	struct condition_parts p;
	int err;

	if (!condition_cut(c, text, &p) || !parse_operator(c, p.sign))
		return diag_usage(d, "wrong %s '%s': it has to be %s, %s", option, c->text, uses[use].wanted,
				  uses[use].example);
	if (!parse_metric(c, p.metric) || !metric_fits(c, use))
		return diag_usage(d, "wrong %s '%s': '%s' is none of %s, %s", option, c->text, p.metric,
				  uses[use].metrics, uses[use].example);
	err = condition_take_limit(c, option, p.limit, d);
	if (!err && use == CONDITION_DUMP_WHEN && c->metric == METRIC_THROWN && c->limit > 0)
		err = diag_usage(d, "wrong %s '%s': each call throws once, write 'thrown'", option, c->text);
	return err ?: condition_take_filter(c, option, p.filter, d);
}

int condition_add(struct condition_list *l, enum condition_use use, const char *text, struct diag *d)
{
	struct condition c = {.text = text};
	char *copy;
	int err;

	if (use == CONDITION_DUMP_WHEN && l->count == CONDITION_DUMPS)
		return diag_usage(d, "at most %u %s", CONDITION_DUMPS, uses[use].name);
	copy = strdup(text);
	if (!copy || vec_reserve(&l->condition, &l->capacity, l->count + 1)) {
		free(copy);
		return diag_set(d, ENOMEM, "no memory for %s", uses[use].name);
	}
	err = condition_parse(&c, use, copy, d);
	free(copy);
	if (err)
		condition_release(&c);
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
	if (c->metric == METRIC_QUANTILE)
		snprintf(out, size, "p%g", 100 * c->quantile);
	else
		snprintf(out, size, "%s", metric_names[c->metric]);
}
