// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/views.h"
#include "user/text/java_number.h"
#include "user/text/java_time.h"
#include "user/view/jfr_names.h"

#include <stdio.h>

const struct view views[] = {
	{"method-timing", "the last jdk.MethodTiming of each method", NULL, view_timing},
	{"method-trace", "traced methods: calls, times, how many ended by an exception", NULL, view_methods},
	{"method-calls", "traced methods and who called them", NULL, view_calls},
	{"slowest", "the 20 calls that took longest, and where their time went", NULL, view_slowest},
	{"latency", "how long calls took, as a histogram", "'frtrace export --csv' has how long each call took",
	 view_latency},
	{"callers", "the tree of callers of each traced method", "'frtrace export --collapsed' has who called",
	 view_callers},
	{"waits", "what calls waited for, who woke them, which code waited for locks", NULL, view_waits},
	{"open", "calls that had not returned at the end of the recording", NULL, view_open},
	{0},
};

char *view_method(struct jfr_chunk *chunk, struct jfr_value method)
{
	struct bytes text;

	bytes_init(&text);
	jfr_resolve(chunk, &method);
	if (method.kind == VALUE_STRUCT)
		put_method(&text, chunk, &method);
	else
		put_text(&text, "N/A");
	bytes_put_u8(&text, 0);
	if (text.failed)
		bytes_release(&text);
	return (char *)text.data;
}

void view_count(struct bytes *out, uint64_t n)
{
	if (n < 1000) {
		put_unsigned(out, n);
		return;
	}
	view_count(out, n / 1000);
	bytes_put_u8(out, ',');
	put_padded(out, n % 1000, 3);
}

static struct java_time views_time_of(int64_t nanos)
{
	int64_t seconds = nanos / 1000000000 - (nanos % 1000000000 < 0);
	struct java_time t = {.seconds = seconds, .nanos = nanos - seconds * 1000000000};

	if (nanos == INT64_MIN)
		t.kind = TIME_MISSING;
	return t;
}

void view_exact_time(struct bytes *out, int64_t nanos)
{
	struct java_time t = views_time_of(nanos);

	put_duration_wide(out, &t);
}

void view_time(struct bytes *out, int64_t nanos)
{
	struct java_time t = views_time_of(nanos);

	put_duration(out, &t);
}
