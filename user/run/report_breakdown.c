// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/report_breakdown.h"
#include "user/text/log.h"
#include "user/record/wait_events.h"

#include <stdio.h>
#include <string.h>

static void report_breakdown_append(char *to, size_t size, const char *text)
{
	size_t length = strlen(to);

	snprintf(to + length, size - length, "%s", text);
}

static double percent(uint64_t part, const struct breakdown_slowest *s)
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

		if (percent(s->blocked_on[i], s) >= 1 && is_next && (!found || s->blocked_on[i] > s->blocked_on[found]))
			found = i;
	}
	return found;
}

/* " (futex 90 %, disk 6 %)" */
static void append_reasons(char *out, size_t size, const struct breakdown_slowest *s)
{
	unsigned int reason = largest_below(s, UINT64_MAX, 0);
	const char *before = " (";
	char text[64];

	for (; reason; reason = largest_below(s, s->blocked_on[reason], reason)) {
		snprintf(text, sizeof(text), "%s%s %.0f %%", before, wait_reason(reason),
			 percent(s->blocked_on[reason], s));
		report_breakdown_append(out, size, text);
		before = ", ";
	}
	if (before[0] == ',')
		report_breakdown_append(out, size, ")");
}

bool report_breakdown_text(const struct breakdown_sums *splits, char *out, size_t size)
{
	struct breakdown_slowest s;
	char text[96];

	if (!splits || !breakdown_sums_slowest(splits, &s))
		return false;
	if (s.calls == 1)
		snprintf(out, size, "the slowest call (%s): %.0f %% blocked", log_time(s.least),
			 percent(s.sums.blocked, &s));
	else
		snprintf(out, size, "the slowest 1 %% (%s calls of %s and more): %.0f %% blocked", log_count(s.calls),
			 log_time(s.least), percent(s.sums.blocked, &s));
	append_reasons(out, size, &s);
	snprintf(text, sizeof(text), ", %.0f %% on a CPU, %.0f %% waiting for one", percent(s.sums.cpu, &s),
		 percent(s.sums.run_queue, &s));
	report_breakdown_append(out, size, text);
	return true;
}
