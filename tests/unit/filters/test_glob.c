// SPDX-License-Identifier: BSD-2-Clause
/* Patterns with wildcards, and lists of them. */
#include "filters/glob.h"
#include "tests/lib/test.h"

static bool matches(enum glob_form form, const char *pattern, const char *text)
{
	return glob_matches(form, slice_of(pattern), slice_of(text));
}

CASE(each_form_has_its_wildcards)
{
	static const struct {
		enum glob_form form;
		const char *pattern, *text;
		bool match;
	} rows[] = {
		{GLOB_TEXT, "", "", true},
		{GLOB_TEXT, "*", "", true},
		{GLOB_TEXT, "", "a", false},
		{GLOB_TEXT, "a?c", "abc", true},
		{GLOB_TEXT, "a?", "a", false},
		{GLOB_TEXT, "*ab*ab", "abcabab", true},
		{GLOB_TEXT, "*ab*ab", "abca", false},
		{GLOB_TEXT, "jdk.*Trace", "jdk.MethodTrace", true},
		{GLOB_TEXT, "A", "a", false},
		{GLOB_TEXT, ";", "ab", false},
		{GLOB_ANY_CASE, "*pass*", "dbPassWord", true},
		{GLOB_ANY_CASE, "[", "{", false},
		{GLOB_NAME, "a;c", "a/b/c", true},
		{GLOB_NAME, "a*c", "abc", false},
		{GLOB_NAME, "a?c", "abc", false},
		{GLOB_NAME, "a?c*", "a?c*", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (matches(rows[i].form, rows[i].pattern, rows[i].text) != rows[i].match)
			fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].text);
}

/* With a star that tries again for each one before it, this takes years. */
CASE(many_stars_take_no_long_time)
{
	char pattern[101], text[10001];

	for (size_t i = 0; i < 100; i++)
		pattern[i] = i % 2 ? 'a' : '*';
	pattern[99] = 'b';
	pattern[100] = 0;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	assert_false(matches(GLOB_TEXT, pattern, text));
}

CASE(a_list_has_patterns_between_separators)
{
	const char *list = " jdk.* ,, Java Virtual Machine,";
	struct slice pattern;

	assert_true(glob_list_next(&list, ',', &pattern));
	assert_true(slice_is(pattern, "jdk.*"));
	assert_true(glob_list_next(&list, ',', &pattern));
	assert_true(slice_is(pattern, "Java Virtual Machine"));
	assert_false(glob_list_next(&list, ',', &pattern));
	assert_true(glob_list_matches(GLOB_TEXT, "a,b*", ',', slice_of("bc")));
	assert_false(glob_list_matches(GLOB_TEXT, "a,b*", ';', slice_of("bc")));
	assert_false(glob_list_matches(GLOB_TEXT, " , ", ',', slice_of("")));
}
