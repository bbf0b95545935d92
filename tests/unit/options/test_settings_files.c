// SPDX-License-Identifier: BSD-2-Clause
/* Settings files and options together. */
#include "user/verbs/cli.h"
#include "user/text/log.h"
#include "user/options/settings_files.h"

#include "tests/lib/capture.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/jdk.h"
#include "tests/lib/workdir.h"
#include "tests/lib/test.h"

#include <unistd.h>

#define HEAD		 "<configuration version=\"2.0\" label=\"test\">\n"
#define TAIL		 "</configuration>\n"
#define TRACE(settings)	 HEAD "<event name=\"jdk.MethodTrace\">\n" settings "</event>\n" TAIL
#define SET(name, value) "<setting name=\"" name "\">" value "</setting>\n"
#define ON		 SET("enabled", "true")

/* Write a file. Returns its path. */
static const char *file(const char *name, const char *text)
{
	return workdir_write(name, text, strlen(text));
}

/* -p 1, then words, up to NULL. */
static int parse(struct settings *s, struct diag *d, ...)
{
	static char copies[16][256];
	char *argv[17] = {(char *)"frtrace", (char *)"-p1"};
	struct command_line c;
	const char *word;
	int argc = 2, err;
	va_list words;

	*d = (struct diag){0};
	va_start(words, d);
	while ((word = va_arg(words, const char *))) {
		snprintf(copies[argc], sizeof(copies[0]), "%s", word);
		argv[argc] = copies[argc];
		argc++;
	}
	va_end(words);
	argv[argc] = NULL;
	err = cli_parse(argc, argv, &c, d);
	*s = c.settings;
	return err;
}

static void release(struct settings *s)
{
	struct command_line c = {.settings = *s};

	cli_release(&c);
}

#define must_parse(s, ...)                            \
	do {                                          \
		struct diag d_;                       \
		if (parse(s, &d_, __VA_ARGS__, NULL)) \
			fail_msg("%s", d_.text);      \
	} while (0)

CASE(own_files_are_found_by_name)
{
	struct settings s;

	must_parse(&s, "-ma.B", "--settings=default");
	assert_true(s.threshold_ns == 0 && !s.no_stack && !filter_list_count(s.filters, FILTER_TIMING));
	assert_int_equal(s.timing_period.kind, JFC_END_CHUNK);
	release(&s);
	must_parse(&s, "-ma.B", "--settings", "profile.jfc");
	assert_true(s.threshold_ns == 0 && !s.no_stack && !filter_list_count(s.filters, FILTER_TIMING));
	assert_int_equal(s.timing_period.kind, JFC_TIME);
	assert_int_equal(s.timing_period.ns, 1000000000);
	release(&s);
}

CASE(file_can_say_everything)
{
	const char *path =
		file("a.jfc", HEAD
		     "<event name=\"jdk.MethodTrace\">" ON SET("filter", " a.B::c ;; a.C ") SET("threshold", "7 ms")
			     SET("stackTrace", "false") "</event>"
							"<event name=\"jdk.MethodTiming\">" ON SET("filter", "a.D")
								SET("period", "2 s") "</event>" TAIL);
	struct settings s;

	must_parse(&s, "--settings", path);
	assert_int_equal(filter_list_count(s.filters, FILTER_TRACE), 2);
	assert_string_equal(filter_list_text(s.filters, 0), "a.B::c");
	assert_string_equal(filter_list_text(s.filters, 1), "a.C");
	assert_int_equal(s.threshold_ns, 7000000);
	assert_true(s.no_stack);
	assert_int_equal(filter_list_count(s.filters, FILTER_TIMING), 1);
	assert_string_equal(filter_list_text(s.filters, filter_list_size(s.filters) - 1), "a.D");
	assert_int_equal(s.timing_period.ns, 2000000000);
	release(&s);
}

CASE(later_file_wins_and_an_option_over_all)
{
	const char *a = file("a.jfc", TRACE(ON SET("filter", "a.A") SET("threshold", "1 ms")));
	const char *b = file("b.jfc", TRACE(SET("filter", "a.B") SET("stackTrace", "false")));
	const char *c = file("c.jfc", TRACE(SET("threshold", "3 ms") SET("stackTrace", "true")));
	struct settings s;

	must_parse(&s, "--settings", a, "--settings", b, "--settings", c);
	assert_int_equal(filter_list_size(s.filters), 1);
	assert_string_equal(filter_list_text(s.filters, 0), "a.B");
	assert_int_equal(s.threshold_ns, 3000000);
	assert_false(s.no_stack);
	release(&s);
	must_parse(&s, "-t0", "--settings", c, "-ma.M", "--no-stack", "--settings", a, "-ma.N", "-xa.N");
	assert_int_equal(filter_list_size(s.filters), 2);
	assert_string_equal(filter_list_text(s.filters, 0), "a.M");
	assert_int_equal(s.threshold_ns, 0);
	assert_true(s.no_stack);
	release(&s);
	must_parse(&s, "--settings", c, "-ma.M"); /* which does not enable it */
	assert_int_equal(s.threshold_ns, 3000000);
	release(&s);
}

