// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/show/metrics_values.h"

static char *text;

static void put(struct metrics_values *m)
{
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	metrics_values_put(m, to);
	assert_int_equal(fclose(to), 0);
	metrics_values_free(m);
}

static void has(const char *line)
{
	if (!strstr(text, line))
		fail_msg("no '%s' in:\n%s", line, text);
}

CASE(buckets_of_each_value_are_cumulative)
{
	struct metrics_values *m = metrics_values_new("recording=\"shop\"");

	metrics_values_count(m, 0, "/a\"b", 2000000);
	metrics_values_count(m, 0, "/a\"b", 40000000000);
	metrics_values_count(m, 1, "select ?", 1000);
	put(m);
	has("# TYPE frtrace_event_duration_seconds histogram\n");
	has("frtrace_event_duration_seconds_bucket{recording=\"shop\",event=\"http.Request\",url=\"/a\\\"b\",le=\"0.001\"} 0\n");
	has("frtrace_event_duration_seconds_bucket{recording=\"shop\",event=\"http.Request\",url=\"/a\\\"b\",le=\"0.003\"} 1\n");
	has("frtrace_event_duration_seconds_bucket{recording=\"shop\",event=\"http.Request\",url=\"/a\\\"b\",le=\"10\"} 1\n");
	has("frtrace_event_duration_seconds_bucket{recording=\"shop\",event=\"http.Request\",url=\"/a\\\"b\",le=\"+Inf\"} 2\n");
	has("frtrace_event_duration_seconds_sum{recording=\"shop\",event=\"http.Request\",url=\"/a\\\"b\"} 40.002000000\n");
	has("frtrace_event_duration_seconds_bucket{recording=\"shop\",event=\"sql.Statement\",sql=\"select ?\",le=\"1e-06\"} 1\n");
	has("frtrace_event_duration_seconds_count{recording=\"shop\",event=\"sql.Statement\",sql=\"select ?\"} 1\n");
	free(text);
}

CASE(values_that_are_written_alike_share_a_series)
{
	struct metrics_values *m = metrics_values_new("recording=\"shop\"");
	const char *last = NULL;
	int lines = 0;

	metrics_values_count(m, 1, "a\tb", 5000);
	metrics_values_count(m, 1, "a\rb", 5000);
	metrics_values_count(m, 1, "(others)", 5000);
	put(m);
	for (const char *at = text; (at = strstr(at, "_count{")); at++, lines++)
		last = at;
	assert_int_equal(lines, 2);
	assert_non_null(strstr(last, "sql=\"(others)\"} 1\n"));
	has("\"} 2\n");
	free(text);
}

CASE(values_beyond_a_hundred_share_a_series)
{
	struct metrics_values *m = metrics_values_new("recording=\"shop\"");
	char url[32];

	for (int i = 0; i < 130; i++) {
		snprintf(url, sizeof(url), "/order/%d", i);
		metrics_values_count(m, 0, url, 5000);
		metrics_values_count(m, 0, "/order/7", 5000);
	}
	put(m);
	has("url=\"/order/99\"");
	assert_null(strstr(text, "url=\"/order/100\""));
	has("frtrace_event_duration_seconds_count{recording=\"shop\",event=\"http.Request\",url=\"/order/7\"} 131\n");
	has("frtrace_event_duration_seconds_count{recording=\"shop\",event=\"http.Request\",url=\"(others)\"} 30\n");
	free(text);
}

CASE(only_events_of_known_groups_are_summed_up)
{
	struct event_list l = {.count = 0};
	struct diag d;

	assert_int_equal(event_list_add(&l, "shop.Order a.B::m", &d), 0);
	assert_false(metrics_values_are_in(&l));
	assert_int_equal(event_list_add(&l, "http.Call a.B::m url:url=arg0", &d), 0);
	assert_true(metrics_values_are_in(&l));
	event_list_release(&l);
}
