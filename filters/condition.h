/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conditions of --fail-if and --dump-when: "FILTER METRIC OPERATOR LIMIT", as in 'Cart::pay p99>50ms', 'Cart::pay
 * p99>+10%', 'Cart::pay open>10s' or 'Cart::pay calls=0'. Without a metric, 'Cart::pay >1s', it is the longest call that
 * counts; 'Cart::pay thrown' means 'Cart::pay thrown>0'. The filter knows classes and methods by their names alone.
 */
#ifndef FILTERS_CONDITION_H
#define FILTERS_CONDITION_H

#include "filters/filter_list.h"
#include "filters/mapping.h"

enum condition_metric {
	METRIC_CALLS,
	METRIC_THROWN,
	METRIC_MAXIMUM,
	METRIC_AVERAGE, /* this and the next three are means of a call, in ns */
	METRIC_CPU,
	METRIC_RUN_QUEUE,
	METRIC_BLOCKED,
	METRIC_OPEN,	 /* ns since a call began that has not ended */
	METRIC_QUANTILE, /* ns */
};

enum condition_operator { OPERATOR_ABOVE, OPERATOR_AT_LEAST, OPERATOR_BELOW, OPERATOR_AT_MOST, OPERATOR_EQUAL };

/* The option that a condition belongs to: which metrics it has, and what its messages say. */
enum condition_use {
	CONDITION_FAIL_IF,   /* says what must not be: any metric but `open` */
	CONDITION_DUMP_WHEN, /* about single calls: max>TIME, thrown>0, open>TIME */
};

#define CONDITION_DUMPS 16u /* at most, of --dump-when */

struct condition {
	const char *text; /* as typed, borrowed */
	struct filter_list *filters;
	void *program; /* of `methods`, the compiled filters */
	struct matcher methods;
	enum condition_metric metric;
	double quantile;
	enum condition_operator operator;
	bool relative; /* the limit is a change: 0.1 is 10 % more than in the old recording */
	double limit;
};

/* Zeroed: none. */
struct condition_list {
	struct condition *condition;
	size_t count, capacity;
};

/* Parse and append. 0, or a usage error that says what is wrong. `text` must stay valid. */
int condition_add(struct condition_list *l, enum condition_use use, const char *text, struct diag *d);
void condition_list_release(struct condition_list *l);

/* Give the filters, which have original names, those of the program. 0 or -errno. */
int condition_list_rename(struct condition_list *l, const struct mapping *m, struct diag *d);

/* A usage error if some limit is a change: there is only one recording. */
int condition_list_check_absolute(const struct condition_list *l, struct diag *d);

/* True if the value fulfils the condition. */
bool condition_holds(const struct condition *c, double value);

/* "p99", "calls", as typed. */
void condition_metric_name(const struct condition *c, char *out, size_t size);

#endif
