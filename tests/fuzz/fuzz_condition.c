// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any text as a condition of --fail-if. A rejected text must give a message and add nothing. An accepted one has a metric
 * and a limit that can be judged, and means the same when it is written again from its parts.
 */
#include "filters/condition.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

/* An operator says the same of a value as arithmetic does. */
static void check_operator(const struct condition *c)
{
	const double values[] = {0, c->limit, c->limit + 1 + fabs(c->limit), c->limit - 1 - fabs(c->limit)};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		bool below = values[i]<c->limit, above = values[i]> c->limit;
		bool expected = c->operator== OPERATOR_ABOVE	  ? above
				: c->operator== OPERATOR_AT_LEAST ? !below
				: c->operator== OPERATOR_BELOW	  ? below
				: c->operator== OPERATOR_AT_MOST  ? !above
								  : !below && !above;

		require(condition_holds(c, values[i]) == expected, "an operator is wrong");
	}
}

static void check_accepted(const struct condition_list *l)
{
	const struct condition *c = &l->condition[0];
	struct condition_list again = {0};
	struct diag d = {0};
	char name[16], *text;

	require(l->count == 1 && filter_list_size(c->filters) > 0, "an accepted condition has no filter");
	require(isfinite(c->limit) && (c->relative ? c->limit > -1 : c->limit >= 0), "a limit cannot be judged");
	require(c->metric != METRIC_QUANTILE || (c->quantile > 0 && c->quantile < 1), "a quantile that none is");
	require(!c->relative || (c->metric == METRIC_QUANTILE && c->operator== OPERATOR_ABOVE), "a change of a sum");
	require(!condition_list_check_absolute(l, &d) == !c->relative, "a change without an old recording");
	check_operator(c);
	condition_metric_name(c, name, sizeof(name));
	if (asprintf(&text, "%s %s>%s", filter_list_text(c->filters, 0), name,
		     c->metric <= METRIC_THROWN ? "1" : "1s") < 0)
		abort();
	require(!condition_add(&again, CONDITION_FAIL_IF, text, &d) && again.condition[0].metric == c->metric,
		"its parts are no condition");
	require(strcmp(filter_list_text(again.condition[0].filters, 0), filter_list_text(c->filters, 0)) == 0,
		"its filter is another one");
	condition_list_release(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct condition_list l = {0};
	char *text = malloc(size + 1);
	struct diag d = {0};

	memcpy(text, data, size);
	text[size] = 0;
	if (condition_add(&l, CONDITION_FAIL_IF, text, &d))
		require(l.count == 0 && d.text[0], "a rejected text added a condition, or has no message");
	else
		check_accepted(&l);
	condition_list_release(&l);
	free(text);
	return 0;
}
