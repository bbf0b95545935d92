// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/json.h"
#include "tests/lib/test.h"

#include <math.h>

static char *text;
static size_t size;
static FILE *file;
static struct json j;

static int setup(void **state)
{
	file = open_memstream(&text, &size);
	json_init(&j, file);
	return !file;
}

static int teardown(void **state)
{
	fclose(file);
	free(text);
	return 0;
}

static void assert_printed(const char *want)
{
	fflush(file);
	assert_string_equal(text, want);
}

CASE(values_follow_their_keys, setup, teardown)
{
	json_object(&j, NULL);
	json_string(&j, "name", "checkout");
	json_signed(&j, "least", INT64_MIN);
	json_unsigned(&j, "most", UINT64_MAX);
	json_real(&j, "share", 0.25);
	json_bool(&j, "yes", true);
	json_bool(&j, "no", false);
	json_null(&j, "none");
	json_end(&j);
	assert_printed("{\"name\":\"checkout\",\"least\":-9223372036854775808,\"most\":18446744073709551615,"
		       "\"share\":0.25,\"yes\":true,\"no\":false,\"none\":null}\n");
}

CASE(objects_and_arrays_nest, setup, teardown)
{
	json_array(&j, NULL);
	json_object(&j, NULL);
	json_array(&j, "empty");
	json_end(&j);
	json_array(&j, "two");
	json_unsigned(&j, NULL, 1);
	json_unsigned(&j, NULL, 2);
	json_end(&j);
	json_object(&j, "after");
	json_end(&j);
	json_end(&j);
	json_object(&j, NULL);
	json_end(&j);
	json_end(&j);
	assert_printed("[{\"empty\":[],\"two\":[1,2],\"after\":{}},{}]\n");
}

CASE(each_top_value_is_a_line, setup, teardown)
{
	for (int i = 0; i < 2; i++) {
		json_object(&j, NULL);
		json_signed(&j, "i", i);
		json_end(&j);
	}
	assert_printed("{\"i\":0}\n{\"i\":1}\n");
}

static void assert_string_is(const char *from, size_t length, const char *want)
{
	setup(NULL);
	json_bytes(&j, NULL, from, length);
	assert_printed(want);
	teardown(NULL);
}

CASE(text_is_escaped, setup, teardown)
{
	static const struct {
		const char *from;
		size_t length;
		const char *want;
	} rows[] = {
#define ROW(from, want) {from, sizeof(from) - 1, want}
		ROW("", "\"\""),
		ROW("a/b 'c'", "\"a/b 'c'\""),
		ROW("\"\\", "\"\\\"\\\\\""),
		ROW("\n\r\t\b\x1b[2J\x7f", "\"\\n\\u000d\\u0009\\u0008\\u001b[2J\\u007f\""),
		ROW("a\0b", "\"a\\u0000b\""),
		ROW("na\xc3\xafve \xe2\x82\xac", "\"na\xc3\xafve \xe2\x82\xac\""),
		/* as from the JVM: NUL, a pair of surrogates, half a pair */
		ROW("\xc0\x80", "\"\\u0000\""),
		ROW("\xed\xa0\xbd\xed\xb8\x80", "\"\xf0\x9f\x98\x80\""),
		ROW("\xed\xa0\xbdx", "\"\xef\xbf\xbdx\""),
		/* garbage */
		ROW("\xff\xc3", "\"\xef\xbf\xbd\xef\xbf\xbd\""),
		ROW("\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""),
	};

	teardown(NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_is(rows[i].from, rows[i].length, rows[i].want);
	setup(NULL);
}

CASE(keys_are_escaped_too, setup, teardown)
{
	json_object(&j, NULL);
	json_null(&j, "a\"b");
	json_end(&j);
	assert_printed("{\"a\\\"b\":null}\n");
}

CASE(missing_text_and_infinite_number_are_null, setup, teardown)
{
	json_array(&j, NULL);
	json_string(&j, NULL, NULL);
	json_real(&j, NULL, NAN);
	json_real(&j, NULL, INFINITY);
	json_end(&j);
	assert_printed("[null,null,null]\n");
}