CASE(option_m_sets_the_control)
{
	const char *path = file(
		"a.jfc", HEAD
		"<event name=\"jdk.MethodTrace\">" ON "<setting name=\"filter\" control=\"method-trace\">a.A</setting>"
		"<setting name=\"threshold\" control=\"limit\">1 ms</setting></event><control>"
		"<text name=\"method-trace\"></text><condition name=\"limit\" true=\"9 ms\" false=\"2 ms\">"
		"<test name=\"method-trace\" operator=\"equal\" value=\"a.M;a.N::n\"/></condition></control>" TAIL);
	struct settings s;

	must_parse(&s, "--settings", path);
	assert_string_equal(filter_list_text(s.filters, 0), "a.A");
	assert_int_equal(s.threshold_ns, 1000000);
	release(&s);
	must_parse(&s, "-ma.M;a.N::n", "--settings", path);
	assert_string_equal(filter_list_text(s.filters, 0), "a.M");
	assert_int_equal(s.threshold_ns, 9000000);
	release(&s);
	must_parse(&s, "-ma.M", "--settings", path);
	assert_int_equal(s.threshold_ns, 2000000);
	release(&s);
}

CASE(what_is_no_filter_is_left_out_and_said)
{
	const char *path = file("a.jfc", TRACE(ON SET("filter", "a.A; bad\nname\n;\n\ta.B;also bad")));
	struct settings s;
	const char *said;

	must_parse(&s, "-v", "--settings", path, "--settings", "default", "--settings", path);
	assert_int_equal(filter_list_size(s.filters), 2);
	assert_string_equal(filter_list_text(s.filters, 1), "a.B");
	capture_begin(false);
	log_set(false, true);
	settings_files_report(s.files);
	settings_files_report(NULL);
	said = capture_end();
	assert_contains(said, "a.jfc', line 4: the filter 'bad name' is left out: wrong filter: ");
	assert_contains(said, "the filter 'also bad' is left out");
	assert_contains(said, "settings 'default.jfc': 7 settings, 0 of them of events that are the JVM's own");
	release(&s);
}

CASE(faults_are_reported)
{
	static const struct {
		const char *text, *message;
		int err;
	} rows[] = {
		{TRACE(ON SET("threshold", "abc")), "line 4, column 1: threshold of jdk.MethodTrace is 'abc'", -EINVAL},
		{TRACE(SET("filter", "a.A")), "the filter 'a.A' has no effect, as jdk.MethodTrace is not enabled",
		 -EINVAL},
		{TRACE(ON SET("filter", "bad name")), "no filter: ", -EINVAL},
		{HEAD, "no element found", -EINVAL},
	};
	struct settings s;
	struct diag d;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (parse(&s, &d, "--settings", file("a.jfc", rows[i].text), NULL) != rows[i].err ||
		    !strstr(d.text, rows[i].message) || !d.usage)
			fail_msg("%s: %s", rows[i].text, d.text);
		assert_null(s.files);
	}
	assert_int_equal(parse(&s, &d, "-ma.A", "--settings=/nowhere/x.jfc", NULL), -ENOENT);
	assert_string_equal(d.text, "cannot open settings '/nowhere/x.jfc': No such file or directory");
	assert_int_equal(parse(&s, &d, "-ma.A", "--settings", workdir, NULL), -EISDIR);
	assert_int_equal(parse(&s, &d, "-ma.A", "--settings=", NULL), -ENOENT);
	assert_int_equal(parse(&s, &d, "-ma.A", "--settings=/dev/zero", NULL), -EINVAL);
	assert_contains(d.text, "a file of more than 1 MB");
}

