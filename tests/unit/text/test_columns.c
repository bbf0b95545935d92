// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/columns.h"
#include "tests/lib/test.h"

typedef void put(FILE *to, const char *text, unsigned int width);

static void assert_put(put *f, const char *text, unsigned int width, const char *want)
{
	char *got = NULL;
	size_t size;
	FILE *to = open_memstream(&got, &size);

	f(to, text, width);
	fclose(to);
	assert_string_equal(got, want);
	free(got);
}

CASE(text_that_fits_is_printed_whole)
{
	assert_put(columns_put, "", 3, "");
	assert_put(columns_put, "abc", 3, "abc");
	assert_put(columns_put_end, "abc", 3, "abc");
	assert_put(columns_put, "abcdef", COLUMNS_ALL, "abcdef");
	assert_put(columns_put_end, "abcdef", COLUMNS_ALL, "abcdef");
}

CASE(text_that_does_not_fit_is_cut_with_a_mark)
{
	assert_put(columns_put, "abcdef", 4, "abc\xe2\x80\xa6");
	assert_put(columns_put_end, "abcdef", 4,
		   "\xe2\x80\xa6"
		   "def");
	assert_put(columns_put, "abcdef", 1, "\xe2\x80\xa6");
	assert_put(columns_put_end, "abcdef", 1, "\xe2\x80\xa6");
}

/* Two Chinese characters are four columns wide, a combining accent has no width. */
CASE(columns_are_those_of_a_terminal)
{
	assert_put(columns_put,
		   "\xe8\xb4\xad\xe7\x89\xa9"
		   "ab",
		   6,
		   "\xe8\xb4\xad\xe7\x89\xa9"
		   "ab");
	assert_put(columns_put,
		   "\xe8\xb4\xad\xe7\x89\xa9"
		   "ab",
		   5, "\xe8\xb4\xad\xe7\x89\xa9\xe2\x80\xa6");
	assert_put(columns_put,
		   "\xe8\xb4\xad\xe7\x89\xa9"
		   "ab",
		   4, "\xe8\xb4\xad\xe2\x80\xa6");
	assert_put(columns_put_end, "ab\xe8\xb4\xad\xe7\x89\xa9", 4, "\xe2\x80\xa6\xe7\x89\xa9");
	assert_put(columns_put,
		   "e\xcc\x81"
		   "bc",
		   3,
		   "e\xcc\x81"
		   "bc");
	assert_put(columns_put,
		   "\xf0\x9f\x98\x80"
		   "ab",
		   3, "\xf0\x9f\x98\x80\xe2\x80\xa6");
}

/* A thread may have any name; none of it may control the terminal. */
CASE(text_does_not_control_the_terminal)
{
	assert_put(columns_put,
		   "a\x1b[2J\r\n\x7f"
		   "b",
		   COLUMNS_ALL, "a\\u001b[2J\\u000d\\u000a\\u007fb");
	assert_put(columns_put,
		   "a\xc2\x9b"
		   "2Jb",
		   COLUMNS_ALL, "a\\u009b2Jb");
	assert_put(columns_put,
		   "a\xe2\x80\xae"
		   "b\xe2\x80\xa8",
		   COLUMNS_ALL, "a\\u202eb\\u2028");
}

CASE(text_of_a_jvm_and_garbage_become_utf8)
{
	assert_put(columns_put,
		   "a\xc0\x80"
		   "b",
		   COLUMNS_ALL, "a\\u0000b");
	assert_put(columns_put, "\xed\xa0\xbd\xed\xb8\x80", COLUMNS_ALL, "\xf0\x9f\x98\x80");
	assert_put(columns_put, "a\xff", COLUMNS_ALL, "a\xef\xbf\xbd");
}

CASE(long_text_stays_within_its_columns)
{
	char text[10001];

	memset(text, 0xff, sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	assert_put(columns_put, text, 2, "\xef\xbf\xbd\xe2\x80\xa6");
	assert_put(columns_put_end, text, 2, "\xe2\x80\xa6\xef\xbf\xbd");
}
