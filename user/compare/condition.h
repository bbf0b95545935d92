/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conditions of --fail-if: "FILTER METRIC OPERATOR LIMIT", as in 'Cart::pay p99>50ms', 'Cart::pay p99>+10%',
 * 'Cart thrown>0', 'Cart::pay calls=0'. The condition says what must not be.
 */
#ifndef USER_COMPARE_CONDITION_H
#define USER_COMPARE_CONDITION_H

#include "filters/filter_list.h"

enum condition_metric {
	METRIC_CALLS,
	METRIC_THROWN,
	METRIC_MAXIMUM,
	METRIC_AVERAGE, /* this and the next three are means of a call, in ns */
	METRIC_CPU,
	METRIC_RUN_QUEUE,
	METRIC_BLOCKED,
	METRIC_QUANTILE, /* ns */
};

enum condition_operator { OPERATOR_ABOVE, OPERATOR_AT_LEAST, OPERATOR_BELOW, OPERATOR_AT_MOST, OPERATOR_EQUAL };

struct condition {
	const char *text; /* as typed, borrowed */
	struct filter_list *filters;
	enum condition_metric metric;
	double quantile;
	enum condition_operator operator;
	bool relative; /* the limit is a change: 0.1 is 10 % more than in the old recording */
	double limit;
};

struct condition_list {
	struct condition *condition;
	size_t count, capacity;
};

/* Parse and append. 0, or a usage error that says what is wrong. `text` must stay valid. */
int condition_add(struct condition_list *l, const char *text, struct diag *d);
void condition_list_release(struct condition_list *l); /* takes a zeroed one, too */

/* A usage error if some limit is a change: there is only one recording. */
int condition_list_check_absolute(const struct condition_list *l, struct diag *d);

/* True if the value fulfils the condition, which is then violated. */
bool condition_holds(const struct condition *c, double value);

/* "p99", "calls", as typed. */
void condition_metric_name(const struct condition *c, char *out, size_t size);

#endif