CASE(short_memory_is_reported)
{
	const char *path = file("a.jfc", TRACE(ON SET("filter", "a.A;bad name;a.B")));
	unsigned n = 0;
	struct settings s;
	struct diag d;

	fail_nth_or_skip();
	do {
		int err;

		fail_nth(++n);
		err = parse(&s, &d, "--settings=default", "--settings", path, NULL);
		if (err)
			assert_true(err == -ENOMEM && d.text[0] && !d.usage && !s.files);
		else
			release(&s);
	} while (fail_nth_end());
	assert_true(n > 30);
}

/* The value of `name` that the JVM has applied to an event type, by its log. */
static const char *applied(char *log, const char *event, const char *name)
{
	static char value[256];
	char begin[64], *s, *end;

	snprintf(begin, sizeof(begin), "Applied settings for %s(", event);
	s = strstr(log, begin);
	snprintf(begin, sizeof(begin), "  %s=\"", name);
	s = s ? strstr(s, begin) : NULL;
	end = s ? strstr(s, "\"\n") : NULL;
	if (!end)
		fail_msg("the JVM says nothing of %s#%s:\n%s", event, name, log);
	s += strlen(begin);
	snprintf(value, sizeof(value), "%.*s", (int)(end - s), s);
	return value;
}

static bool newest_jdk(struct jdk *out)
{
	struct jdk jdks[8];
	size_t n = jdk_find(jdks, 8);

	if (n)
		*out = jdks[n - 1];
	return n && out->version >= 25;
}

CASE(several_files_are_to_the_jvm_what_they_are_to_us)
{
	const char *a = file("a.jfc", TRACE(ON SET("filter", "a.A") SET("threshold", "1 ms")));
	const char *b = file("b.jfc", TRACE(SET("filter", "a.B;bad name;a.A") SET("stackTrace", "false")));
	struct settings s;
	struct jdk jdk;
	uint64_t ns;
	char *log;

	if (!newest_jdk(&jdk))
		skip();
	must_parse(&s, "--settings", a, "--settings", b, "--settings=user/options/profile.jfc", "--settings", b);
	assert_int_equal(
		shell_run(&log,
			  "'%s/bin/java' " JDK_BRIEF
			  " -XX:StartFlightRecording:filename=%s/x.jfr,settings=%s,settings=%s,"
			  "settings=user/options/profile.jfc,settings=%s -Xlog:jfr+setting=info:stdout:none -version",
			  jdk.home, workdir, a, b, b),
		0);
	assert_string_equal(applied(log, "jdk.MethodTrace", "enabled"), "true");
	assert_string_equal(applied(log, "jdk.MethodTrace", "filter"), "a.B;bad name;a.A");
	assert_int_equal(filter_list_size(s.filters), 2);
	assert_true(jfc_parse_time(applied(log, "jdk.MethodTrace", "threshold"), &ns));
	assert_int_equal(ns, s.threshold_ns);
	assert_string_equal(applied(log, "jdk.MethodTrace", "stackTrace"), s.no_stack ? "false" : "true");
	assert_true(jfc_parse_time(applied(log, "jdk.MethodTiming", "period"), &ns));
	assert_int_equal(ns, s.timing_period.ns);
	release(&s);
	free(log);
}

/* In a folder of ours the name "default.jfc" would be the JDK's own: hence a path. */
CASE(jvm_takes_our_files_and_their_options)
{
	struct jdk jdk;
	char *log;

	if (!newest_jdk(&jdk))
		skip();
	assert_int_equal(shell_run(&log,
				   "'%s/bin/java' " JDK_BRIEF
				   " -XX:StartFlightRecording:filename=%s/x.jfr,settings=user/options/default.jfc,"
				   "method-trace=a.B::c,method-timing=a.C,method-trace-threshold=3ms,"
				   "method-trace-stacks=false -Xlog:jfr+setting=info:stdout:none -version",
				   jdk.home, workdir),
			 0);
	assert_string_equal(applied(log, "jdk.MethodTrace", "enabled"), "true");
	assert_string_equal(applied(log, "jdk.MethodTrace", "filter"), "a.B::c");
	assert_string_equal(applied(log, "jdk.MethodTrace", "threshold"), "3 ms");
	assert_string_equal(applied(log, "jdk.MethodTrace", "stackTrace"), "false");
	assert_string_equal(applied(log, "jdk.MethodTiming", "enabled"), "true");
	assert_string_equal(applied(log, "jdk.MethodTiming", "filter"), "a.C");
	assert_string_equal(applied(log, "jdk.MethodTiming", "period"), "endChunk");
	assert_lacks(log, "[warning]");
	free(log);
}

int main(void)
{
	return test_main(workdir_make, workdir_remove);
}
