// SPDX-License-Identifier: BSD-2-Clause
/* Settings files: their content, and their errors. test_jfc_tools compares with the JDK. */
#include "format/jfc/jfc.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/jdk.h"
#include "tests/lib/test.h"

#define HEAD		 "<configuration version=\"2.0\" label=\"test\">"
#define TAIL		 "</configuration>"
#define SET(name, value) "<setting name=\"" name "\">" value "</setting>"

static struct jfc *must_read(const char *text)
{
	struct diag d = {0};
	struct jfc *j;

	if (jfc_read(&j, "x.jfc", text, strlen(text), &d))
		fail_msg("refused: %s\n%s", d.text, text);
	return j;
}

static const char *value_of(const struct jfc *j, const char *event, const char *name)
{
	const struct jfc_setting *s = jfc_find(j, event, name);

	return s ? s->value : NULL;
}

CASE(settings_have_the_value_written_in_them)
{
	struct jfc *j = must_read("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- c -->\n" HEAD
				  "\n<event name=\"a.B\">\n  <setting name=\"enabled\"> tr<!-- in -->ue\n</setting>"
				  "<setting name=\"filter\"><![CDATA[::<init>]]>;a&lt;&#98;</setting>"
				  "<setting name=\"none\"/></event>"
				  "<EVENT name=\"a.C\"><Setting name=\"period\">1 s</Setting></EVENT>" TAIL);
	const struct jfc_setting *s;
	size_t n;

	s = jfc_settings(j, &n);
	assert_int_equal(n, 4);
	assert_string_equal(value_of(j, "a.B", "enabled"), "true");
	assert_string_equal(value_of(j, "a.B", "filter"), "::<init>;a<b");
	assert_string_equal(value_of(j, "a.B", "none"), "");
	assert_string_equal(value_of(j, "a.C", "period"), "1 s");
	assert_null(jfc_find(j, "a.C", "enabled"));
	assert_int_equal(s[0].line, 5);
	assert_int_equal(s[0].column, 3);
	assert_string_equal(jfc_name(j), "x.jfc");
	jfc_free(j);
	jfc_free(NULL);
}

CASE(last_of_two_settings_counts)
{
	struct jfc *j = must_read(HEAD "<event name=\"a\">" SET("x", "1")
					  SET("x", "2") "</event><event name=\"a\">" SET("x", "3") "</event>" TAIL);

	assert_string_equal(value_of(j, "a", "x"), "3");
	jfc_free(j);
}

CASE(unknown_elements_are_skipped_with_their_content)
{
	struct jfc *j = must_read(
		HEAD "<later><event name=\"a\">" SET("x", "1") "</event></later><event name=\"a\"><later>" SET(
			"x", "2") "</later><setting name=\"y\" later=\"z\">3<later>4</later></setting></event>"
				  "<setting name=\"x\">5</setting>" TAIL);

	assert_null(jfc_find(j, "a", "x"));
	assert_string_equal(value_of(j, "a", "y"), "3");
	jfc_free(j);
}

#define INPUTS                                                                                                    \
	"<selection name=\"s\" label=\"\" default=\"low\"><option name=\"off\" label=\"\">off</option>"           \
	"<option name=\"low\" label=\"\">1 ms</option><option name=\"TRUE\" label=\"\">TRUE</option></selection>" \
	"<text name=\"t\" label=\"\">txt</text><flag name=\"f\" label=\"\">False</flag>"                          \
	"<text name=\"time\" label=\"\" contentType=\"timespan\">1 s</text>"
#define CONTROLS           \
	"<control>" INPUTS \
	"%s</control><event name=\"e\"><setting name=\"v\" control=\"c\">as written</setting></event>"

#define TEST(name, value)     "<test name=\"" name "\" operator=\"equal\" value=\"" value "\"/>"
#define CONDITION(expression) "<condition name=\"c\" true=\"T\" false=\"F\">" expression "</condition>"
#define LOW		      TEST("s", "1 ms") /* the text of the option that is set, not its name */
#define OFF		      TEST("s", "off")
#define NOBODY		      TEST("nobody", "x")

