// SPDX-License-Identifier: BSD-2-Clause
/* Lines of Prometheus' text format, whatever the names are. */
#include "user/text/prometheus.h"
#include "tests/lib/test.h"

static char text[4096];

static FILE *begin(void)
{
	memset(text, 0, sizeof(text));
	return fmemopen(text, sizeof(text), "w");
}

static void label_is(const char *value, const char *line)
{
	FILE *to = begin();

	prometheus_label(to, "class", value);
	fclose(to);
	assert_string_equal(text, line);
}

CASE(a_family_has_its_help_and_type)
{
	FILE *to = begin();

	prometheus_family(to, "a_total", "counter", "All of it.");
	prometheus_count(to, "a_total", "", "", 7);
	prometheus_count(to, "a_total", "x=\"1\"", "", UINT64_MAX);
	prometheus_count(to, "a_total", "x=\"1\"", "y=\"2\"", 0);
	prometheus_count(to, "a_total", "", "y=\"2\"", 1);
	fclose(to);
	assert_string_equal(text,
			    "# HELP a_total All of it.\n# TYPE a_total counter\na_total 7\n"
			    "a_total{x=\"1\"} 18446744073709551615\na_total{x=\"1\",y=\"2\"} 0\na_total{y=\"2\"} 1\n");
}

CASE(seconds_have_all_their_digits)
{
	FILE *to = begin();

	prometheus_seconds(to, "s", "", "", 0);
	prometheus_seconds(to, "s", "", "", 1);
	prometheus_seconds(to, "s", "", "", 12000000345);
	fclose(to);
	assert_string_equal(text, "s 0.000000000\ns 0.000000001\ns 12.000000345\n");
}

CASE(a_hostile_name_stays_within_its_quotes)
{
	label_is("com.acme.Cart$1", "class=\"com.acme.Cart$1\"");
	label_is("\"} 1\nroot_total 7\n", "class=\"\\\"} 1\\nroot_total 7\\n\"");
	label_is("a\\", "class=\"a\\\\\"");
	label_is("\x1b[31m\r\x7f", "class=\"\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd\"");
	label_is("\xff\xc3", "class=\"\xef\xbf\xbd\xef\xbf\xbd\"");
	label_is("K\xc3\xa4se \xed\xa0\xbd\xed\xb8\x80", "class=\"K\xc3\xa4se \xf0\x9f\x98\x80\""); /* modified UTF-8 */
	label_is("", "class=\"\"");
}
