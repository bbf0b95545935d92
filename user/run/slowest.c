// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/slowest.h"
#include "user/record/wait_events.h"
#include "user/text/log.h"

static double slowest_percent(const struct breakdown_slowest *s, uint64_t part)
{
	return s->sums.duration ? 100.0 * part / s->sums.duration : 0;
}

/*
 * The next smaller reason that is at least 1 %; 0: none. `limit` and `after` are the sum and the index of the previous
 * one.
 */
static unsigned int largest_below(const struct breakdown_slowest *s, uint64_t limit, unsigned int after)
{
	unsigned int found = 0;

	for (unsigned int i = 1; i < FRT_WAIT_REASONS; i++) {
		bool is_next = s->blocked_on[i] < limit || (s->blocked_on[i] == limit && i > after);

		if (slowest_percent(s, s->blocked_on[i]) >= 1 && is_next &&
		    (!found || s->blocked_on[i] > s->blocked_on[found]))
			found = i;
	}
	return found;
}

void put_slowest(struct bytes *out, const struct breakdown_sums *splits)
{
	struct breakdown_slowest s;
	unsigned int reason;
	const char *before = " (";

	if (!splits || !breakdown_sums_slowest(splits, &s))
		return;
	if (s.calls == 1)
		bytes_printf(out, "the slowest call (%s)", log_time(s.least));
	else
		bytes_printf(out, "the slowest 1 %% (%s calls of %s and more)", log_count(s.calls), log_time(s.least));
	bytes_printf(out, ": %.0f %% blocked", slowest_percent(&s, s.sums.blocked));
	for (reason = largest_below(&s, UINT64_MAX, 0); reason;
	     reason = largest_below(&s, s.blocked_on[reason], reason)) {
		bytes_printf(out, "%s%s %.0f %%", before, wait_reason(reason),
			     slowest_percent(&s, s.blocked_on[reason]));
		before = ", ";
	}
	bytes_printf(out, "%s, %.0f %% on a CPU, %.0f %% waiting for one", before[0] == ',' ? ")" : "",
		     slowest_percent(&s, breakdown_sum_cpu(&s.sums)), slowest_percent(&s, s.sums.run_queue));
}