/* Set "s" to `option`; the setting of the control "c" must then have this value. */
static const struct {
	const char *option, *controls, *value;
} conditions[] = {
	{"low", CONDITION(LOW), "T"},
	{"off", CONDITION(LOW), "F"},
	{"low", CONDITION(TEST("s", "low")), "F"},
	{"low", CONDITION("<not>" LOW "</not>"), "F"},
	{"off", CONDITION("<not>" LOW "</not>"), "T"},
	{"low", CONDITION("<or>" LOW OFF "</or>"), "T"},
	{"off", CONDITION("<or>" LOW OFF "</or>"), "T"},
	{"TRUE", CONDITION("<or>" LOW OFF "</or>"), "F"},
	{"low", CONDITION("<and>" LOW OFF "</and>"), "F"},
	{"low", CONDITION("<and>" LOW TEST("t", "txt") "</and>"), "T"},
	{"low", CONDITION("<and>" LOW TEST("t", "txt") OFF "</and>"), "F"},
	{"low", CONDITION("<or>" OFF "<and>" LOW "<not>" OFF "</not></and></or>"), "T"},
	/* true and false in any case */
	{"TRUE", CONDITION(TEST("s", "true")), "T"},
	{"TRUE", CONDITION(TEST("s", "TRUE")), "F"},
	{"low", CONDITION("<and>" LOW TEST("f", "false") "</and>"), "T"},
	{"TRUE", "<condition name=\"c\" true=\"TRUE\">" TEST("s", "true") "</condition>", "true"},
	/* controls without a value */
	{"low", CONDITION(NOBODY), "as written"},
	{"low", CONDITION(""), "as written"},
	{"low", CONDITION("<or>" LOW NOBODY "</or>"), "T"},
	{"off", CONDITION("<or>" NOBODY LOW "</or>"), "F"},
	{"low", CONDITION("<and>" NOBODY LOW "</and>"), "T"},
	{"low", CONDITION("<and>" NOBODY "<not>" NOBODY "</not></and>"), "as written"},
	{"low", "<condition name=\"c\" true=\"T\">" LOW "</condition>", "T"},
	{"off", "<condition name=\"c\" true=\"T\">" LOW "</condition>", "as written"},
	{"low", "<condition name=\"c\" false=\"F\">" LOW "</condition>", "as written"},
	{"low", "<condition name=\"c\">" LOW "</condition>", "as written"},
	/* several controls with the same name: the first one with a value */
	{"low",
	 "<condition name=\"c\" true=\"1\">" LOW "</condition><condition name=\"c\" true=\"2\">" LOW "</condition>",
	 "1"},
	{"low",
	 "<condition name=\"c\" true=\"1\">" OFF "</condition><condition name=\"c\" true=\"2\">" LOW "</condition>",
	 "2"},
	{"low", "<condition name=\"c\" true=\"1\">" OFF "</condition><text name=\"c\" label=\"\">3</text>", "3"},
	{"off", "<condition name=\"c\" true=\"1\">" LOW "</condition><text name=\"c\" label=\"\">3</text>", "3"},
	/* a test of a condition */
	{"low", "<condition name=\"d\" true=\"9\">" LOW "</condition>" CONDITION(TEST("d", "9")), "T"},
	{"low", CONDITION(TEST("d", "9")) "<condition name=\"d\" true=\"9\">" LOW "</condition>", "T"},
	{"off", "<condition name=\"d\" true=\"9\">" LOW "</condition>" CONDITION(TEST("d", "9")), "as written"},
	/* a test asks the first control of a name only */
	{"low",
	 "<condition name=\"d\" true=\"1\">" LOW
	 "</condition><text name=\"d\" label=\"\">9</text>" CONDITION(TEST("d", "9")),
	 "F"},
	/* independent of what is set */
	{"low", CONDITION(TEST("t", "txt")), "as written"},
	{"low", "<text name=\"c\" label=\"\">3</text>", "as written"},
};

static char *text_of(size_t row)
{
	char *text = NULL;

	assert_true(asprintf(&text, HEAD CONTROLS TAIL, conditions[row].controls) > 0);
	return text;
}

CASE(conditions_are_evaluated_when_a_control_is_set)
{
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		char *text = text_of(i);
		struct jfc *j = must_read(text);
		struct diag d = {0};

		assert_string_equal(value_of(j, "e", "v"), "as written");
		assert_int_equal(jfc_set_control(j, "s", conditions[i].option, &d), 0);
		if (strcmp(value_of(j, "e", "v"), conditions[i].value) != 0)
			fail_msg("%s with %s is '%s', not '%s'", conditions[i].controls, conditions[i].option,
				 value_of(j, "e", "v"), conditions[i].value);
		jfc_free(j);
		free(text);
	}
}

