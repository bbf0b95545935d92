// SPDX-License-Identifier: BSD-2-Clause
/* The settings of an event type, from one file and from several. */
#include "format/jfc/jfc.h"
#include "tests/lib/test.h"

#define HEAD		 "<configuration version=\"2.0\" label=\"test\">"
#define TAIL		 "</configuration>"
#define TRACE(settings)	 HEAD "<event name=\"jdk.MethodTrace\">" settings "</event>" TAIL
#define SET(name, value) "<setting name=\"" name "\">" value "</setting>"

static struct jfc *must_read(const char *text)
{
	struct diag d = {0};
	struct jfc *j;

	if (jfc_read(&j, "x.jfc", text, strlen(text), &d))
		fail_msg("refused: %s\n%s", d.text, text);
	return j;
}

CASE(times_have_the_format_of_jfr)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{"0 ms", 0},
		{"20 ms", 20000000},
		{"20ms", 20000000},
		{"1  s", 1000000000},
		{"3 us", 3000},
		{"9ns", 9},
		{"2 m", 120000000000},
		{"1 h", 3600000000000},
		{"999 d", 999 * 86400000000000},
		{"infinity", INT64_MAX},
		{"106752 d", INT64_MAX},
		{"9223372036854775807 ns", INT64_MAX},
		{"9223372036854775807 d", INT64_MAX},
	};
	static const char *const bad[] = {"",
					  "10",
					  "abc",
					  "ms",
					  "-1 ms",
					  "1.5 s",
					  "1 S",
					  "1 sec",
					  "1 ms ",
					  " 1 ms",
					  "Infinity",
					  "0x1 ms",
					  "9223372036854775808 ns"};
	uint64_t ns;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!jfc_parse_time(good[i].text, &ns) || ns != good[i].ns)
			fail_msg("'%s' is %llu", good[i].text, (unsigned long long)ns);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (jfc_parse_time(bad[i], &ns))
			fail_msg("'%s' is taken", bad[i]);
}

CASE(event_is_off_by_default)
{
	struct jfc *j = must_read(HEAD "<event name=\"jdk.Other\">" SET("enabled", "true") "</event>" TAIL);
	struct jfc_event e;
	struct diag d = {0};

	jfc_event_init(&e);
	assert_int_equal(jfc_apply(j, "jdk.MethodTrace", &e, &d), 0);
	assert_false(e.enabled);
	assert_true(e.stack_trace);
	assert_int_equal(e.threshold_ns, 0);
	assert_int_equal(e.period.kind, JFC_NO_PERIOD);
	assert_string_equal(e.filter, "");
	assert_null(e.filter_setting);
	jfc_free(j);
}

CASE(later_file_wins_setting_by_setting)
{
	struct jfc *a = must_read(TRACE(SET("enabled", "true") SET("filter", "a.B") SET("threshold", "5 ms")));
	struct jfc *b = must_read(TRACE(SET("threshold", "20 ms") SET("stackTrace", "false") SET("period", "1 s")));
	struct jfc *c = must_read(TRACE(SET("filter", "a.C") SET("period", "endChunk") SET("throttle", "9/s")));
	struct jfc_event e;
	struct diag d = {0};

	jfc_event_init(&e);
	assert_int_equal(jfc_apply(a, "jdk.MethodTrace", &e, &d), 0);
	assert_int_equal(jfc_apply(b, "jdk.MethodTrace", &e, &d), 0);
	assert_true(e.enabled);
	assert_false(e.stack_trace);
	assert_int_equal(e.threshold_ns, 20000000);
	assert_string_equal(e.filter, "a.B");
	assert_int_equal(e.period.kind, JFC_TIME);
	assert_int_equal(e.period.ns, 1000000000);
	assert_int_equal(jfc_apply(c, "jdk.MethodTrace", &e, &d), 0);
	assert_string_equal(e.filter, "a.C");
	assert_ptr_equal(e.filter_setting, jfc_find(c, "jdk.MethodTrace", "filter"));
	assert_int_equal(e.period.kind, JFC_END_CHUNK);
	jfc_free(a);
	jfc_free(b);
	jfc_free(c);
}

CASE(periods_have_a_least_time)
{
	struct jfc *j = must_read(TRACE(SET("period", "10 us")));
	struct jfc_event e;
	struct diag d = {0};

	assert_int_equal(jfc_apply(j, "jdk.MethodTrace", &e, &d), 0);
	assert_int_equal(e.period.ns, 1000000);
	jfc_free(j);
	j = must_read(TRACE(SET("period", "0 s")));
	assert_int_equal(jfc_apply(j, "jdk.MethodTrace", &e, &d), 0);
	assert_int_equal(e.period.ns, JFC_INFINITY);
	jfc_free(j);
}

CASE(wrong_values_are_reported_with_their_place)
{
	static const struct {
		const char *setting, *message;
	} rows[] = {
		{SET("enabled", "yes"), "enabled of jdk.MethodTrace is 'yes', it has to be true or false"},
		{SET("stackTrace", "TRUE"), "stackTrace of jdk.MethodTrace is 'TRUE', it has to be true or false"},
		{SET("threshold", "a\nb"),
		 "threshold of jdk.MethodTrace is 'a b', it has to be a number and a unit, as in 10 ms"},
		{SET("threshold", ""),
		 "threshold of jdk.MethodTrace is '', it has to be a number and a unit, as in 10 ms"},
		{SET("period", "never"), "period of jdk.MethodTrace is 'never', it has to be everyChunk, beginChunk, "
					 "endChunk or a time, as in 1 s"},
		{"<setting name=\"filter\" control=\"gone\"/>",
		 "filter of jdk.MethodTrace names the control 'gone', which is not there"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[500], want[500];
		struct diag d = {0};
		struct jfc_event e;
		struct jfc *j;

		snprintf(text, sizeof(text), HEAD "\n<event name=\"jdk.MethodTrace\">\n  %s</event>" TAIL,
			 rows[i].setting);
		snprintf(want, sizeof(want), "wrong settings 'x.jfc': line 3, column 3: %s", rows[i].message);
		j = must_read(text);
		jfc_event_init(&e);
		assert_int_equal(jfc_apply(j, "jdk.MethodTrace", &e, &d), -EINVAL);
		assert_true(d.usage);
		assert_string_equal(d.text, want);
		assert_int_equal(jfc_apply(j, "jdk.MethodTiming", &e, &d), 0);
		jfc_free(j);
	}
}
