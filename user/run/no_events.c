// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/no_events.h"
#include "user/text/skip_reason.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include <stdio.h>

static const char *calls(uint64_t n)
{
	return n == 1 ? "call" : "calls";
}

/* Explain why none of the calls that ended was recorded. */
static void explain_calls(const struct no_events *s, const struct segment_totals *t, char *out, size_t size)
{
	const char *number = log_count(t->exited), *most = log_time(clock_ns_of_ticks(s->clock, t->longest));

	if (settings_has_roots(s->settings))
		snprintf(out, size, "%s %s in roots, but no root was kept (max %s)", number, calls(t->exited), most);
	else if (s->settings->thrown && !t->thrown)
		snprintf(out, size, "%s %s, none of them ended by an exception", number, calls(t->exited));
	else if (s->settings->threshold_ns)
		snprintf(out, size, "%s %s, all below %s (max %s)", number, calls(t->exited),
			 log_time(s->settings->threshold_ns), most);
	else
		snprintf(out, size, "%s %s, all below their thresholds (max %s)", number, calls(t->exited), most);
}

struct matches {
	uint32_t methods, lower_bounds;
};

/*
 * Count the methods hooked in this recording. The method table covers all recordings of the process, the rules only
 * this one.
 */
static struct matches count_matches(const struct segment *s)
{
	struct matches found = {0};
	const struct frt_method *m;

	for (uint32_t id = 1; (m = segment_method(s, id)); id++) {
		if (*segment_rule(s, id) == FRT_RULE_UNTRACED)
			continue;
		found.methods++;
		found.lower_bounds += !!(m->flags & FRT_METHOD_LOWER_BOUND);
	}
	return found;
}

/* Why a method that filters select was refused, rather none that has no code of its own; NULL: none was refused. */
static const char *why_refused(const struct segment *s)
{
	const struct frt_skip *skip;
	const char *why = NULL;

	for (uint32_t i = 0; (skip = segment_skip(s, i)); i++) {
		if (skip->reason == FRT_SKIP_OTHER)
			continue;
		why = skip_reason(skip->reason);
		if (skip->reason != FRT_SKIP_ABSTRACT && skip->reason != FRT_SKIP_SYNTHETIC)
			break;
	}
	return why;
}

static void explain_no_calls(const struct no_events *s, const struct segment_totals *t, char *out, size_t size)
{
	struct matches found = count_matches(s->segment);
	const char *time = log_time(monotonic_ns() - s->begin_ns), *refused = why_refused(s->segment);

	if (t->open)
		snprintf(out, size, "0 calls have ended in %s, %s %s", time, log_count(t->open),
			 t->open == 1 ? "is open" : "are open");
	else if (!found.methods && refused)
		snprintf(out, size, "0 calls: what matched is not traced: %s", refused);
	else if (!found.methods)
		snprintf(out, size, "0 calls: no class that was loaded matched");
	else if (found.lower_bounds == found.methods)
		snprintf(
			out, size,
			"0 calls: matched, never called in %s but perhaps by compiled code, where the JIT puts its own in their place",
			time);
	else
		snprintf(out, size, "0 calls: matched, never called in %s", time);
}

bool no_events_explain(const struct no_events *s, const struct segment_totals *t, char *out, size_t size)
{
	if (s->counts->events || s->counts->unwritten)
		return false;
	if (t->exited && !filter_list_count(s->settings->filters, FILTER_TRACE))
		return false;
	if (t->exited)
		explain_calls(s, t, out, size);
	else
		explain_no_calls(s, t, out, size);
	return true;
}