/* All rows in one file: "c" and "d" of row 7 become "c7" and "d7". */
static void write_row(FILE *f, size_t row)
{
	for (const char *c = conditions[row].controls; *c; c++) {
		fputc(*c, f);
		if ((*c == 'c' || *c == 'd') && c[-(c != conditions[row].controls)] == '"' && c[1] == '"')
			fprintf(f, "%zu", row);
	}
}

static void write_all(const char *path)
{
	size_t n = sizeof(conditions) / sizeof(conditions[0]);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(HEAD "<control>" INPUTS, f);
	for (size_t i = 0; i < n; i++)
		write_row(f, i);
	fputs("</control><event name=\"e\">", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "<setting name=\"v%zu\" control=\"c%zu\">as written</setting>", i, i);
	fputs("</event>" TAIL, f);
	assert_int_equal(fclose(f), 0);
}

static char *slurp(const char *path)
{
	char *text = calloc(1, JFC_MAX_SIZE + 1);
	FILE *f = fopen(path, "r");

	if (f) {
		text[fread(text, 1, JFC_MAX_SIZE, f)] = 0;
		fclose(f);
	}
	return text;
}

/* Compare with the JDK's result for all rows that set "s" to `option`. */
static void compare_rows(const struct jdk *jdk, const char *option)
{
	static const char in[] = "/tmp/frtrace-test-in.jfc", out[] = "/tmp/frtrace-test-out.jfc";
	struct jfc *j;
	char *text;

	write_all(in);
	if (shell_run(&text, "'%s/bin/jfr' " JDK_BRIEF_TOOL " configure --input %s --output %s s=%s", jdk->home, in,
		      out, option))
		fail_msg("JDK %d: %s", jdk->version, text);
	free(text);
	text = slurp(out);
	j = must_read(text);
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		char name[16];

		snprintf(name, sizeof(name), "v%zu", i);
		if (strcmp(conditions[i].option, option) == 0 &&
		    strcmp(conditions[i].value, value_of(j, "e", name)) != 0)
			fail_msg("%s with %s is '%s' for JDK %d, not '%s'", conditions[i].controls, option,
				 value_of(j, "e", name), jdk->version, conditions[i].value);
	}
	jfc_free(j);
	free(text);
	remove(in);
	remove(out);
}

CASE(conditions_agree_with_the_jdk)
{
	static const char *const options[] = {"low", "off", "TRUE"};
	struct jdk jdks[8];
	size_t n = jdk_find(jdks, 8);

	if (!n || jdks[n - 1].version < 17)
		skip();
	for (size_t i = 0; i < 3; i++)
		compare_rows(&jdks[n - 1], options[i]);
}

CASE(only_dependent_settings_change)
{
	struct jfc *j = must_read(HEAD "<control>" INPUTS CONDITION(
		LOW) "</control><event name=\"e\"><setting name=\"a\" control=\"t\">1</setting>"
		     "<setting name=\"b\" control=\"c\">2</setting><setting name=\"c\">3</setting>"
		     "<setting name=\"d\" control=\"nobody\">4</setting></event>" TAIL);
	struct diag d = {0};

	assert_true(jfc_has_control(j, "t"));
	assert_false(jfc_has_control(j, "c"));
	assert_int_equal(jfc_set_control(j, "t", "x;y", &d), 0);
	assert_string_equal(value_of(j, "e", "a"), "x;y");
	assert_string_equal(value_of(j, "e", "b"), "2");
	assert_string_equal(value_of(j, "e", "c"), "3");
	assert_string_equal(value_of(j, "e", "d"), "4");
	assert_int_equal(jfc_set_control(j, "s", "off", &d), 0);
	assert_string_equal(value_of(j, "e", "a"), "x;y");
	assert_string_equal(value_of(j, "e", "b"), "F");
	assert_int_equal(jfc_set_control(j, "t", "", &d), 0);
	assert_string_equal(value_of(j, "e", "a"), "");
	jfc_free(j);
}

CASE(wrong_value_of_a_control_changes_nothing)
{
	static const struct {
		const char *name, *value, *message;
	} rows[] = {
		{"s", "1 ms", "wrong value '1 ms' of 's': it has to be one of off, low, TRUE"},
		{"f", "TRUE", "wrong value 'TRUE' of 'f': it has to be true or false"},
		{"time", "10", "wrong value '10' of 'time': it has to be a time, as in 20 ms"},
		{"nobody", "1", "wrong settings 'x.jfc': there is no control 'nobody'"},
		{"c", "1", "wrong settings 'x.jfc': there is no control 'c'"},
	};
	struct jfc *j = must_read(HEAD "<control>" INPUTS CONDITION(
		LOW) "</control><event name=\"e\"><setting name=\"a\" control=\"s\">1</setting>"
		     "<setting name=\"a\" control=\"f\">2</setting><setting name=\"a\" "
		     "control=\"time\">3</setting></event>" TAIL);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct diag d = {0};
		size_t n;

		assert_int_equal(jfc_set_control(j, rows[i].name, rows[i].value, &d), -EINVAL);
		assert_true(d.usage);
		assert_string_equal(d.text, rows[i].message);
		assert_string_equal(jfc_settings(j, &n)[0].value, "1");
		assert_string_equal(jfc_settings(j, &n)[1].value, "2");
		assert_string_equal(jfc_settings(j, &n)[2].value, "3");
	}
	jfc_free(j);
}

static const struct {
	const char *text, *place, *reason;
} wrong[] = {
	{"", "line 1, column 1", "no element found"},
	{"\n\n<a", "line 3, column 1", "unclosed token"},
	{HEAD "\n <event name=\"a\">\n </events>" TAIL, "line 3, column 4", "mismatched tag"},
	{HEAD "&later;" TAIL, "line 1, column 43", "undefined entity"},
	{HEAD "\xff" TAIL, "line 1, column 43", "not well-formed"},
	{HEAD TAIL "x", "line 1, column 59", "junk after document element"},
	{"\n<jfc><configuration version=\"2.0\"/></jfc>", "line 2, column 1", "begins with <jfc>"},
	{"<configuration/>", "line 1, column 1", "<configuration> lacks the attribute 'version'"},
	{"<configuration version=\"1.0\"/>", "line 1, column 1", "version '1.0'"},
	{HEAD "\n<event/>" TAIL, "line 2, column 1", "<event> lacks the attribute 'name'"},
	{HEAD "<event name=\"a\">\n\n   <setting>1</setting></event>" TAIL, "line 3, column 4", "<setting> lacks"},
	{HEAD "<control>\n<selection name=\"a\"/></control>" TAIL, "line 2, column 1", "'default'"},
	{HEAD "<control>\n<selection name=\"a\" default=\"b\"/></control>" TAIL, "line 2, column 1", "at least 1"},
	{HEAD "<control>\n<condition name=\"c\"><not/></condition></control>" TAIL, "line 2, column 21", "at least 1"},
	{HEAD "<control><condition name=\"c\">\n" LOW OFF "</condition></control>" TAIL, "line 1", "at most 1"},
	{HEAD "<control><condition name=\"c\">\n<or>" LOW "</or></condition></control>" TAIL, "line 2", "at least 2"},
	{HEAD
	 "<control><condition name=\"c\">\n<test name=\"a\" operator=\"less\" value=\"\"/></condition></control>" TAIL,
	 "line 2, column 1", "not 'less'"},
	{HEAD "<control>\n" CONDITION(TEST("c", "T")) "</control>" TAIL, "line 2, column 1", "depends on itself"},
	{HEAD
	 "<control>\n" CONDITION(TEST("d", "1")) "<condition name=\"d\">" TEST("c", "T") "</condition></control>" TAIL,
	 "line 2, column 1", "depends on itself"},
	{"<!DOCTYPE configuration>" HEAD TAIL, "line 1", "a document type is not allowed"},
	{"<!DOCTYPE configuration SYSTEM \"/etc/passwd\">" HEAD TAIL, "line 1", "a document type is not allowed"},
	{"<?xml version=\"1.0\"?>\n<!DOCTYPE c [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">"
	 "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;\">]>" HEAD "&d;" TAIL,
	 "line 2", "a document type is not allowed"},
	{"<!DOCTYPE c [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>" HEAD
	 "<event name=\"a\"><setting name=\"b\">&a;</setting></event>" TAIL,
	 "line 1", "a document type is not allowed"},
};

static void check_wrong(const char *text, const char *place, const char *reason)
{
	struct diag d = {0};
	struct jfc *j;

	if (jfc_read(&j, "x.jfc", text, strlen(text), &d) != -EINVAL)
		fail_msg("taken: %s", text);
	if (!d.usage || strncmp(d.text, "wrong settings 'x.jfc': line ", 29) != 0 || strchr(d.text, '\n') ||
	    !strstr(d.text, place) || !strstr(d.text, reason))
		fail_msg("%s\nfor %s, which has '%s' in %s", d.text, text, reason, place);
	assert_null(j);
}

CASE(faults_have_a_line_and_a_column)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		check_wrong(wrong[i].text, wrong[i].place, wrong[i].reason);
}

CASE(size_and_depth_have_limits)
{
	char *large = malloc(JFC_MAX_SIZE + 2), *end;
	struct diag d = {0};
	struct jfc *j;

	memset(large, ' ', JFC_MAX_SIZE + 1);
	memcpy(large, HEAD, sizeof(HEAD) - 1);
	memcpy(large + JFC_MAX_SIZE - sizeof(TAIL) + 1, TAIL, sizeof(TAIL) - 1);
	assert_int_equal(jfc_read(&j, "x.jfc", large, JFC_MAX_SIZE, &d), 0);
	jfc_free(j);
	assert_int_equal(jfc_read(&j, "x.jfc", large, JFC_MAX_SIZE + 1, &d), -EINVAL);
	assert_string_equal(d.text, "wrong settings 'x.jfc': a file of more than 1 MB");
	end = stpcpy(large, HEAD "<control><condition name=\"c\">");
	for (int i = 0; i < 100000; i++)
		end = stpcpy(end, "<not>");
	check_wrong(large, "line 1, column ", "nested more than 32 deep");
	end = stpcpy(large, HEAD);
	for (int i = 0; i < 100000; i++)
		end = stpcpy(end, "<what>");
	check_wrong(large, "line 1, column ", "no element found");
	free(large);
}

/* Each condition asks the previous one twice: 2^60 evaluations without a cache. */
CASE(conditions_do_not_multiply)
{
	char *text = malloc(1 << 16), *end = stpcpy(text, HEAD "<control>" INPUTS);
	struct diag d = {0};
	struct jfc *j;

	end = stpcpy(end, "<condition name=\"c60\" true=\"1\" false=\"0\">" LOW "</condition>");
	for (int i = 59; i >= 0; i--)
		end += sprintf(
			end,
			"<condition name=\"c%d\" true=\"1\" false=\"0\"><and><test name=\"c%d\" operator=\"equal\" "
			"value=\"1\"/><test name=\"c%d\" operator=\"equal\" value=\"1\"/></and></condition>",
			i, i + 1, i + 1);
	strcpy(end, "</control><event name=\"e\"><setting name=\"v\" control=\"c0\">x</setting></event>" TAIL);
	j = must_read(text);
	assert_int_equal(jfc_set_control(j, "s", "low", &d), 0);
	assert_string_equal(value_of(j, "e", "v"), "1");
	assert_int_equal(jfc_set_control(j, "s", "off", &d), 0);
	assert_string_equal(value_of(j, "e", "v"), "0");
	jfc_free(j);
	free(text);
}

/* Returns false if memory was short and that was reported. */
static bool read_and_set(void)
{
	static const char text[] = HEAD "<event name=\"jdk.MethodTrace\">" SET(
		"enabled", "true") "<setting name=\"filter\" control=\"t\">old</setting></event><control>" INPUTS
				   "</control>" TAIL;
	struct diag d = {0};
	struct jfc *j;
	int err = jfc_read(&j, "x.jfc", text, sizeof(text) - 1, &d);

	if (!err) {
		err = jfc_set_control(j, "t", "new", &d);
		assert_string_equal(value_of(j, "jdk.MethodTrace", "filter"), err ? "old" : "new");
	}
	jfc_free(j);
	if (err && (err != -ENOMEM || !strstr(d.text, "Cannot allocate memory") || d.usage))
		fail_msg("%d: %s", err, d.text);
	return !err;
}

CASE(missing_memory_is_reported)
{
	unsigned n = 0, refused = 0;

	fail_nth_or_skip();
	do {
		fail_nth(++n);
		refused += !read_and_set();
	} while (fail_nth_end());
	assert_true(n > 20 && refused >= n - 2);
}

CASE(events_with_context_are_those_that_say_so)
{
	struct jfc *j = must_read(HEAD "<event name=\"a.B\" withContext=\"true\">" SET(
		"enabled", "true") "</event>"
				   "<event name=\"a.C\" withContext=\"false\"/><event name=\"a.D\"/>"
				   "<other withContext=\"true\" name=\"a.E\"/>"
				   "<event withContext=\"true\" name=\"a.F\"/>" TAIL);
	const struct jfc_node *at = NULL;

	assert_string_equal(jfc_next_with_context(j, &at), "a.B");
	assert_string_equal(jfc_next_with_context(j, &at), "a.F");
	assert_null(jfc_next_with_context(j, &at));
	jfc_free(j);
}
